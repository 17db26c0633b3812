using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Unicode;
using Spate.Escaping;

namespace Spate;

public readonly partial struct UdpEndPoint
{
    // The longest text: "[", 45 characters of address, "%", 10 digits of scope, "]:", 5 digits of port.
    private const int MaxTextChars = 64;
    private const int MaxIPv6Chars = 45;

    // Windows allows interface names of 256 characters (NDIS_IF_MAX_STRING_SIZE), Linux of 15 (IFNAMSIZ).
    private const int MaxZoneChars = 256;
    private const int MaxParsedChars = MaxTextChars + MaxZoneChars;
    private const int MaxQuotedChars = 64;

    private const string ExpectedForms =
        "Expected 1.2.3.4:9999, [::1]:9999 or [fe80::1%eth0]:53, or an address alone, which has port 0.";

    private const string BadIPv4 = "an IPv4 address is four decimal numbers from 0 to 255 without leading zeros.";
    private const string HostName = "host names are not resolved here: get an address of the host by "
        + "Dns.GetHostAddressesAsync first.";

    private const string BadIPv6 = "an IPv6 address is groups of up to four hexadecimal digits, such as 2001:db8::1.";
    private const string BadPort = "a port is a decimal number from 0 to 65535 without leading zeros.";
    private const string BadZone = "the scope after '%' is neither a number below 2^32 nor an interface of this host.";
    private const string MappedZone = "an IPv4-mapped address has no scope.";
    private const string BadBrackets = "after '[' come an IPv6 address, ']', and nothing or ':' and a port.";
    private const string Blanks = "blanks around the text are not allowed.";
    private const string TooLong = "the text is too long.";
    private const string Empty = "the text is empty.";
    private const string NotUtf8 = "the text is not valid UTF-8.";

    private static readonly SearchValues<char> HostNameChars =
        SearchValues.Create("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-.");

    private static readonly SearchValues<char> Ipv6Chars = SearchValues.Create("0123456789abcdefABCDEF:.");

    /// <summary>Parses an endpoint: <c>1.2.3.4:9999</c>, <c>[::1]:9999</c>, <c>[fe80::1%eth0]:53</c>.</summary>
    /// <remarks>
    /// An address alone (<c>1.2.3.4</c>, <c>::1</c>, <c>[::1]</c>) has port 0; an IPv6 address with a port needs the
    /// brackets. A scope is the number of an interface, or the name of an interface of this host. These forms are
    /// refused: host names (<see cref="System.Net.Dns.GetHostAddressesAsync(string)"/> resolves them), blanks around
    /// the text, short (<c>1.2.3</c>), octal and hexadecimal IPv4 forms, empty ports and leading zeros. All overloads
    /// accept the same text.
    /// </remarks>
    /// <param name="s">The text.</param>
    /// <returns>The endpoint.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="s"/> is null.</exception>
    /// <exception cref="FormatException">The text is not an endpoint; the message names the fault.</exception>
    public static UdpEndPoint Parse(string s)
    {
        ArgumentNullException.ThrowIfNull(s);
        return Parse(s.AsSpan());
    }

    /// <inheritdoc cref="Parse(string)"/>
    /// <param name="s">The text.</param>
    public static UdpEndPoint Parse(ReadOnlySpan<char> s)
    {
        string? fault = Read(s, out UdpEndPoint endPoint);
        return fault is null ? endPoint : throw NotAnEndPoint(s, fault);
    }

    /// <inheritdoc cref="Parse(string)"/>
    /// <param name="utf8Text">The text in UTF-8.</param>
    public static UdpEndPoint Parse(ReadOnlySpan<byte> utf8Text)
    {
        Span<char> chars = stackalloc char[MaxParsedChars];
        string? fault = ReadUtf8(utf8Text, chars, out int charCount, out UdpEndPoint endPoint);
        return fault is null ? endPoint : throw NotAnEndPoint(chars[..charCount], fault);
    }

    /// <summary>
    /// Parses an endpoint as <see cref="Parse(string)"/> does, but returns false instead of throwing.
    /// </summary>
    /// <param name="s">The text; may be null.</param>
    /// <param name="result">The endpoint; the default value on failure.</param>
    /// <returns>False if the text is not an endpoint.</returns>
    public static bool TryParse([NotNullWhen(true)] string? s, out UdpEndPoint result) =>
        TryParse(s.AsSpan(), out result);

    /// <inheritdoc cref="TryParse(string?, out UdpEndPoint)"/>
    /// <param name="s">The text.</param>
    /// <param name="result">The endpoint; the default value on failure.</param>
    public static bool TryParse(ReadOnlySpan<char> s, out UdpEndPoint result) => Read(s, out result) is null;

    /// <inheritdoc cref="TryParse(string?, out UdpEndPoint)"/>
    /// <param name="utf8Text">The text in UTF-8.</param>
    /// <param name="result">The endpoint; the default value on failure.</param>
    public static bool TryParse(ReadOnlySpan<byte> utf8Text, out UdpEndPoint result)
    {
        Span<char> chars = stackalloc char[MaxParsedChars];
        return ReadUtf8(utf8Text, chars, out _, out result) is null;
    }

    /// <summary>
    /// The endpoint as text that <see cref="Parse(string)"/> reads: <c>1.2.3.4:9999</c>, <c>[::1]:9999</c>,
    /// <c>[fe80::1%3]:53</c>. <see cref="IPAddress"/> writes the address; the scope is a number. The default value is
    /// <c>none</c>, which cannot be parsed.
    /// </summary>
    /// <returns>The text.</returns>
    public override string ToString()
    {
        Span<char> text = stackalloc char[MaxTextChars];
        return new string(text[..Write(text)]);
    }

    /// <summary>
    /// Writes the text of <see cref="ToString()"/>. Allocates an <see cref="IPAddress"/>, unless this is the default
    /// value.
    /// </summary>
    /// <param name="destination">The buffer for the text; 64 characters are always enough.</param>
    /// <param name="charsWritten">The number of characters written; 0 if the destination is too small.</param>
    /// <returns>False if the destination is too small; the destination is then unchanged.</returns>
    public bool TryFormat(Span<char> destination, out int charsWritten)
    {
        Span<char> text = stackalloc char[MaxTextChars];
        int length = Write(text);
        charsWritten = text[..length].TryCopyTo(destination) ? length : 0;
        return charsWritten != 0;
    }

    /// <summary>
    /// Writes the text of <see cref="ToString()"/> in UTF-8. Allocates an <see cref="IPAddress"/>, unless this is the
    /// default value.
    /// </summary>
    /// <param name="utf8Destination">The buffer for the text; 64 bytes are always enough.</param>
    /// <param name="bytesWritten">The number of bytes written; 0 if the destination is too small.</param>
    /// <returns>False if the destination is too small; the destination is then unchanged.</returns>
    public bool TryFormat(Span<byte> utf8Destination, out int bytesWritten)
    {
        bytesWritten = 0;
        Span<char> text = stackalloc char[MaxTextChars];
        int length = Write(text);
        return length <= utf8Destination.Length
            && Ascii.FromUtf16(text[..length], utf8Destination, out bytesWritten) == OperationStatus.Done;
    }

    static UdpEndPoint IParsable<UdpEndPoint>.Parse(string s, IFormatProvider? provider) => Parse(s);

    static bool IParsable<UdpEndPoint>.TryParse(
        [NotNullWhen(true)] string? s, IFormatProvider? provider, out UdpEndPoint result) => TryParse(s, out result);

    static UdpEndPoint ISpanParsable<UdpEndPoint>.Parse(ReadOnlySpan<char> s, IFormatProvider? provider) => Parse(s);

    static bool ISpanParsable<UdpEndPoint>.TryParse(
        ReadOnlySpan<char> s, IFormatProvider? provider, out UdpEndPoint result) => TryParse(s, out result);

    static UdpEndPoint IUtf8SpanParsable<UdpEndPoint>.Parse(ReadOnlySpan<byte> utf8Text, IFormatProvider? provider) =>
        Parse(utf8Text);

    static bool IUtf8SpanParsable<UdpEndPoint>.TryParse(
        ReadOnlySpan<byte> utf8Text, IFormatProvider? provider, out UdpEndPoint result) =>
        TryParse(utf8Text, out result);

    string IFormattable.ToString(string? format, IFormatProvider? formatProvider) => ToString();

    bool ISpanFormattable.TryFormat(
        Span<char> destination, out int charsWritten, ReadOnlySpan<char> format, IFormatProvider? provider) =>
        TryFormat(destination, out charsWritten);

    bool IUtf8SpanFormattable.TryFormat(
        Span<byte> utf8Destination, out int bytesWritten, ReadOnlySpan<char> format, IFormatProvider? provider) =>
        TryFormat(utf8Destination, out bytesWritten);

    /// <summary>Writes the text into a span of <see cref="MaxTextChars"/> characters and returns its length.</summary>
    private int Write(Span<char> text)
    {
        CultureInfo culture = CultureInfo.InvariantCulture;
        _ = IsDefault ? text.TryWrite(culture, $"none", out int length)
            : IsIPv4 ? text.TryWrite(culture, $"{Address}:{Port}", out length)
            : text.TryWrite(culture, $"[{Address}]:{Port}", out length);
        return length;
    }

    /// <summary>
    /// Reads an endpoint from UTF-8 and returns the fault, or null. <paramref name="chars"/> gets the decoded part of
    /// the text, which the exception's message quotes.
    /// </summary>
    private static string? ReadUtf8(
        ReadOnlySpan<byte> utf8Text, Span<char> chars, out int charCount, out UdpEndPoint endPoint)
    {
        endPoint = default;
        return Utf8.ToUtf16(utf8Text, chars, out _, out charCount, replaceInvalidSequences: false) switch
        {
            OperationStatus.Done => Read(chars[..charCount], out endPoint),
            OperationStatus.DestinationTooSmall => TooLong,
            _ => NotUtf8,
        };
    }

    /// <summary>Reads an endpoint. Returns the fault in the text, or null if the text is an endpoint.</summary>
    private static string? Read(ReadOnlySpan<char> text, out UdpEndPoint endPoint)
    {
        endPoint = default;
        if (text.IsEmpty) return Empty;
        if (text.Length > MaxParsedChars) return TooLong;
        if (char.IsWhiteSpace(text[0]) || char.IsWhiteSpace(text[^1])) return Blanks;

        bool isIPv6 = text[0] == '[' || text.Count(':') > 1;
        int start = 0;
        int end = text.Length;
        if (text[0] == '[')
        {
            start = 1;
            end = text.LastIndexOf(']');
            if (end < 0) return BadBrackets;
        }
        else if (!isIPv6 && text.Contains(':'))
        {
            end = text.IndexOf(':');
        }

        ReadOnlySpan<char> rest = text[(end + start)..];
        if (!rest.IsEmpty && rest[0] != ':') return BadBrackets;
        uint port = 0;
        if (!rest.IsEmpty && !TryReadNumber(rest[1..], IPEndPoint.MaxPort, out port)) return BadPort;
        string? fault = isIPv6
            ? ReadIPv6(text[start..end], out IPAddress? address)
            : ReadIPv4(text[start..end], out address);
        if (fault is null) endPoint = new UdpEndPoint(address!, (int)port);
        return fault;
    }

    /// <summary>
    /// Reads an IPv4 address and returns the fault, or null. Accepts only the text that <see cref="IPAddress"/> would
    /// write for the address, because <see cref="IPAddress"/> also reads short, octal and hexadecimal forms, and
    /// ignores trailing NULs.
    /// </summary>
    private static string? ReadIPv4(ReadOnlySpan<char> text, out IPAddress? address)
    {
        Span<char> normalForm = stackalloc char[MaxIPv6Chars];
        return IPAddress.TryParse(text, out address)
            && address.AddressFamily == AddressFamily.InterNetwork
            && address.TryFormat(normalForm, out int length)
            && text.SequenceEqual(normalForm[..length]) ? null
            : LooksLikeHostName(text) ? HostName
            : BadIPv4;
    }

    // Whether a wrong IPv4 address is probably a host name. Host names have letters, digits, hyphens and dots, and
    // their top level is not all digits (RFC 1123, 2.1). Text that begins with 0x counts as a number.
    private static bool LooksLikeHostName(ReadOnlySpan<char> text) =>
        !text.IsEmpty && char.IsAsciiLetter(text[^1]) && !text.ContainsAnyExcept(HostNameChars)
        && !text.StartsWith("0x", StringComparison.OrdinalIgnoreCase);

    /// <summary>
    /// Reads an IPv6 address and returns the fault, or null. Refuses brackets, prefixes, octal IPv4 tails and unknown
    /// scopes, which <see cref="IPAddress"/> would accept.
    /// </summary>
    private static string? ReadIPv6(ReadOnlySpan<char> text, out IPAddress? address)
    {
        address = null;
        int percent = text.IndexOf('%');
        ReadOnlySpan<char> digits = percent < 0 ? text : text[..percent];
        if (digits.Length > MaxIPv6Chars || !digits.Contains(':') || digits.ContainsAnyExcept(Ipv6Chars))
        {
            return BadIPv6;
        }
        if (digits.Contains('.') && ReadIPv4(digits[(digits.LastIndexOf(':') + 1)..], out _) is not null)
        {
            return BadIPv6;
        }

        ReadOnlySpan<char> zone = text[(percent + 1)..];
        bool isNumber = percent < 0 || TryReadNumber(zone, uint.MaxValue, out _);
        if (!isNumber && !CanBeInterfaceName(zone)) return BadZone;
        if (!IPAddress.TryParse(text, out address)) return BadIPv6;
        if (percent >= 0 && address.IsIPv4MappedToIPv6) return MappedZone;

        // IPAddress asks the system for the number of the interface, and uses 0 if no interface has that name.
        return isNumber || address.ScopeId != 0 ? null : BadZone;
    }

    /// <summary>
    /// Whether the text can be the name of an interface. Refuses names that <see cref="IPAddress"/> or the system would
    /// misread: <see cref="IPAddress"/> reads digits alone as a number, and a bracket or a slash as the end of the
    /// address. The system reads a NUL as the end of the name.
    /// </summary>
    private static bool CanBeInterfaceName(ReadOnlySpan<char> zone) =>
        zone.Length is > 0 and <= MaxZoneChars && zone.ContainsAnyExceptInRange('0', '9') && !zone.ContainsAny("\0]/%");

    /// <summary>
    /// Reads a number of ASCII digits without leading zeros. The characters are checked first, because the framework's
    /// parsers ignore trailing NULs.
    /// </summary>
    private static bool TryReadNumber(ReadOnlySpan<char> text, uint maxValue, out uint value)
    {
        value = 0;
        return !text.IsEmpty && !text.ContainsAnyExceptInRange('0', '9') && (text.Length == 1 || text[0] != '0')
            && uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value) && value <= maxValue;
    }

    /// <summary>
    /// Makes the exception for a text that is not an endpoint. The text may be untrusted, so it is shortened, and
    /// everything except printable ASCII is escaped.
    /// </summary>
    private static FormatException NotAnEndPoint(ReadOnlySpan<char> text, string fault)
    {
        StringBuilder message = new StringBuilder("'").AppendForeign(text, MaxQuotedChars, quote: '\'');
        return new FormatException(message.Append($"' is not a UDP endpoint: {fault} {ExpectedForms}").ToString());
    }
}
