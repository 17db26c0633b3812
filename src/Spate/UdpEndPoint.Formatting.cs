using System.Buffers.Text;
using System.Text;

namespace Spate;

public readonly partial struct UdpEndPoint
{
    // "[" 39 characters of address "%" 10 digits of scope "]:" 5 digits of port.
    private const int LongestText = 58;
    private const int GroupsOfIPv6 = 8;
    private const int BitsPerGroup = 16;

    private static ReadOnlySpan<byte> TextOfDefault => "none"u8;

    /// <summary>
    /// The endpoint as text that <see cref="Parse(string)"/> reads: <c>1.2.3.4:9999</c>, <c>[::1]:9999</c>,
    /// <c>[fe80::1%3]:53</c>. IPv6 is written as RFC 5952 says, in hexadecimal throughout; the scope is a number.
    /// The default value is <c>none</c>, which cannot be read back.
    /// </summary>
    /// <returns>The text.</returns>
    public override string ToString()
    {
        Span<byte> text = stackalloc byte[LongestText];
        return Encoding.ASCII.GetString(text[..WriteText(text)]);
    }

    /// <inheritdoc cref="ToString()"/>
    /// <param name="format">Not used: there is one format.</param>
    /// <param name="formatProvider">Not used: the text is the same in every culture.</param>
    public string ToString(string? format, IFormatProvider? formatProvider) => ToString();

    /// <summary>Writes the text of <see cref="ToString()"/> without allocating.</summary>
    /// <param name="destination">Where the text goes; 58 characters are always enough.</param>
    /// <param name="charsWritten">The characters written; 0 when the destination is too small.</param>
    /// <returns>False if the destination is too small; it is then left as it was.</returns>
    public bool TryFormat(Span<char> destination, out int charsWritten) =>
        TryFormat(destination, out charsWritten, format: default, provider: null);

    /// <inheritdoc cref="TryFormat(Span{char}, out int)"/>
    /// <param name="destination">Where the text goes; 58 characters are always enough.</param>
    /// <param name="charsWritten">The characters written; 0 when the destination is too small.</param>
    /// <param name="format">Not used: there is one format.</param>
    /// <param name="provider">Not used: the text is the same in every culture.</param>
    public bool TryFormat(
        Span<char> destination,
        out int charsWritten,
        ReadOnlySpan<char> format,
        IFormatProvider? provider)
    {
        charsWritten = 0;
        Span<byte> text = stackalloc byte[LongestText];
        int length = WriteText(text);
        if (destination.Length < length)
            return false;
        _ = Ascii.ToUtf16(text[..length], destination, out charsWritten);
        return true;
    }

    /// <summary>Writes the text of <see cref="ToString()"/> in UTF-8 without allocating.</summary>
    /// <param name="utf8Destination">Where the text goes; 58 bytes are always enough.</param>
    /// <param name="bytesWritten">The bytes written; 0 when the destination is too small.</param>
    /// <returns>False if the destination is too small; it is then left as it was.</returns>
    public bool TryFormat(Span<byte> utf8Destination, out int bytesWritten) =>
        TryFormat(utf8Destination, out bytesWritten, format: default, provider: null);

    /// <inheritdoc cref="TryFormat(Span{byte}, out int)"/>
    /// <param name="utf8Destination">Where the text goes; 58 bytes are always enough.</param>
    /// <param name="bytesWritten">The bytes written; 0 when the destination is too small.</param>
    /// <param name="format">Not used: there is one format.</param>
    /// <param name="provider">Not used: the text is the same in every culture.</param>
    public bool TryFormat(
        Span<byte> utf8Destination,
        out int bytesWritten,
        ReadOnlySpan<char> format,
        IFormatProvider? provider)
    {
        bytesWritten = 0;
        Span<byte> text = stackalloc byte[LongestText];
        int length = WriteText(text);
        if (!text[..length].TryCopyTo(utf8Destination))
            return false;
        bytesWritten = length;
        return true;
    }

    /// <summary>Writes the ASCII text and returns its length; the destination has room for the longest.</summary>
    private int WriteText(Span<byte> destination)
    {
        if (IsDefault)
        {
            TextOfDefault.CopyTo(destination);
            return TextOfDefault.Length;
        }

        int length = 0;
        if (IsIPv4)
        {
            WriteIPv4(destination, ref length);
        }
        else
        {
            destination[length++] = (byte)'[';
            WriteIPv6(destination, ref length);
            if (ScopeId != 0)
            {
                destination[length++] = (byte)'%';
                WriteNumber(ScopeId, default, destination, ref length);
            }

            destination[length++] = (byte)']';
        }

        destination[length++] = (byte)':';
        WriteNumber((uint)Port, default, destination, ref length);
        return length;
    }

    private void WriteIPv4(Span<byte> destination, ref int length)
    {
        uint address = SwapToNetwork(_networkIPv4);
        for (int shift = 24; shift >= 0; shift -= 8)
        {
            WriteNumber((byte)(address >> shift), default, destination, ref length);
            if (shift != 0)
                destination[length++] = (byte)'.';
        }
    }

    /// <summary>RFC 5952, section 4: lower case, no leading zeros, "::" for the first longest run of zeros.</summary>
    private void WriteIPv6(Span<byte> destination, ref int length)
    {
        (int runStart, int runLength) = LongestRunOfZeroGroups();
        for (int group = 0; group < GroupsOfIPv6; group++)
        {
            if (group == runStart)
            {
                destination[length++] = (byte)':';
                destination[length++] = (byte)':';
                group += runLength - 1;
                continue;
            }

            if (group != 0 && group != runStart + runLength)
                destination[length++] = (byte)':';
            WriteNumber(GroupAt(group), 'x', destination, ref length);
        }
    }

    private (int Start, int Length) LongestRunOfZeroGroups()
    {
        // 4.2.2: a single group of zeros is not shortened, so the first run to be longer than one wins.
        (int Start, int Length) longest = (-1, 1);
        int runLength = 0;
        for (int group = 0; group < GroupsOfIPv6; group++)
        {
            runLength = GroupAt(group) == 0 ? runLength + 1 : 0;
            if (runLength > longest.Length)
                longest = (group - runLength + 1, runLength);
        }

        return longest.Start < 0 ? (-1, 0) : longest;
    }

    private uint GroupAt(int group)
    {
        ulong half = SwapToNetwork(group < GroupsOfIPv6 / 2 ? _networkIPv6First : _networkIPv6Last);
        int groupsBelow = (GroupsOfIPv6 / 2) - 1 - (group % (GroupsOfIPv6 / 2));
        return (ushort)(half >> (groupsBelow * BitsPerGroup));
    }

    private static void WriteNumber(uint value, char format, Span<byte> destination, ref int length)
    {
        _ = Utf8Formatter.TryFormat(
            value, destination[length..], out int bytesWritten, format == default ? default : new(format));
        length += bytesWritten;
    }
}
