namespace Spate.Gateway.Format;

/// <summary>Why the bytes of a message cannot be believed.</summary>
internal enum FormatFault
{
    /// <summary>Nothing is wrong.</summary>
    None = 0,

    /// <summary>It is shorter than the fixed part of a prefix.</summary>
    TooShort,

    /// <summary>It does not begin with SPGW.</summary>
    Magic,

    /// <summary>It has another version than 1.</summary>
    Version,

    /// <summary>It is neither records nor an accounting message.</summary>
    Kind,

    /// <summary>The prefix does not end where it says, or not within the message.</summary>
    PrefixLength,

    /// <summary>The gateway's id is empty, too long or no UTF-8.</summary>
    Id,

    /// <summary>The local end points are none, too many, or of an unknown family.</summary>
    LocalEndPoints,

    /// <summary>The body is longer or shorter than the prefix says.</summary>
    BodyLength,

    /// <summary>A sequence number or a count is too large.</summary>
    Sequence,

    /// <summary>A time is negative, or the last is before the first.</summary>
    Time,

    /// <summary>A record does not end within the body, has unknown flags or names no local end point.</summary>
    Record,

    /// <summary>The records end before the body does.</summary>
    Rest,

    /// <summary>An accounting message has too many ranges, or one that cannot be.</summary>
    AccountingTotals,
}

/// <summary>What is told of a message that cannot be read.</summary>
internal static class FormatFaultText
{
    /// <summary>The fault as a part of a sentence. Nothing of the message itself is in it.</summary>
    public static string Of(FormatFault fault) => fault switch
    {
        FormatFault.None => "nothing is wrong",
        FormatFault.TooShort => "it is shorter than a prefix",
        FormatFault.Magic => "it does not begin with SPGW",
        FormatFault.Version => "its version is not 1: read it with a newer spate",
        FormatFault.Kind => "it is neither records nor an accounting message",
        FormatFault.PrefixLength => "its prefix length is wrong",
        FormatFault.Id => "its gateway id is empty, too long or not UTF-8",
        FormatFault.LocalEndPoints => "its local end points cannot be read",
        FormatFault.BodyLength => "its body length does not match its prefix",
        FormatFault.Sequence => "its sequence number or count is too large",
        FormatFault.Time => "its times are impossible",
        FormatFault.Record => "one of its records cannot be read",
        FormatFault.Rest => "its records end before it does",
        FormatFault.AccountingTotals => "its totals or dropped ranges are impossible",
        _ => $"fault {(int)fault}",
    };
}

/// <summary>The numbers of the message format (docs/gateway/format.md). Little endian throughout.</summary>
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
