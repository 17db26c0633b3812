using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Spate.TestHelpers.Gateways;

/// <summary>An authority of the tests' own, and certificates from it. All expire after a day.</summary>
internal sealed class TestAuthority : IDisposable
{
    private const string ServerPurpose = "1.3.6.1.5.5.7.3.1";
    private const string ClientPurpose = "1.3.6.1.5.5.7.3.2";

    private readonly ECDsa _key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
    private readonly X509Certificate2 _certificate;

    public TestAuthority(string name = "Spate test authority")
    {
        var request = new CertificateRequest($"CN={name}", _key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, critical: true));
        request.CertificateExtensions.Add(
            new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign | X509KeyUsageFlags.CrlSign, critical: true));
        _certificate = request.CreateSelfSigned(Start, Start.AddDays(2));
    }

    /// <summary>The authority's certificate as PEM.</summary>
    public string Pem => _certificate.ExportCertificatePem();

    private static DateTimeOffset Start => DateTimeOffset.UtcNow.AddDays(-1);

    /// <summary>A certificate of a server, with its key.</summary>
    /// <param name="name">A name of the DNS, or an address.</param>
    /// <param name="isServer">Whether it may be used by a server; else by a client.</param>
    public X509Certificate2 Issue(string name, bool isServer = true)
    {
        var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=spate test", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        if (IPAddress.TryParse(name, out IPAddress? address)) names.AddIpAddress(address);
        else names.AddDnsName(name);
        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(
            new X509EnhancedKeyUsageExtension([new Oid(isServer ? ServerPurpose : ClientPurpose)], critical: false));
        byte[] serial = RandomNumberGenerator.GetBytes(8);
        serial[0] &= 0x7F;
        using X509Certificate2 issued = request.Create(_certificate, Start.AddHours(1), Start.AddDays(1.9), serial);
        return issued.CopyWithPrivateKey(key);
    }

    public void Dispose()
    {
        _certificate.Dispose();
        _key.Dispose();
    }
}
