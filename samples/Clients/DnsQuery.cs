using System.Buffers.Binary;
using System.Net;
using System.Text;

/// <summary>Writes a DNS query, and reads the answer to it (RFC 1035).</summary>
internal static class DnsQuery
{
    public const int HeaderBytes = 12;

    private const int MaxNameBytes = 255;
    private const int MaxLabelBytes = 63;
    private const int RecordHeaderBytes = 10;

    // Bits of the third and the fourth byte of a header.
    private const byte Response = 0x80;
    private const byte Truncated = 0x02;
    private const byte RecursionDesired = 0x01;
    private const byte CodeMask = 0x0F;

    private const byte NoSuchName = 3;
    private const byte AddressType = 1;
    private const byte InternetClass = 1;

    /// <summary>The question for the IPv4 address of a name, as a query and its answer contain it.</summary>
    /// <exception cref="ArgumentException">DNS has no such name.</exception>
    public static byte[] QuestionOf(string name)
    {
        List<byte> question = [];
        foreach (string label in name.TrimEnd('.').Split('.'))
        {
            if (label.Length is 0 or > MaxLabelBytes || !Ascii.IsValid(label))
            {
                throw new ArgumentException($"'{label}' is not a label of 1 to {MaxLabelBytes} ASCII letters.");
            }

            question.Add((byte)label.Length);
            question.AddRange(Encoding.ASCII.GetBytes(label));
        }

        question.Add(0);
        if (question.Count > MaxNameBytes) throw new ArgumentException($"{name} is too long for a name of DNS.");
        return [.. question, 0, AddressType, 0, InternetClass];
    }

    /// <summary>Writes a query of <see cref="HeaderBytes"/> and the question.</summary>
    public static void Write(ushort id, ReadOnlySpan<byte> question, Span<byte> query)
    {
        query[..HeaderBytes].Clear();
        BinaryPrimitives.WriteUInt16BigEndian(query, id);
        query[2] = RecursionDesired;
        query[5] = 1;
        question.CopyTo(query[HeaderBytes..]);
    }

    /// <summary>Reads the id of a datagram that may be an answer.</summary>
    public static bool TryReadId(ReadOnlySpan<byte> answer, out ushort id)
    {
        id = answer.Length < HeaderBytes ? (ushort)0 : BinaryPrimitives.ReadUInt16BigEndian(answer);
        return answer.Length >= HeaderBytes && (answer[2] & Response) != 0;
    }

    /// <summary>Reads an answer, which must repeat the question and be whole.</summary>
    public static bool TryRead(ReadOnlySpan<byte> answer, ReadOnlySpan<byte> question, out DnsAnswer result)
    {
        result = default;
        if (answer[4] != 0 || answer[5] != 1 || !answer[HeaderBytes..].StartsWith(question)) return false;
        int code = answer[3] & CodeMask;
        if (code != 0 || (answer[2] & Truncated) != 0)
        {
            result = new DnsAnswer(code == NoSuchName ? DnsStatus.NoSuchName : DnsStatus.Failed);
            return true;
        }

        int at = HeaderBytes + question.Length;
        for (int left = BinaryPrimitives.ReadUInt16BigEndian(answer[6..]); left > 0; left--)
        {
            at = SkipName(answer, at);
            if (at < 0 || at + RecordHeaderBytes > answer.Length) return false;
            ReadOnlySpan<byte> header = answer.Slice(at, RecordHeaderBytes);
            int length = BinaryPrimitives.ReadUInt16BigEndian(header[8..]);
            at += RecordHeaderBytes + length;
            if (at > answer.Length) return false;
            if (length != 4 || !header.StartsWith((ReadOnlySpan<byte>)[0, AddressType, 0, InternetClass])) continue;
            result = new DnsAnswer(DnsStatus.Found, new IPAddress(answer.Slice(at - length, length)));
            return true;
        }

        result = new DnsAnswer(DnsStatus.NoAddress);
        return true;
    }

    // The name of a record is skipped, not read, so no pointer in it is followed.
    private static int SkipName(ReadOnlySpan<byte> answer, int at)
    {
        while (at < answer.Length)
        {
            int length = answer[at++];
            if (length == 0) return at;
            if (length >= 0xC0) return at + 1;
            if (length > MaxLabelBytes) return -1;
            at += length;
        }

        return -1;
    }
}

/// <summary>The result for one name.</summary>
internal readonly record struct DnsAnswer(DnsStatus Status, IPAddress? Address = null);

internal enum DnsStatus
{
    /// <summary>No answer came to any try.</summary>
    NoAnswer,
    Found,
    NoAddress,
    NoSuchName,

    /// <summary>The server refused or failed, or its answer does not fit into a datagram.</summary>
    Failed,
}
