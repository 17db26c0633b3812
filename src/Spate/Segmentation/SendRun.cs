using System.Diagnostics;

namespace Spate.Segmentation;

/// <summary>
/// A run: adjacent datagrams in one buffer, to one peer and with the same send options (control). Each datagram has
/// <see cref="SegmentBytes"/> bytes, except the last, which may have any size, because a reservation may still be
/// trimmed.
/// </summary>
internal struct SendRun
{
    /// <summary>The <see cref="ControlIndex"/> of datagrams without send options.</summary>
    public const int NoControl = -1;

    /// <summary>A <see cref="LimitBytes"/> below every offset: no datagram may be added only by counting it.</summary>
    public const int NoLimit = -1;

    public UdpEndPoint Peer;

    /// <summary>The length of the peer's native address; 0 for the default peer.</summary>
    public int PeerBytes;

    /// <summary>
    /// The index, in the send queue, of the <see cref="SendControl"/> that the datagrams share. Equal indices mean
    /// equal controls.
    /// </summary>
    public int ControlIndex;

    public byte[] Buffer;
    public int OffsetBytes;
    public int SegmentBytes;

    /// <summary>The number of datagrams. If no run is open, it is 0, and <see cref="SegmentBytes"/> is 0 too.</summary>
    public int SegmentCount;

    public int LastBytes;

    /// <summary>
    /// The highest offset at which a datagram of <see cref="SegmentBytes"/> may be added only by counting it in
    /// <see cref="SegmentCount"/>, without a call of <see cref="TryExtend"/>. <see cref="NoLimit"/> if no datagram may
    /// be added that way.
    /// </summary>
    public int LimitBytes;

    /// <summary>Begins a run of one datagram, which may be empty.</summary>
    public void Start(in UdpEndPoint peer, int controlIndex, byte[] buffer, int offsetBytes, int lengthBytes)
    {
        Peer = peer;
        PeerBytes = peer.NativeLength;
        ControlIndex = controlIndex;

        // The buffer is usually the same as in the previous run, and writing a reference costs more than comparing it.
        if (Buffer != buffer) Buffer = buffer;
        OffsetBytes = offsetBytes;
        SegmentBytes = lengthBytes;
        SegmentCount = 1;
        LastBytes = lengthBytes;
        LimitBytes = NoLimit;
    }

    /// <summary>
    /// Adds one more datagram to the run if it continues the run: it has the same peer, control and buffer, and
    /// directly follows the last byte. No datagram can follow an empty datagram, or a datagram whose size differs from
    /// the size of those before it.
    /// </summary>
    /// <returns>False if the datagram needs a new run.</returns>
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
        Debug.Assert(SegmentCount > 0 && lengthBytes <= LastBytes, "A reservation can only be shortened.");
        LastBytes = lengthBytes;
        LimitBytes = NoLimit;
        if (SegmentCount == 1) SegmentBytes = lengthBytes;
    }
}
