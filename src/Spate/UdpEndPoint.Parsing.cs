using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.NetworkInformation;
using System.Text;
using System.Text.Unicode;
using Spate.Interop.Linux;

namespace Spate;

public readonly partial struct UdpEndPoint
{
    // Windows allows interface names of 256 characters (NDIS_IF_MAX_STRING_SIZE), Linux of 15 (IFNAMSIZ).
    private const int LongestZone = 256;
    private const int LongestReadText = LongestText + LongestZone;
    private const int LongestIPv6Text = 45;
    private const int DigitsOfOctet = 3;
    private const int DigitsOfPort = 5;
    private const int DigitsOfScope = 10;

    private static readonly SearchValues<char> _ipv6Chars = SearchValues.Create("0123456789abcdefABCDEF:.");

    /// <summary>Reads UTF-8; the buffer holds the text as far as it could be decoded, for the message.</summary>
    private static string? ReadUtf8(
        ReadOnlySpan<byte> utf8Text, Span<char> buffer, out int charCount, out UdpEndPoint endPoint)
    {
        endPoint = default;
        return Utf8.ToUtf16(utf8Text, buffer, out _, out charCount, replaceInvalidSequences: false) switch
        {
            OperationStatus.Done => ReadText(buffer[..charCount], out endPoint),
            OperationStatus.DestinationTooSmall => TooLong,
            _ => NotUtf8,
        };
    }

    /// <summary>Returns what is wrong with the text, or null when it was read.</summary>
    private static string? ReadText(ReadOnlySpan<char> text, out UdpEndPoint endPoint)
    {
        endPoint = default;
        if (text.IsEmpty)
            return Empty;
        if (text.Length > LongestReadText)
            return TooLong;
        if (char.IsWhiteSpace(text[0]) || char.IsWhiteSpace(text[^1]))
            return Blanks;
        if (text[0] == '[')
            return ReadBracketed(text, out endPoint);
        if (text.Count(':') > 1)
            return ReadIPv6(text, port: 0, out endPoint);

        int colon = text.IndexOf(':');
        int port = 0;
        if (colon >= 0 && !TryReadPort(text[(colon + 1)..], out port))
            return BadPort;
        if (!TryReadIPv4(colon < 0 ? text : text[..colon], out uint address))
            return BadIPv4;
        endPoint = FromIPv4(SwapToNetwork(address), port);
        return null;
    }

    private static string? ReadBracketed(ReadOnlySpan<char> text, out UdpEndPoint endPoint)
    {
        endPoint = default;
        int close = text.LastIndexOf(']');
        if (close < 0)
            return BadBrackets;
        ReadOnlySpan<char> rest = text[(close + 1)..];
        int port = 0;
        if (!rest.IsEmpty)
        {
            if (rest[0] != ':')
                return BadBrackets;
            if (!TryReadPort(rest[1..], out port))
                return BadPort;
        }

        return ReadIPv6(text[1..close], port, out endPoint);
    }

    private static string? ReadIPv6(ReadOnlySpan<char> text, int port, out UdpEndPoint endPoint)
    {
        endPoint = default;
        int percent = text.IndexOf('%');
        if (!TryReadIPv6Address(percent < 0 ? text : text[..percent], out IPAddress? address))
            return BadIPv6;
        if (percent < 0)
        {
            endPoint = new UdpEndPoint(address, port);
            return null;
        }

        if (address.IsIPv4MappedToIPv6)
            return MappedZone;
        if (!TryReadZone(text[(percent + 1)..], out uint scopeId))
            return BadZone;
        address.ScopeId = scopeId;
        endPoint = new UdpEndPoint(address, port);
        return null;
    }

    /// <summary>
    /// IPAddress also reads brackets, prefixes, scopes and octal IPv4 tails; what is refused here never reaches it.
    /// </summary>
    private static bool TryReadIPv6Address(ReadOnlySpan<char> text, [NotNullWhen(true)] out IPAddress? address)
    {
        address = null;
        if (text.Length > LongestIPv6Text || !text.Contains(':') || text.ContainsAnyExcept(_ipv6Chars))
            return false;
        if (text.Contains('.') && !TryReadIPv4(text[(text.LastIndexOf(':') + 1)..], out _))
            return false;
        return IPAddress.TryParse(text, out address);
    }

    /// <summary>Reads dotted decimal, as a number in host order.</summary>
    private static bool TryReadIPv4(ReadOnlySpan<char> text, out uint address)
    {
        address = 0;
        int octets = 0;
        foreach (Range range in text.Split('.'))
        {
            if (++octets > AddressBytesOfIPv4)
                return false;
            if (!TryReadDecimal(text[range], DigitsOfOctet, byte.MaxValue, out uint octet))
                return false;
            address = (address << 8) | octet;
        }

        return octets == AddressBytesOfIPv4;
    }

    private static bool TryReadPort(ReadOnlySpan<char> text, out int port)
    {
        bool read = TryReadDecimal(text, DigitsOfPort, IPEndPoint.MaxPort, out uint value);
        port = (int)value;
        return read;
    }

    /// <summary>ASCII digits only; the framework's own parsers pass over trailing NULs.</summary>
    private static bool TryReadDecimal(ReadOnlySpan<char> text, int longest, uint largest, out uint value)
    {
        value = 0;
        if (text.IsEmpty || text.Length > longest || (text[0] == '0' && text.Length > 1))
            return false;
        ulong sum = 0;
        foreach (char digit in text)
        {
            if (!char.IsAsciiDigit(digit))
                return false;
            sum = (sum * 10) + (uint)(digit - '0');
        }

        if (sum > largest)
            return false;
        value = (uint)sum;
        return true;
    }

    private static bool TryReadZone(ReadOnlySpan<char> zone, out uint scopeId)
    {
        if (TryReadDecimal(zone, DigitsOfScope, uint.MaxValue, out scopeId))
            return true;
        if (zone.IsEmpty || zone.Length > LongestZone || !zone.ContainsAnyExceptInRange('0', '9'))
            return false;
        return OperatingSystem.IsLinux() ? TryAskLinux(zone, out scopeId) : TryFindInterface(zone, out scopeId);
    }

    /// <summary>
    /// One short question to the kernel, and none about what cannot be a name, since the text may be a stranger's.
    /// </summary>
    private static bool TryAskLinux(ReadOnlySpan<char> name, out uint scopeId)
    {
        scopeId = 0;
        Span<byte> zeroEnded = stackalloc byte[If.IFNAMSIZ];
        zeroEnded.Clear();
        if (Encoding.UTF8.GetByteCount(name) >= If.IFNAMSIZ)
            return false;
        Encoding.UTF8.GetBytes(name, zeroEnded);

        // What the kernel refuses in a name (dev_valid_name in net/core/dev.c), and a zero, which would end it.
        foreach (char character in name)
        {
            if (character is '/' or ':' || char.IsWhiteSpace(character) || char.IsControl(character))
                return false;
        }

        scopeId = If.if_nametoindex(zeroEnded);
        return scopeId != 0;
    }

    private static bool TryFindInterface(ReadOnlySpan<char> name, out uint scopeId)
    {
        scopeId = 0;
        try
        {
            foreach (NetworkInterface candidate in NetworkInterface.GetAllNetworkInterfaces())
            {
                if (!name.SequenceEqual(candidate.Name))
                    continue;
                scopeId = (uint)candidate.GetIPProperties().GetIPv6Properties().Index;
                return true;
            }
        }
        catch (Exception fault) when (fault is NetworkInformationException or IOException
            or UnauthorizedAccessException or PlatformNotSupportedException)
        {
            // The host does not say which interfaces it has, or this one has no IPv6: the name means nothing here.
        }

        return false;
    }
}
