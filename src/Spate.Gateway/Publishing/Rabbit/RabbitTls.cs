using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using RabbitMQ.Client;
using Spate.Gateway.Escaping;

namespace Spate.Gateway.Publishing.Rabbit;

/// <summary>
/// Verifies the certificates of brokers: the chain up to an authority of the system, or of a file of one's own, and the
/// name. Any thread may use it.
/// </summary>
internal sealed class RabbitTls
{
    private const int MaxFileBytes = 1024 * 1024;
    private const int MaxShownNames = 4;

    // id-kp-serverAuth (RFC 5280, 4.2.1.12): a certificate of a client does not make a broker.
    private const string ServerPurpose = "1.3.6.1.5.5.7.3.1";

    private readonly X509Certificate2Collection? _authorities;

    private RabbitTls(X509Certificate2Collection? authorities) => _authorities = authorities;

    /// <summary>Trusts the authorities of a file, or those of the system.</summary>
    /// <param name="authorityFile">
    /// A file with certificates as PEM, which then are all that is trusted; null for none.
    /// </param>
    /// <exception cref="GatewayException">The file cannot be read, or holds no certificate.</exception>
    public static RabbitTls Create(string? authorityFile)
    {
        if (authorityFile is null) return new RabbitTls(authorities: null);

        var authorities = new X509Certificate2Collection();
        try
        {
            using FileStream file = File.OpenRead(authorityFile);
            byte[] bytes = new byte[MaxFileBytes + 1];
            int length = file.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false);
            if (length > MaxFileBytes)
            {
                throw new GatewayException(
                    $"'{OneLine.Of(authorityFile)}' is not a certificate file: it has more than {MaxFileBytes} bytes");
            }

            authorities.ImportFromPem(System.Text.Encoding.Latin1.GetString(bytes, 0, length));
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or CryptographicException
            or ArgumentException or NotSupportedException)
        {
            throw new GatewayException(
                $"the certificates in '{OneLine.Of(authorityFile)}' cannot be read: {OneLine.Of(fault.Message)}",
                fault);
        }

        return authorities.Count > 0
            ? new RabbitTls(authorities)
            : throw new GatewayException($"'{OneLine.Of(authorityFile)}' holds no certificate: expected PEM, with "
                + "-----BEGIN CERTIFICATE----- in it");
    }

    /// <summary>The options of a connection, and the check that they make.</summary>
    /// <param name="host">The name or address that the certificate must be for.</param>
    /// <param name="check">Holds, after an attempt, what was wrong with the certificate.</param>
    public SslOption OptionsFor(string host, out CertificateCheck check)
    {
        var made = new CertificateCheck(host, _authorities);
        check = made;
        return new SslOption
        {
            Enabled = true,
            ServerName = host,

            // The system chooses among the versions that it holds for safe.
            Version = SslProtocols.None,
            CertificateValidationCallback = made.Validate,
        };
    }

    /// <summary>The check of one connection's certificate.</summary>
    /// <param name="host">The name or address that the certificate must be for.</param>
    /// <param name="authorities">All that is trusted; null for the authorities of the system.</param>
    internal sealed class CertificateCheck(string host, X509Certificate2Collection? authorities)
    {
        /// <summary>What was wrong, as a part of a sentence; null where nothing was, or none was shown yet.</summary>
        public string? Fault { get; private set; }

        public bool Validate(object sender, X509Certificate? shown, X509Chain? chain, SslPolicyErrors errors)
        {
            Fault = FindFault(shown, chain, errors);
            return Fault is null;
        }

        private string? FindFault(X509Certificate? shown, X509Chain? chain, SslPolicyErrors errors)
        {
            if (shown is null || errors.HasFlag(SslPolicyErrors.RemoteCertificateNotAvailable))
            {
                return "it sent no certificate";
            }

            using X509Certificate2 certificate = X509CertificateLoader.LoadCertificate(shown.GetRawCertData());
            if (errors.HasFlag(SslPolicyErrors.RemoteCertificateNameMismatch))
            {
                return $"its certificate is for {NamesOf(certificate)}, not for {OneLine.Of(host)}";
            }

            if (authorities is null)
            {
                return errors == SslPolicyErrors.None
                    ? null
                    : $"its certificate is not trusted by this system ({StatusOf(chain)}); if it has "
                        + "its own CA, give the CA file";
            }

            // The chain that the system has built ends in the system's authorities, which are not trusted here.
            using var own = new X509Chain();
            own.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
            own.ChainPolicy.CustomTrustStore.AddRange(authorities);
            own.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
            own.ChainPolicy.DisableCertificateDownloads = true;
            own.ChainPolicy.ApplicationPolicy.Add(new Oid(ServerPurpose));
            if (chain is not null) own.ChainPolicy.ExtraStore.AddRange(chain.ChainPolicy.ExtraStore);

            return own.Build(certificate)
                ? null
                : $"its certificate is not issued by the given CA ({StatusOf(own)})";
        }

        private static string StatusOf(X509Chain? chain)
        {
            string[] states =
            [
                .. (chain?.ChainStatus ?? []).Select(static one => $"{one.Status}").Distinct(StringComparer.Ordinal),
            ];
            return states.Length == 0 ? "no reason given" : string.Join(", ", states);
        }

        private static string NamesOf(X509Certificate2 certificate)
        {
            X509SubjectAlternativeNameExtension? names = certificate.Extensions
                .OfType<X509SubjectAlternativeNameExtension>().FirstOrDefault();
            string[] all = names is null
                ? [certificate.GetNameInfo(X509NameType.SimpleName, forIssuer: false)]
                : [.. names.EnumerateDnsNames(), .. names.EnumerateIPAddresses().Select(static one => $"{one}")];
            string more = all.Length > MaxShownNames ? $" and {all.Length - MaxShownNames} more" : "";
            return OneLine.Of(string.Join(", ", all.Take(MaxShownNames))) + more;
        }
    }
}
