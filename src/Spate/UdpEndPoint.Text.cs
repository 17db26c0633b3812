using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Text;

namespace Spate;

public readonly partial struct UdpEndPoint
{
    // The longest text: "[", the address, "]:", 5 digits of port.
    private const int MaxTextChars = UdpAddress.MaxTextChars + 8;
    private const int MaxParsedChars = UdpAddress.MaxParsedChars + 8;

    private const string ExpectedForms =
        "Expected 1.2.3.4:9999, [::1]:9999 or [fe80::1%eth0]:53, or an address alone, which has port 0.";

    private const string BadPort = "a port is a decimal number from 0 to 65535 without leading zeros.";
    private const string BadBrackets = "after '[' come an IPv6 address, ']', and nothing or ':' and a port.";

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

    /// <inheritdoc cref="Parse(string)" path="/*[not(self::param)]"/>
    /// <param name="s">The text.</param>
    public static UdpEndPoint Parse(ReadOnlySpan<char> s)
    {
        string? fault = Read(s, out UdpEndPoint endPoint);
        return fault is null ? endPoint : throw Refusal(s, fault);
    }

    /// <inheritdoc cref="Parse(string)" path="/*[not(self::param)]"/>
    /// <param name="utf8Text">The text in UTF-8.</param>
    public static UdpEndPoint Parse(ReadOnlySpan<byte> utf8Text)
    {
        Span<char> chars = stackalloc char[MaxParsedChars];
        UdpEndPoint endPoint = default;
        string? fault = UdpAddress.Decode(utf8Text, chars, out int charCount) ?? Read(chars[..charCount], out endPoint);
        return fault is null ? endPoint : throw Refusal(chars[..charCount], fault);
    }

    /// <summary>
    /// Parses an endpoint as <see cref="Parse(string)"/> does, but returns false instead of throwing.
    /// </summary>
    /// <param name="s">The text; may be null.</param>
    /// <param name="result">The endpoint; the default value on failure.</param>
    /// <returns>False if the text is not an endpoint.</returns>
    public static bool TryParse([NotNullWhen(true)] string? s, out UdpEndPoint result) =>
        TryParse(s.AsSpan(), out result);

    /// <inheritdoc cref="TryParse(string?, out UdpEndPoint)" path="/*[not(self::param)]"/>
    /// <param name="s">The text.</param>
    /// <param name="result">The endpoint; the default value on failure.</param>
    public static bool TryParse(ReadOnlySpan<char> s, out UdpEndPoint result) => Read(s, out result) is null;

    /// <inheritdoc cref="TryParse(string?, out UdpEndPoint)" path="/*[not(self::param)]"/>
    /// <param name="utf8Text">The text in UTF-8.</param>
    /// <param name="result">The endpoint; the default value on failure.</param>
    public static bool TryParse(ReadOnlySpan<byte> utf8Text, out UdpEndPoint result)
    {
        Span<char> chars = stackalloc char[MaxParsedChars];
        result = default;
        return UdpAddress.Decode(utf8Text, chars, out int charCount) is null
            && Read(chars[..charCount], out result) is null;
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
        if (IsDefault) return Address.Write(text);
        int length = 0;
        if (IsIPv6) text[length++] = '[';
        length += Address.Write(text[length..]);
        if (IsIPv6) text[length++] = ']';
        text[length++] = ':';
        Port.TryFormat(text[length..], out int portChars, provider: CultureInfo.InvariantCulture);
        return length + portChars;
    }

    /// <summary>Reads an endpoint. Returns the fault in the text, or null if the text is an endpoint.</summary>
    private static string? Read(ReadOnlySpan<char> text, out UdpEndPoint endPoint)
    {
        endPoint = default;
        if (UdpAddress.FaultOfLength(text, MaxParsedChars) is { } fault) return fault;

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
        if (!rest.IsEmpty && !UdpAddress.TryReadNumber(rest[1..], IPEndPoint.MaxPort, out port)) return BadPort;
        fault = UdpAddress.Read(text[start..end], isIPv6, out UdpAddress address);
        if (fault is null) endPoint = new UdpEndPoint(address, (int)port);
        return fault;
    }

    private static FormatException Refusal(ReadOnlySpan<char> text, string fault) =>
        UdpAddress.Refusal(text, "endpoint", fault, ExpectedForms);
}
