using System.Runtime.InteropServices;

namespace Spate.Buffers;

/// <summary>
/// What one received buffer holds. The array of these is pinned: the kernel writes <see cref="Peer"/> during a receive
/// call and at no other time, so it must stay the first field.
/// </summary>
[StructLayout(LayoutKind.Sequential, Pack = 4)]
internal struct ReceiveSlot
{
    public UdpEndPoint Peer;
    public int LengthBytes;

    /// <summary>Where the payload begins in its buffer: behind a header where a ring filled it, otherwise 0.</summary>
    public int OffsetBytes;

    /// <summary>
    /// Stride of the datagrams in the buffer; at least <see cref="LengthBytes"/> where there is only one.
    /// </summary>
    public int SegmentBytes;

    /// <summary>Index in the batch of the slot's first datagram.</summary>
    public int FirstIndex;

    public int SlotIndex;
    public bool IsTruncated;
}
