using System.Buffers.Binary;
using System.Net;

/// <summary>Reads a DNS query of a stranger, and writes the answer (RFC 1035).</summary>
internal static class DnsMessage
{
    public const int MaxAnswerBytes = HeaderBytes + MaxNameBytes + QuestionEndBytes + RecordBytes;

    private const int HeaderBytes = 12;
    private const int MaxNameBytes = 255;
    private const int MaxLabelBytes = 63;
    private const int QuestionEndBytes = 4;
    private const int RecordBytes = 16;

    // Of the third byte of a header; the fourth says how it went.
    private const byte Response = 0x80;
    private const byte OperationMask = 0x78;
    private const byte Authoritative = 0x04;
    private const byte RecursionDesired = 0x01;

    private const byte FormatError = 1;
    private const byte NoSuchName = 3;
    private const byte NotImplemented = 4;

    private const byte AddressType = 1;
    private const byte InternetClass = 1;
    private const byte SecondsToLive = 60;

    /// <summary>Answers a query.</summary>
    /// <returns>The length of the answer; 0 for a message that gets none.</returns>
    public static int Answer(
        ReadOnlySpan<byte> query,
        Dictionary<string, IPAddress>.AlternateLookup<ReadOnlySpan<char>> addresses,
        Span<byte> answer)
    {
        // Two servers that answer answers would keep each other busy for ever.
        if (query.Length < HeaderBytes || (query[2] & Response) != 0) return 0;
        answer[..HeaderBytes].Clear();
        query[..2].CopyTo(answer);   // the id, by which the asker knows the answer
        answer[2] = (byte)(Response | (query[2] & (OperationMask | RecursionDesired)));
        if ((query[2] & OperationMask) != 0) return Finish(answer, NotImplemented, HeaderBytes);

        Span<char> name = stackalloc char[MaxNameBytes];
        int end = ReadName(query, name, out int nameLength);
        int length = end + QuestionEndBytes;
        bool isOneQuestion = BinaryPrimitives.ReadUInt16BigEndian(query[4..]) == 1;
        if (!isOneQuestion || end < 0 || length > query.Length) return Finish(answer, FormatError, HeaderBytes);

        // The question goes back as it came, with the letters of its name in the case that they had.
        query[HeaderBytes..length].CopyTo(answer[HeaderBytes..]);
        answer[5] = 1;
        answer[2] |= Authoritative;
        if (!addresses.TryGetValue(name[..nameLength], out IPAddress? address))
        {
            return Finish(answer, NoSuchName, length);
        }

        // A name that exists without a record of the type and class has an empty answer, which is no error.
        if (!query[end..length].SequenceEqual((ReadOnlySpan<byte>)[0, AddressType, 0, InternetClass])) return length;
        answer[7] = 1;

        // The record's name is a pointer to that of the question; an address of 4 bytes ends it.
        ReadOnlySpan<byte> record =
            [0xC0, HeaderBytes, 0, AddressType, 0, InternetClass, 0, 0, 0, SecondsToLive, 0, 4];
        record.CopyTo(answer[length..]);
        _ = address.TryWriteBytes(answer[(length + record.Length)..], out _);
        return length + RecordBytes;
    }

    private static int Finish(Span<byte> answer, byte code, int length)
    {
        answer[3] = code;
        return length;
    }

    // A name is a row of labels, each with its length before it, and ends with a label of length 0. Lengths above 63
    // are pointers to other names, which a question does not need; following them is where parsers loop for ever.
    private static int ReadName(ReadOnlySpan<byte> query, Span<char> name, out int nameLength)
    {
        nameLength = 0;
        for (int at = HeaderBytes; at < query.Length;)
        {
            int length = query[at++];
            if (length == 0) return at;
            if (length > MaxLabelBytes || at + length > query.Length) return -1;
            if (at + length - HeaderBytes >= MaxNameBytes) return -1;
            if (nameLength > 0) name[nameLength++] = '.';

            // A dot inside a label is no border of labels: it becomes a letter that no name of the table has.
            foreach (byte letter in query.Slice(at, length)) name[nameLength++] = letter == '.' ? '\0' : (char)letter;
            at += length;
        }

        return -1;
    }
}
