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

    private const int ResponseFlag = 0x8000;
    private const int OperationMask = 0x7800;
    private const int AuthoritativeFlag = 0x0400;
    private const int RecursionDesiredFlag = 0x0100;

    private const int NoError = 0;
    private const int FormatError = 1;
    private const int NoSuchName = 3;
    private const int NotImplemented = 4;
    private const int Refused = 5;

    private const int AddressType = 1;
    private const int InternetClass = 1;
    private const int SecondsToLive = 60;

    /// <summary>Answers a query.</summary>
    /// <returns>The length of the answer; 0 for a message that gets none.</returns>
    public static int Answer(
        ReadOnlySpan<byte> query,
        Dictionary<string, IPAddress>.AlternateLookup<ReadOnlySpan<char>> addresses,
        Span<byte> answer)
    {
        if (query.Length < HeaderBytes) return 0;
        int asked = BinaryPrimitives.ReadUInt16BigEndian(query[2..]);

        // Two servers that answer answers would keep each other busy for ever.
        if ((asked & ResponseFlag) != 0) return 0;
        int flags = ResponseFlag | (asked & (OperationMask | RecursionDesiredFlag));
        query[..2].CopyTo(answer);
        answer[2..HeaderBytes].Clear();
        if ((flags & OperationMask) != 0) return Finish(answer, flags, NotImplemented, HeaderBytes);
        if (BinaryPrimitives.ReadUInt16BigEndian(query[4..]) != 1)
        {
            return Finish(answer, flags, FormatError, HeaderBytes);
        }

        Span<char> name = stackalloc char[MaxNameBytes];
        int end = ReadName(query, name, out int nameLength);
        if (end < 0 || end + QuestionEndBytes > query.Length) return Finish(answer, flags, FormatError, HeaderBytes);

        // The question goes back as it came, with the letters of its name in the case that they had.
        int length = end + QuestionEndBytes;
        query[HeaderBytes..length].CopyTo(answer[HeaderBytes..]);
        BinaryPrimitives.WriteUInt16BigEndian(answer[4..], 1);
        if (BinaryPrimitives.ReadUInt16BigEndian(query[(end + 2)..]) != InternetClass)
        {
            return Finish(answer, flags, Refused, length);
        }

        if (!addresses.TryGetValue(name[..nameLength], out IPAddress? address))
        {
            return Finish(answer, flags | AuthoritativeFlag, NoSuchName, length);
        }

        // A name that exists without a record of the type has an empty answer, which is no error.
        if (BinaryPrimitives.ReadUInt16BigEndian(query[end..]) == AddressType)
        {
            BinaryPrimitives.WriteUInt16BigEndian(answer[6..], 1);
            WriteRecord(answer.Slice(length, RecordBytes), address);
            length += RecordBytes;
        }

        return Finish(answer, flags | AuthoritativeFlag, NoError, length);
    }

    private static int Finish(Span<byte> answer, int flags, int code, int length)
    {
        BinaryPrimitives.WriteUInt16BigEndian(answer[2..], (ushort)(flags | code));
        return length;
    }

    private static void WriteRecord(Span<byte> record, IPAddress address)
    {
        BinaryPrimitives.WriteUInt16BigEndian(record, 0xC000 | HeaderBytes);   // the name: that of the question
        BinaryPrimitives.WriteUInt16BigEndian(record[2..], AddressType);
        BinaryPrimitives.WriteUInt16BigEndian(record[4..], InternetClass);
        BinaryPrimitives.WriteInt32BigEndian(record[6..], SecondsToLive);
        BinaryPrimitives.WriteUInt16BigEndian(record[10..], 4);
        _ = address.TryWriteBytes(record[12..], out _);
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
            foreach (byte letter in query.Slice(at, length)) name[nameLength++] = ToNameLetter(letter);
            at += length;
        }

        return -1;
    }

    // A dot inside a label is no border of labels: it becomes a letter that no name of the table has.
    private static char ToNameLetter(byte letter) => letter switch
    {
        >= (byte)'A' and <= (byte)'Z' => (char)(letter | 0x20),
        (byte)'.' => '\0',
        _ => (char)letter,
    };
}
