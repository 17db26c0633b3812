using System.Diagnostics.CodeAnalysis;

namespace Spate;

public readonly partial struct UdpEndPoint
{
    /// <summary>Reads an endpoint: <c>1.2.3.4:9999</c>, <c>[::1]:9999</c>, <c>[fe80::1%eth0]:53</c>.</summary>
    /// <remarks>
    /// An address alone (<c>1.2.3.4</c>, <c>::1</c>, <c>[::1]</c>) has port 0; an IPv6 address with a port needs the
    /// brackets. A scope is an interface's number or name; a name is looked up among this host's interfaces, on Linux
    /// by one short call and only if it can be a name (15 bytes, not digits alone), elsewhere in milliseconds. Host
    /// names, blanks around the text, short (<c>1.2.3</c>), octal and hexadecimal IPv4 forms, empty ports and leading
    /// zeros are refused. All overloads read the same.
    /// </remarks>
    /// <param name="s">The text.</param>
    /// <returns>The endpoint.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="s"/> is null.</exception>
    /// <exception cref="FormatException">The text is no endpoint; the message says what is wrong with it.</exception>
    public static UdpEndPoint Parse(string s)
    {
        ArgumentNullException.ThrowIfNull(s);
        return Parse(s.AsSpan(), provider: null);
    }

    /// <inheritdoc cref="Parse(string)"/>
    /// <param name="s">The text.</param>
    /// <param name="provider">Not used: the text is the same in every culture.</param>
    public static UdpEndPoint Parse(string s, IFormatProvider? provider) => Parse(s);

    /// <inheritdoc cref="Parse(string)"/>
    /// <param name="s">The text.</param>
    public static UdpEndPoint Parse(ReadOnlySpan<char> s) => Parse(s, provider: null);

    /// <inheritdoc cref="Parse(string)"/>
    /// <param name="s">The text.</param>
    /// <param name="provider">Not used: the text is the same in every culture.</param>
    public static UdpEndPoint Parse(ReadOnlySpan<char> s, IFormatProvider? provider)
    {
        string? fault = ReadText(s, out UdpEndPoint endPoint);
        return fault is null ? endPoint : throw NotAnEndPoint(s, fault);
    }

    /// <inheritdoc cref="Parse(string)"/>
    /// <param name="utf8Text">The text in UTF-8.</param>
    public static UdpEndPoint Parse(ReadOnlySpan<byte> utf8Text) => Parse(utf8Text, provider: null);

    /// <inheritdoc cref="Parse(string)"/>
    /// <param name="utf8Text">The text in UTF-8.</param>
    /// <param name="provider">Not used: the text is the same in every culture.</param>
    public static UdpEndPoint Parse(ReadOnlySpan<byte> utf8Text, IFormatProvider? provider)
    {
        Span<char> buffer = stackalloc char[LongestReadText];
        string? fault = ReadUtf8(utf8Text, buffer, out int charCount, out UdpEndPoint endPoint);
        return fault is null ? endPoint : throw NotAnEndPoint(buffer[..charCount], fault);
    }

    /// <summary>Reads an endpoint as <see cref="Parse(string)"/> does, without an exception.</summary>
    /// <param name="s">The text; may be null.</param>
    /// <param name="result">The endpoint; the default value on failure.</param>
    /// <returns>False if the text is no endpoint.</returns>
    public static bool TryParse([NotNullWhen(true)] string? s, out UdpEndPoint result) =>
        TryParse(s.AsSpan(), provider: null, out result);

    /// <inheritdoc cref="TryParse(string?, out UdpEndPoint)"/>
    /// <param name="s">The text; may be null.</param>
    /// <param name="provider">Not used: the text is the same in every culture.</param>
    /// <param name="result">The endpoint; the default value on failure.</param>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out UdpEndPoint result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <inheritdoc cref="TryParse(string?, out UdpEndPoint)"/>
    /// <param name="s">The text.</param>
    /// <param name="result">The endpoint; the default value on failure.</param>
    public static bool TryParse(ReadOnlySpan<char> s, out UdpEndPoint result) =>
        TryParse(s, provider: null, out result);

    /// <inheritdoc cref="TryParse(string?, out UdpEndPoint)"/>
    /// <param name="s">The text.</param>
    /// <param name="provider">Not used: the text is the same in every culture.</param>
    /// <param name="result">The endpoint; the default value on failure.</param>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out UdpEndPoint result) =>
        ReadText(s, out result) is null;

    /// <inheritdoc cref="TryParse(string?, out UdpEndPoint)"/>
    /// <param name="utf8Text">The text in UTF-8.</param>
    /// <param name="result">The endpoint; the default value on failure.</param>
    public static bool TryParse(ReadOnlySpan<byte> utf8Text, out UdpEndPoint result) =>
        TryParse(utf8Text, provider: null, out result);

    /// <inheritdoc cref="TryParse(string?, out UdpEndPoint)"/>
    /// <param name="utf8Text">The text in UTF-8.</param>
    /// <param name="provider">Not used: the text is the same in every culture.</param>
    /// <param name="result">The endpoint; the default value on failure.</param>
    public static bool TryParse(ReadOnlySpan<byte> utf8Text, IFormatProvider? provider, out UdpEndPoint result)
    {
        Span<char> buffer = stackalloc char[LongestReadText];
        return ReadUtf8(utf8Text, buffer, out _, out result) is null;
    }
}
