using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;

namespace Spate.Cli.Shell.Options;

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
                    ? $"{host} is an IPv6 address, but -4 asks for IPv4: drop one of them"
                    : $"{host} is an IPv4 address, but -6 asks for IPv6: drop one of them");
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
                    $"unknown host '{host}': it has no address of the family asked for");
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
                $"'{host}' is not a host alone: expected a name or an address without a port, such as 192.0.2.1");
        }

        int percent = host.IndexOf('%', StringComparison.Ordinal);
        string bare = percent < 0 ? host : host[..percent];
        if (!IPAddress.TryParse(bare, out IPAddress? address))
        {
            throw CommandException.WrongUse(
                $"'{host}' is not an IPv6 address: expected such as [::1]:9999 or fe80::1%eth0");
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

        throw CommandException.WrongUse($"'{host}' names the interface '{zone}', which is not here: see spate info");
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
