using System.Globalization;
using System.Net;

namespace Spate.Cli.Shell.Options;

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
                throw CommandException.WrongUse($"'{text}' has more than an address: expected [IPv6]:PORT");
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
