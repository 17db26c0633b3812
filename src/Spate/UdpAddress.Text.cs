using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Unicode;
using Spate.Escaping;

namespace Spate;

public readonly partial struct UdpAddress
{
    /// <summary>The longest text: 45 characters of address, "%", 10 digits of scope.</summary>
    internal const int MaxTextChars = 56;

    // Windows allows interface names of 256 characters (NDIS_IF_MAX_STRING_SIZE), Linux of 15 (IFNAMSIZ).
    private const int MaxZoneChars = 256;

    /// <summary>The longest text that is read: in place of the digits, a name may be the scope.</summary>
    internal const int MaxParsedChars = MaxTextChars + MaxZoneChars;

    private const int MaxIPv6Chars = 45;
    private const int MaxQuotedChars = 64;

    private const string ExpectedForms = "Expected 1.2.3.4, ::1 or fe80::1%eth0.";
    private const string BadIPv4 = "an IPv4 address is four decimal numbers from 0 to 255 without leading zeros.";
    private const string HostName = "host names are not resolved here: get an address of the host by "
        + "Dns.GetHostAddressesAsync first.";

    private const string BadIPv6 = "an IPv6 address is groups of up to four hexadecimal digits, such as 2001:db8::1.";
    private const string BadZone = "the scope after '%' is neither a number below 2^32 nor an interface of this host.";
    private const string WithPort = "an address has no port and no brackets; an endpoint may have them.";
    private const string MappedZone = "an IPv4-mapped address has no scope.";
    private const string Blanks = "blanks around the text are not allowed.";
    private const string TooLong = "the text is too long.";
    private const string Empty = "the text is empty.";
    private const string NotUtf8 = "the text is not valid UTF-8.";

    private static readonly SearchValues<char> HostNameChars =
        SearchValues.Create("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-.");

    private static readonly SearchValues<char> Ipv6Chars = SearchValues.Create("0123456789abcdefABCDEF:.");

    /// <summary>Parses an address: <c>1.2.3.4</c>, <c>::1</c>, <c>fe80::1%eth0</c>.</summary>
    /// <remarks>
    /// A scope is the number of an interface, or the name of an interface of this host. These forms are refused: ports
    /// and brackets (<see cref="UdpEndPoint.Parse(string)"/> reads them), host names
    /// (<see cref="System.Net.Dns.GetHostAddressesAsync(string)"/> resolves them), blanks around the text, and short
    /// (<c>1.2.3</c>), octal and hexadecimal IPv4 forms. All overloads accept the same text.
    /// </remarks>
    /// <param name="s">The text.</param>
    /// <returns>The address.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="s"/> is null.</exception>
    /// <exception cref="FormatException">The text is not an address; the message names the fault.</exception>
    public static UdpAddress Parse(string s)
    {
        ArgumentNullException.ThrowIfNull(s);
        return Parse(s.AsSpan());
    }

    /// <inheritdoc cref="Parse(string)" path="/*[not(self::param)]"/>
    /// <param name="s">The text.</param>
    public static UdpAddress Parse(ReadOnlySpan<char> s)
    {
        string? fault = Read(s, out UdpAddress address);
        return fault is null ? address : throw Refusal(s, "address", fault, ExpectedForms);
    }

    /// <inheritdoc cref="Parse(string)" path="/*[not(self::param)]"/>
    /// <param name="utf8Text">The text in UTF-8.</param>
    public static UdpAddress Parse(ReadOnlySpan<byte> utf8Text)
    {
        Span<char> chars = stackalloc char[MaxParsedChars];
        UdpAddress address = default;
        string? fault = Decode(utf8Text, chars, out int charCount) ?? Read(chars[..charCount], out address);
        return fault is null ? address : throw Refusal(chars[..charCount], "address", fault, ExpectedForms);
    }

    /// <summary>
    /// Parses an address as <see cref="Parse(string)"/> does, but returns false instead of throwing.
    /// </summary>
    /// <param name="s">The text; may be null.</param>
    /// <param name="result">The address; the default value on failure.</param>
    /// <returns>False if the text is not an address.</returns>
    public static bool TryParse([NotNullWhen(true)] string? s, out UdpAddress result) =>
        TryParse(s.AsSpan(), out result);

    /// <inheritdoc cref="TryParse(string?, out UdpAddress)" path="/*[not(self::param)]"/>
    /// <param name="s">The text.</param>
    /// <param name="result">The address; the default value on failure.</param>
    public static bool TryParse(ReadOnlySpan<char> s, out UdpAddress result) => Read(s, out result) is null;

    /// <inheritdoc cref="TryParse(string?, out UdpAddress)" path="/*[not(self::param)]"/>
    /// <param name="utf8Text">The text in UTF-8.</param>
    /// <param name="result">The address; the default value on failure.</param>
    public static bool TryParse(ReadOnlySpan<byte> utf8Text, out UdpAddress result)
    {
        Span<char> chars = stackalloc char[MaxParsedChars];
        result = default;
        return Decode(utf8Text, chars, out int charCount) is null && Read(chars[..charCount], out result) is null;
    }

    /// <summary>
    /// The address as text that <see cref="Parse(string)"/> reads: <c>1.2.3.4</c>, <c>::1</c>, <c>fe80::1%3</c>.
    /// <see cref="IPAddress"/> writes the text; the scope is a number. The default value is <c>none</c>, which cannot
    /// be parsed.
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
    /// <param name="destination">The buffer for the text; 56 characters are always enough.</param>
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
    /// <param name="utf8Destination">The buffer for the text; 56 bytes are always enough.</param>
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

    static UdpAddress IParsable<UdpAddress>.Parse(string s, IFormatProvider? provider) => Parse(s);

    static bool IParsable<UdpAddress>.TryParse(
        [NotNullWhen(true)] string? s, IFormatProvider? provider, out UdpAddress result) => TryParse(s, out result);

    static UdpAddress ISpanParsable<UdpAddress>.Parse(ReadOnlySpan<char> s, IFormatProvider? provider) => Parse(s);

    static bool ISpanParsable<UdpAddress>.TryParse(
        ReadOnlySpan<char> s, IFormatProvider? provider, out UdpAddress result) => TryParse(s, out result);

    static UdpAddress IUtf8SpanParsable<UdpAddress>.Parse(ReadOnlySpan<byte> utf8Text, IFormatProvider? provider) =>
        Parse(utf8Text);

    static bool IUtf8SpanParsable<UdpAddress>.TryParse(
        ReadOnlySpan<byte> utf8Text, IFormatProvider? provider, out UdpAddress result) =>
        TryParse(utf8Text, out result);

    string IFormattable.ToString(string? format, IFormatProvider? formatProvider) => ToString();

    bool ISpanFormattable.TryFormat(
        Span<char> destination, out int charsWritten, ReadOnlySpan<char> format, IFormatProvider? provider) =>
        TryFormat(destination, out charsWritten);

    bool IUtf8SpanFormattable.TryFormat(
        Span<byte> utf8Destination, out int bytesWritten, ReadOnlySpan<char> format, IFormatProvider? provider) =>
        TryFormat(utf8Destination, out bytesWritten);

    /// <summary>
    /// Decodes UTF-8 and returns the fault, or null. <paramref name="chars"/> gets the decoded part of the text, which
    /// the exception's message quotes.
    /// </summary>
    internal static string? Decode(ReadOnlySpan<byte> utf8Text, Span<char> chars, out int charCount) =>
        Utf8.ToUtf16(utf8Text, chars, out _, out charCount, replaceInvalidSequences: false) switch
        {
            OperationStatus.Done => null,
            OperationStatus.DestinationTooSmall => TooLong,
            _ => NotUtf8,
        };

    /// <summary>Returns the fault of a text that is empty, too long, or between blanks; otherwise null.</summary>
    internal static string? FaultOfLength(ReadOnlySpan<char> text, int maxChars) =>
        text.IsEmpty ? Empty
        : text.Length > maxChars ? TooLong
        : char.IsWhiteSpace(text[0]) || char.IsWhiteSpace(text[^1]) ? Blanks
        : null;

    /// <summary>Reads an address of one family. Returns the fault in the text, or null.</summary>
    internal static string? Read(ReadOnlySpan<char> text, bool isIPv6, out UdpAddress result)
    {
        string? fault = isIPv6 ? ReadIPv6(text, out IPAddress? address) : ReadIPv4(text, out address);
        result = fault is null ? FromIPAddress(address!) : default;
        return fault;
    }

    /// <summary>
    /// Makes the exception for a text that is not of this kind. The text may be untrusted, so it is shortened, and
    /// everything except printable ASCII is escaped.
    /// </summary>
    internal static FormatException Refusal(ReadOnlySpan<char> text, string kind, string fault, string expected)
    {
        StringBuilder message = new StringBuilder("'").AppendForeign(text, MaxQuotedChars, quote: '\'');
        return new FormatException(message.Append($"' is not a UDP {kind}: {fault} {expected}").ToString());
    }

    /// <summary>Writes the text into a span of <see cref="MaxTextChars"/> characters and returns its length.</summary>
    internal int Write(Span<char> text)
    {
        if (!IsDefault && ToIPAddress().TryFormat(text, out int length)) return length;
        "none".CopyTo(text);
        return "none".Length;
    }

    private static string? Read(ReadOnlySpan<char> text, out UdpAddress result)
    {
        result = default;
        if (FaultOfLength(text, MaxParsedChars) is { } fault) return fault;
        int colons = text.Count(':');
        return colons == 1 || text[0] == '[' ? WithPort : Read(text, isIPv6: colons > 0, out result);
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
    internal static bool TryReadNumber(ReadOnlySpan<char> text, uint maxValue, out uint value)
    {
        value = 0;
        return !text.IsEmpty && !text.ContainsAnyExceptInRange('0', '9') && (text.Length == 1 || text[0] != '0')
            && uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value) && value <= maxValue;
    }
}
