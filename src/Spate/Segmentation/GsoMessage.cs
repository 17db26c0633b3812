namespace Spate.Segmentation;

/// <summary>
/// The datagrams of one segmented send: all of <see cref="SegmentBytes"/> but the last, which may be shorter. A single
/// datagram is a GSO message of one.
/// </summary>
internal struct GsoMessage
{
    /// <summary>The default value stands for the peer that the sending socket is connected to.</summary>
    public UdpEndPoint Peer;

    /// <summary>The length of the peer's native address; 0 for the default peer.</summary>
    public int PeerBytes;

    /// <summary>Which control the datagrams carry, or <see cref="SendRun.NoControl"/>.</summary>
    public int ControlIndex;

    public int FirstIovec;
    public int LastIovec;
    public int IovecCount;
    public int SegmentBytes;
    public int SegmentCount;
    public int LastBytes;
    public int TotalBytes;
}

/// <summary>Bytes of a GSO message that lie side by side: whole datagrams.</summary>
internal struct GsoIovec
{
    public byte[] Buffer;
    public int OffsetBytes;
    public int LengthBytes;

    /// <summary>The GSO message's next iovec, or <see cref="SendPlan.None"/>.</summary>
    public int Next;
}
