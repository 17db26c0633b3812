using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;

namespace Spate.Cli.Shell.Options;

/// <summary>Reads the endpoints of a command line.</summary>
internal static class EndPointText
{
    private const int DefaultPort = 9999;

    /// <summary>Reads a target to send to: <c>HOST[:PORT]</c>.</summary>
    public static IPEndPoint ParseTarget(string text, AddressFamily? family) => ParseTargets(text, family)[0];

    /// <summary>Reads a target, with all addresses of its name: at least one.</summary>
    public static IReadOnlyList<IPEndPoint> ParseTargets(string text, AddressFamily? family)
    {
        HostPort written = HostPort.Parse(text);
        if (written.Host.Length == 0)
        {
            throw CommandException.WrongUse($"'{text}' has no host: expected HOST or HOST:PORT");
        }

        int port = written.Port ?? DefaultPort;
        return port > 0
            ? [.. HostResolver.ResolveAll(written.Host, family).Select(address => new IPEndPoint(address, port))]
            : throw CommandException.WrongUse($"'{text}' has port 0: expected a number from 1 to 65535");
    }

    /// <summary>
    /// Reads an end point to listen at: <c>ADDRESS:PORT</c>, <c>ADDRESS</c> or <c>:PORT</c>; null for the default. With
    /// port 0 the system chooses the port.
    /// </summary>
    public static IPEndPoint ParseLocal(string? text, AddressFamily? family)
    {
        if (text is { Length: 0 })
        {
            // An empty argument is often an unset variable of a script, which must not open a port to the network.
            throw CommandException.WrongUse("'' is not an address: expected ADDRESS:PORT, ADDRESS or :PORT, or none");
        }

        HostPort written = text is null ? default : HostPort.Parse(text);
        IPAddress address = string.IsNullOrEmpty(written.Host)
            ? family == AddressFamily.InterNetworkV6 ? IPAddress.IPv6Any : IPAddress.Any
            : HostResolver.Resolve(written.Host, family);
        return new IPEndPoint(address, written.Port ?? DefaultPort);
    }
}

/// <summary>A host and port as written: <c>host</c>, <c>host:port</c>, <c>[v6%zone]:port</c> or a bare IPv6.</summary>
/// <param name="Host">The name or address, brackets removed; empty for <c>:port</c>.</param>
/// <param name="Port">The port; null when none was written.</param>
internal readonly record struct HostPort(string Host, int? Port)
{
    // Addresses often end in a group of one digit, which is hardly ever a port.
    private const int MinPortDigits = 2;
    private const int MaxPortDigits = 5;

    public static HostPort Parse(string text)
    {
        if (text.StartsWith('['))
        {
            int close = text.IndexOf(']', StringComparison.Ordinal);
            if (close < 0) throw CommandException.WrongUse($"'{text}' lacks a ']': expected [IPv6]:PORT");

            string rest = text[(close + 1)..];
            if (rest.Length > 0 && rest[0] != ':')
            {
                throw CommandException.WrongUse($"'{text}' has text after the address: expected [IPv6]:PORT");
            }

            if (!text.AsSpan(1, close - 1).Contains(':'))
            {
                throw CommandException.WrongUse($"'{text}' has brackets, which are for IPv6: write HOST:PORT");
            }

            return new HostPort(text[1..close], rest.Length == 0 ? null : ParsePort(rest[1..], text));
        }

        if (text.Contains("//", StringComparison.Ordinal))
        {
            throw CommandException.WrongUse($"'{text}' is a URL: expected HOST:PORT alone");
        }

        int colon = text.IndexOf(':', StringComparison.Ordinal);
        bool isBareIpv6 = colon >= 0 && text.IndexOf(':', colon + 1) >= 0;
        if (isBareIpv6) RefusePort(text);

        return colon < 0 || isBareIpv6
            ? new HostPort(text, Port: null)
            : new HostPort(text[..colon], ParsePort(text[(colon + 1)..], text));
    }

    /// <summary>
    /// Refuses an address without brackets that may also be read as an address and a port: its last group could be a
    /// port, and what stands before it is an address too. 2001:db8::53 is not one of them.
    /// </summary>
    private static void RefusePort(string text)
    {
        int last = text.LastIndexOf(':');
        string group = text[(last + 1)..];
        int zone = text.IndexOf('%', StringComparison.Ordinal);
        string address = text[..(zone >= 0 && zone < last ? zone : last)];
        bool looksLikePort = group.Length is >= MinPortDigits and <= MaxPortDigits
            && group[0] != '0'
            && group.All(char.IsAsciiDigit);
        if (looksLikePort && IPAddress.TryParse(address, out _))
        {
            string whole = IPAddress.TryParse(text, out _) ? $", or [{text}] for the address" : "";
            throw CommandException.WrongUse(
                $"'{text}' looks like an address and a port without brackets: write [{text[..last]}]:{group}{whole}");
        }
    }

    private static int ParsePort(string digits, string whole)
    {
        bool isPort = int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out int port)
            && port <= 65535;
        return isPort
            ? port
            : throw CommandException.WrongUse($"'{whole}' has no valid port: expected a number from 1 to 65535");
    }
}

/// <summary>Resolves the text of a host to one address.</summary>
internal static class HostResolver
{
    private static readonly TimeSpan MaxLookUpTime = TimeSpan.FromSeconds(5);

    /// <summary>Returns the address itself, or the first address of a name.</summary>
    /// <param name="family">The family asked for (-4, -6); null for either.</param>
    public static IPAddress Resolve(string host, AddressFamily? family) => ResolveAll(host, family)[0];

    /// <summary>Returns the address itself, or all addresses of a name: at least one.</summary>
    public static IReadOnlyList<IPAddress> ResolveAll(string host, AddressFamily? family)
    {
        if (TryParseAddress(host, out IPAddress? address))
        {
            return family is null || address.AddressFamily == family
                ? [address]
                : throw CommandException.WrongUse(family == AddressFamily.InterNetwork
                    ? $"{host} is an IPv6 address, but -4 requires IPv4: leave one of them out"
                    : $"{host} is an IPv4 address, but -6 requires IPv6: leave one of them out");
        }

        CheckName(host);

        // RFC 6761, 6.3: localhost needs no resolver, so the name works without a network and without /etc/hosts.
        if (host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
            || host.EndsWith(".localhost", StringComparison.OrdinalIgnoreCase))
        {
            return [family == AddressFamily.InterNetworkV6 ? IPAddress.IPv6Loopback : IPAddress.Loopback];
        }

        return LookUp(host, family);
    }

    /// <summary>
    /// Whether a text is an IPv4 address of four plain numbers, or has the colon of an IPv6 address. The runtime also
    /// accepts <c>1</c>, <c>0x7f.1</c> and <c>010.0.0.1</c>; a tool that sends traffic takes plain addresses only.
    /// </summary>
    public static bool IsPlainAddress(string text) =>
        text.Contains(':', StringComparison.Ordinal)
        || (text.Split('.') is { Length: 4 } parts && parts.All(IsPlainOctet));

    private static IPAddress[] LookUp(string host, AddressFamily? family)
    {
        try
        {
            using var timeout = new CancellationTokenSource(MaxLookUpTime);
            IPAddress[] found = Dns.GetHostAddressesAsync(host, family ?? AddressFamily.Unspecified, timeout.Token)
                .GetAwaiter().GetResult();
            return found.Length > 0
                ? found
                : throw CommandException.UnknownHost(
                    $"unknown host '{host}': it has no address of the requested family");
        }
        catch (SocketException)
        {
            throw CommandException.UnknownHost($"unknown host '{host}': check the name, or use an address");
        }
        catch (OperationCanceledException)
        {
            throw CommandException.UnknownHost(
                $"unknown host '{host}': no answer from the resolver in 5 s; check the name, or use an address");
        }
    }

    private static bool TryParseAddress(string host, [NotNullWhen(true)] out IPAddress? address)
    {
        address = null;
        if (host.Contains(':', StringComparison.Ordinal))
        {
            address = ParseIpv6(host);
            return true;
        }

        string[] parts = host.Split('.');
        if (IsPlainAddress(host) && IPAddress.TryParse(host, out address)) return true;

        if (parts[^1].Length > 0 && parts[^1].All(char.IsAsciiDigit))
        {
            throw CommandException.WrongUse(
                $"'{host}' is not an IPv4 address: expected four numbers from 0 to 255, such as 192.0.2.1");
        }

        return false;
    }

    private static bool IsPlainOctet(string part) =>
        part.Length is >= 1 and <= 3 && part.All(char.IsAsciiDigit) && (part.Length == 1 || part[0] != '0');

    private static IPAddress ParseIpv6(string host)
    {
        // Only callers that take no port pass a text with one colon, or with brackets.
        if (host.StartsWith('[') || host.IndexOf(':', StringComparison.Ordinal) == host.LastIndexOf(':'))
        {
            throw CommandException.WrongUse(
                $"'{host}' is not a host: expected a name or an address without a port, such as 192.0.2.1");
        }

        int percent = host.IndexOf('%', StringComparison.Ordinal);
        string bare = percent < 0 ? host : host[..percent];
        if (!IPAddress.TryParse(bare, out IPAddress? address))
        {
            throw CommandException.WrongUse(
                $"'{host}' is not an IPv6 address: expected one such as [::1]:9999 or fe80::1%eth0");
        }

        if (percent >= 0) address.ScopeId = ZoneIndex(host[(percent + 1)..], host);

        return address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address;
    }

    private static long ZoneIndex(string zone, string host)
    {
        if (uint.TryParse(zone, NumberStyles.None, CultureInfo.InvariantCulture, out uint index)) return index;

        foreach (NetworkInterface network in NetworkInterface.GetAllNetworkInterfaces())
        {
            if (network.Name.Equals(zone, StringComparison.Ordinal))
            {
                return network.GetIPProperties().GetIPv6Properties().Index;
            }
        }

        throw CommandException.WrongUse($"'{host}' names the interface '{zone}', which does not exist: see spate info");
    }

    private static void CheckName(string host)
    {
        bool isName = host.Length is > 0 and <= 253
            && host.All(static letter =>
                letter > 127 || char.IsAsciiLetterOrDigit(letter) || letter is '-' or '_' or '.');
        if (!isName)
        {
            throw CommandException.WrongUse(
                $"'{host}' is not a host: expected a name or an address, such as 192.0.2.1:9999");
        }
    }
}
