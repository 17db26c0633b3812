namespace Spate.Gateway.Format;

/// <summary>The numbers of the message format (docs/gateway.md). Little endian throughout.</summary>
internal static class FormatLimits
{
    /// <summary>The content type of every message, with the version of the format.</summary>
    public const string ContentType = "application/vnd.spate.gateway;version=1";

    /// <summary>What the content types of all versions begin with.</summary>
    public const string ContentTypeOfAnyVersion = "application/vnd.spate.gateway";

    public const byte Version = 1;

    public const int MaxIdBytes = 64;
    public const int MaxLocalEndPoints = 64;

    /// <summary>A local end point: family, a zero, the port and an IPv6 address.</summary>
    public const int MaxLocalEndPointBytes = 20;

    /// <summary>The longest prefix that is written. A reader skips what it does not know in longer ones.</summary>
    public const int MaxPrefixBytes =
        PackPrefix.FixedBytes + MaxIdBytes + (MaxLocalEndPoints * MaxLocalEndPointBytes);

    /// <summary>The part of a record before the peer's address.</summary>
    public const int RecordHeaderBytes = 10;

    /// <summary>The shortest record: an empty datagram of an IPv4 peer.</summary>
    public const int MinRecordBytes = RecordHeaderBytes + IPv4Bytes;

    /// <summary>What a record holds beside its payload, at most.</summary>
    public const int MaxRecordOverheadBytes = RecordHeaderBytes + IPv6Bytes + sizeof(uint) + IPv6Bytes;

    public const int MaxPayloadBytes = ushort.MaxValue;
    public const int IPv4Bytes = 4;
    public const int IPv6Bytes = 16;

    /// <summary>The most ranges of dropped datagrams in one accounting message.</summary>
    public const int MaxRanges = 4096;

    /// <summary>Sequence numbers and counts lie below, so that adding two of them cannot overflow.</summary>
    public const ulong MaxSequence = 1UL << 62;
}
