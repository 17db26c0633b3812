using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Text;
using Spate.Gateway.Escaping;

namespace Spate.Gateway;

/// <summary>
/// Where a gateway commits datagrams, or where a reader reads them: the nodes of a RabbitMQ cluster and a virtual host,
/// or nowhere (<see cref="Discard"/>). Immutable; any thread may use it.
/// </summary>
/// <remarks>
/// As text: <c>amqp://HOST[:PORT][,HOST2[:PORT2]...][/VHOST]</c>, <c>amqps://</c> for TLS, or <c>null:</c>. An IPv6
/// address stands in brackets. The virtual host is percent-encoded and is <c>/</c> where none is written. It never
/// holds a user or a password: those are <see cref="GatewayCredentials"/>.
/// </remarks>
public sealed class GatewayTarget : IEquatable<GatewayTarget>
{
    /// <summary>The most hosts: 16.</summary>
    public const int MaxHostCount = 16;

    /// <summary>The port of <c>amqp://</c>: 5672.</summary>
    public const int DefaultPort = 5672;

    /// <summary>The port of <c>amqps://</c>: 5671.</summary>
    public const int DefaultTlsPort = 5671;

    private const string Plain = "amqp://";
    private const string Tls = "amqps://";
    private const string Nowhere = "null:";
    private const string DefaultVirtualHost = "/";
    private const int MaxTextLength = 4096;

    // The longest name of the DNS as text (RFC 1035, 2.3.4), and the longest short string of AMQP 0-9-1.
    private const int MaxHostLength = 253;
    private const int MaxVirtualHostBytes = 255;

    private GatewayTarget(bool usesTls, IReadOnlyList<DnsEndPoint> hosts, string virtualHost)
    {
        UsesTls = usesTls;
        Hosts = hosts;
        VirtualHost = virtualHost;
    }

    /// <summary>Datagrams are received, packed and dropped: for measuring.</summary>
    public static GatewayTarget Discard { get; } = new(usesTls: false, [], DefaultVirtualHost);

    /// <summary>Whether this is <see cref="Discard"/>.</summary>
    public bool IsDiscard => Hosts.Count == 0;

    /// <summary>Whether connections are encrypted, and the certificate and name of the broker verified.</summary>
    public bool UsesTls { get; }

    /// <summary>
    /// The hosts with their ports, in the order in which they are tried; empty for <see cref="Discard"/>.
    /// </summary>
    public IReadOnlyList<DnsEndPoint> Hosts { get; }

    /// <summary>The virtual host, decoded; <c>/</c> by default.</summary>
    public string VirtualHost { get; }

    /// <summary>Whether every host is this machine by its name or address: localhost, 127.0.0.0/8 or ::1.</summary>
    public bool IsLoopback => !IsDiscard && Hosts.All(static host =>
        host.Host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
        || (IPAddress.TryParse(host.Host, out IPAddress? address) && IPAddress.IsLoopback(address)));

    /// <summary>Reads a target.</summary>
    /// <param name="text">The target as text.</param>
    /// <exception cref="FormatException">The text is not a target; the message is one line that says why.</exception>
    public static GatewayTarget Parse(string text) =>
        TryParse(text, out GatewayTarget? target, out string? error) ? target : throw new FormatException(error);

    /// <summary>Reads a target.</summary>
    /// <param name="text">The target as text.</param>
    /// <param name="target">The target; null where the text is none.</param>
    /// <param name="error">
    /// What was wrong and what was expected, in one line without a password; null on success.
    /// </param>
    public static bool TryParse(
        string? text, [NotNullWhen(true)] out GatewayTarget? target, [NotNullWhen(false)] out string? error)
    {
        target = null;
        error = FindFault(text ?? "", ref target);
        return error is null;
    }

    /// <summary>The target as text, which <see cref="Parse"/> reads.</summary>
    public override string ToString()
    {
        if (IsDiscard) return Nowhere;

        IEnumerable<string> hosts = Hosts.Select(static host => TextOf(host));
        return $"{(UsesTls ? Tls : Plain)}{string.Join(',', hosts)}/{Uri.EscapeDataString(VirtualHost)}";
    }

    /// <summary>Whether the other target has the same text, so that options with equal targets are equal.</summary>
    /// <param name="other">The target to compare with; may be null.</param>
    /// <returns>True if the targets are equal.</returns>
    public bool Equals(GatewayTarget? other) =>
        other is not null && string.Equals(ToString(), other.ToString(), StringComparison.Ordinal);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as GatewayTarget);

    /// <inheritdoc/>
    public override int GetHashCode() => StringComparer.Ordinal.GetHashCode(ToString());

    /// <summary>A host with its port as text, an IPv6 address in brackets.</summary>
    internal static string TextOf(DnsEndPoint host) =>
        host.Host.Contains(':', StringComparison.Ordinal) ? $"[{host.Host}]:{host.Port}" : $"{host.Host}:{host.Port}";

    private static string? FindFault(string text, ref GatewayTarget? target)
    {
        // Nothing of such a text is shown: any part of it may be the password.
        if (text.Contains('@', StringComparison.Ordinal))
        {
            return "the target contains a user or a password, which process lists and logs would show: leave it out "
                + "and give the user and a file with the password (an @ of a virtual host is written %40)";
        }

        if (text.Length > MaxTextLength) return $"the target has {text.Length} characters: at most {MaxTextLength}";

        if (text.Equals(Nowhere, StringComparison.OrdinalIgnoreCase))
        {
            target = Discard;
            return null;
        }

        bool usesTls = text.StartsWith(Tls, StringComparison.OrdinalIgnoreCase);
        if (!usesTls && !text.StartsWith(Plain, StringComparison.OrdinalIgnoreCase))
        {
            return $"'{OneLine.Of(text)}' is not a target: expected amqp://HOST[:PORT][,HOST2...]/VHOST, amqps://... "
                + "or null:";
        }

        string rest = text[(usesTls ? Tls : Plain).Length..];
        int slash = rest.IndexOf('/', StringComparison.Ordinal);
        string[] written = (slash < 0 ? rest : rest[..slash]).Split(',');
        if (written.Length > MaxHostCount) return $"{written.Length} hosts are too many: at most {MaxHostCount}";

        var hosts = new List<DnsEndPoint>(written.Length);
        foreach (string one in written)
        {
            if (FindHostFault(one, usesTls ? DefaultTlsPort : DefaultPort, hosts) is { } fault) return fault;
        }

        string encoded = slash < 0 ? "" : rest[(slash + 1)..];
        if (FindVirtualHostFault(encoded) is { } wrong) return wrong;

        string virtualHost = encoded.Length == 0 ? DefaultVirtualHost : Uri.UnescapeDataString(encoded);
        target = new GatewayTarget(usesTls, hosts, virtualHost);
        return null;
    }

    private static string? FindHostFault(string written, int defaultPort, List<DnsEndPoint> hosts)
    {
        string host = written;
        string? digits = null;
        if (written.StartsWith('['))
        {
            int close = written.IndexOf(']', StringComparison.Ordinal);
            string behind = close < 0 ? "" : written[(close + 1)..];
            if (close < 0 || (behind.Length > 0 && behind[0] != ':') || !IsIPv6(written[1..close]))
            {
                return $"'{OneLine.Of(written)}' is not an IPv6 address: expected [ADDRESS] or [ADDRESS]:PORT";
            }

            (host, digits) = (written[1..close], behind.Length == 0 ? null : behind[1..]);
        }
        else if (written.IndexOf(':', StringComparison.Ordinal) is >= 0 and var colon)
        {
            if (written.IndexOf(':', colon + 1) >= 0)
            {
                return $"'{OneLine.Of(written)}' is not HOST:PORT: write an IPv6 address in brackets, as [::1]:5672";
            }

            (host, digits) = (written[..colon], written[(colon + 1)..]);
        }

        if (!IsIPv6(host) && !IsName(host))
        {
            return host.Length == 0
                ? "the target has no host: expected amqp://HOST[:PORT][,HOST2...]/VHOST"
                : $"'{OneLine.Of(host)}' is not a host: expected a name or an address, of at most {MaxHostLength} "
                    + "characters";
        }

        int port = defaultPort;
        if (digits is not null && !(int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out port)
            && port is > 0 and <= IPEndPoint.MaxPort))
        {
            return $"'{OneLine.Of(written)}' has no valid port: expected a number from 1 to 65535";
        }

        var end = new DnsEndPoint(host, port);
        if (hosts.Contains(end)) return $"'{OneLine.Of(written)}' is given twice: give it once";

        hosts.Add(end);
        return null;
    }

    private static string? FindVirtualHostFault(string encoded)
    {
        if (encoded.AsSpan().ContainsAny('?', '#'))
        {
            return "the target has parameters after its virtual host, which are not supported: use options";
        }

        if (encoded.Contains('/', StringComparison.Ordinal))
        {
            return $"'{OneLine.Of(encoded)}' is not a virtual host: a slash in its name is written %2F";
        }

        bool isEncoded = true;
        for (int i = 0; i < encoded.Length; i++)
        {
            if (encoded[i] != '%') continue;
            isEncoded &= i + 2 < encoded.Length && char.IsAsciiHexDigit(encoded[i + 1])
                && char.IsAsciiHexDigit(encoded[i + 2]);
        }

        string decoded = Uri.UnescapeDataString(encoded);
        return isEncoded && !decoded.Any(char.IsControl) && Encoding.UTF8.GetByteCount(decoded) <= MaxVirtualHostBytes
            ? null
            : $"'{OneLine.Of(encoded)}' is not a virtual host: expected at most {MaxVirtualHostBytes} bytes without "
                + "control characters, percent-encoded";
    }

    // Without the colon, .NET would take some numbers for an address.
    private static bool IsIPv6(string text) =>
        text.Contains(':', StringComparison.Ordinal) && text.Length <= MaxHostLength && IPAddress.TryParse(text, out _);

    private static bool IsName(string text) => text.Length is > 0 and <= MaxHostLength && text[0] != '-'
        && text.All(static character => char.IsAsciiLetterOrDigit(character) || character is '-' or '.' or '_');
}
