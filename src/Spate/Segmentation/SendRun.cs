namespace Spate.Segmentation;

/// <summary>
/// Datagrams to one peer with one control that lie side by side in one buffer: all of <see cref="SegmentBytes"/> but
/// the last, which may have any size, because a reservation may still be trimmed.
/// </summary>
internal struct SendRun
{
    /// <summary>The control index of datagrams that carry none.</summary>
    public const int NoControl = -1;

    /// <summary>Lies below every offset, so no datagram begins at or below this limit.</summary>
    public const int NoLimit = -1;

    public UdpEndPoint Peer;

    /// <summary>The length of the peer's native address; 0 for the default peer.</summary>
    public int PeerBytes;

    /// <summary>Which control the datagrams carry; equal indices mean equal controls.</summary>
    public int ControlIndex;

    public byte[] Buffer;
    public int OffsetBytes;
    public int SegmentBytes;

    /// <summary>0 if no run is open; <see cref="SegmentBytes"/> is 0 then too.</summary>
    public int SegmentCount;

    public int LastBytes;

    /// <summary>
    /// The last offset at which a datagram of <see cref="SegmentBytes"/> may be added by counting it in
    /// <see cref="SegmentCount"/> alone, without a call of <see cref="TryExtend"/>; <see cref="NoLimit"/> if none may.
    /// </summary>
    public int LimitBytes;

    /// <summary>Begins a run of one datagram, which may be empty.</summary>
    public void Start(in UdpEndPoint peer, int controlIndex, byte[] buffer, int offsetBytes, int lengthBytes)
    {
        Peer = peer;
        PeerBytes = peer.NativeLength;
        ControlIndex = controlIndex;

        // Most runs are of one buffer, and writing a reference costs more than comparing it.
        if (Buffer != buffer) Buffer = buffer;
        OffsetBytes = offsetBytes;
        SegmentBytes = lengthBytes;
        SegmentCount = 1;
        LastBytes = lengthBytes;
        LimitBytes = NoLimit;
    }

    /// <summary>
    /// Adds one more datagram to the run if it continues the run: same peer, control and buffer, directly after the
    /// last byte. Nothing follows an empty datagram, nor a datagram whose size differs from those before it.
    /// </summary>
    /// <returns>False if the datagram needs a run of its own.</returns>
    public bool TryExtend(
        in UdpEndPoint peer, int controlIndex, byte[] buffer, int offsetBytes, int lengthBytes)
    {
        if (LastBytes != SegmentBytes
            || SegmentBytes == 0
            || offsetBytes != OffsetBytes + (SegmentCount * SegmentBytes)
            || controlIndex != ControlIndex
            || buffer != Buffer
            || !Peer.Equals(in peer))
        {
            return false;
        }

        SegmentCount++;
        LastBytes = lengthBytes;
        LimitBytes = NoLimit;
        return true;
    }

    /// <summary>Changes the size of the last datagram.</summary>
    public void Trim(int lengthBytes)
    {
        LastBytes = lengthBytes;
        LimitBytes = NoLimit;
        if (SegmentCount == 1) SegmentBytes = lengthBytes;
    }
}
