namespace Spate.Measurement.Counting;

/// <summary>What a received payload is to the measurement.</summary>
internal enum TestDatagramKind
{
    /// <summary>Not a test datagram: another program's payload, or too short for the header.</summary>
    Other = 0,

    /// <summary>A numbered datagram of a stream.</summary>
    Data = 1,

    /// <summary>The announcement that a stream is over and how many datagrams it had. It is not data.</summary>
    End = 2,

    /// <summary>The announcement of how many datagrams without a header a sender sent. It is not data.</summary>
    Total = 3,

    /// <summary>
    /// The payload begins with the magic of a test datagram, but is neither data nor an announcement of a version known
    /// here, or a field is out of its range: it is control of a test, a newer program sent it, or it was damaged.
    /// </summary>
    Unknown = 4,

    /// <summary>
    /// Data whose checksum is wrong, or missing though it was to be verified. None of its numbers can be trusted.
    /// </summary>
    Corrupted = 5,
}
