namespace Spate.Segmentation;

/// <summary>
/// The datagrams of one segmented send. Each has <see cref="SegmentBytes"/> bytes, except the last, which may be
/// shorter. A single datagram is a GSO message with one segment.
/// </summary>
internal struct GsoMessage
{
    /// <summary>The destination. The default value means the peer that the sending socket is connected to.</summary>
    public UdpEndPoint Peer;

    /// <summary>The length of the peer's native address; 0 for the default peer.</summary>
    public int PeerBytes;

    /// <summary>
    /// The index, in the send queue, of the <see cref="SendControl"/> that all its datagrams share, or
    /// <see cref="SendRun.NoControl"/>.
    /// </summary>
    public int ControlIndex;

    public int FirstIovec;
    public int LastIovec;
    public int IovecCount;
    public int SegmentBytes;
    public int SegmentCount;
    public int LastBytes;
    public int TotalBytes;
}

/// <summary>A part of a GSO message whose bytes are adjacent in memory: one or more whole datagrams.</summary>
internal struct GsoIovec
{
    public byte[] Buffer;
    public int OffsetBytes;
    public int LengthBytes;

    /// <summary>The index of the GSO message's next iovec, or <see cref="SendPlan.None"/>.</summary>
    public int Next;
}
