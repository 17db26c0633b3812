namespace Spate.Trains;

/// <summary>
/// Datagrams to one peer with one control that lie side by side in one buffer: all of
/// <see cref="SegmentBytes"/> but the last, which may be shorter.
/// </summary>
internal struct SendRun
{
    /// <summary>The control index of datagrams that carry none.</summary>
    public const int NoControl = -1;

    /// <summary>The index of the batch's own buffer; higher ones are foreign.</summary>
    public const int OwnBuffer = 0;

    public UdpEndPoint Peer;

    /// <summary>Which control the datagrams carry; equal indices mean equal controls.</summary>
    public int ControlIndex;

    public int BufferIndex;

    public int OffsetBytes;

    public int SegmentBytes;

    public int SegmentCount;

    /// <summary>The size of the last segment; at most <see cref="SegmentBytes"/>.</summary>
    public int LastBytes;

    /// <summary>A run of one datagram, which may be empty.</summary>
    public SendRun(in UdpEndPoint peer, int controlIndex, int bufferIndex, int offsetBytes, int lengthBytes)
    {
        Peer = peer;
        ControlIndex = controlIndex;
        BufferIndex = bufferIndex;
        OffsetBytes = offsetBytes;
        SegmentBytes = lengthBytes;
        SegmentCount = 1;
        LastBytes = lengthBytes;
    }

    public readonly int TotalBytes => ((SegmentCount - 1) * SegmentBytes) + LastBytes;

    public readonly int EndBytes => OffsetBytes + TotalBytes;

    /// <summary>
    /// Takes one more datagram into the run if it continues it: same peer, control and buffer, right behind the
    /// last byte, no larger than a segment and not empty. Nothing follows a shorter segment.
    /// </summary>
    /// <returns>False if the datagram needs a run of its own.</returns>
    public bool TryExtend(
        in UdpEndPoint peer, int controlIndex, int bufferIndex, int offsetBytes, int lengthBytes)
    {
        // One unsigned comparison refuses empty and negative lengths, larger ones, and anything after an empty run.
        if (LastBytes != SegmentBytes
            || (uint)(lengthBytes - 1) >= (uint)SegmentBytes
            || offsetBytes != OffsetBytes + (SegmentCount * SegmentBytes)
            || controlIndex != ControlIndex
            || bufferIndex != BufferIndex
            || !Peer.Equals(in peer))
        {
            return false;
        }

        SegmentCount++;
        LastBytes = lengthBytes;
        return true;
    }
}
