using System.Runtime.InteropServices;

namespace Spate.Buffers;

/// <summary>
/// The description of one received buffer. The array of slots is pinned, because the kernel writes <see cref="Peer"/>
/// during a receive call (and at no other time). <see cref="Peer"/> must stay the first field.
/// </summary>
[StructLayout(LayoutKind.Sequential, Pack = 4)]
internal struct ReceiveSlot
{
    public UdpEndPoint Peer;
    public int LengthBytes;

    /// <summary>
    /// The offset of the payload in the buffer. A ring writes a header before the payload; in other buffers the offset
    /// is 0.
    /// </summary>
    public int OffsetBytes;

    /// <summary>
    /// The distance between the starts of two datagrams in the buffer; at least <see cref="LengthBytes"/> if the buffer
    /// contains one datagram.
    /// </summary>
    public int SegmentBytes;

    /// <summary>The index of the slot's first datagram in the batch.</summary>
    public int FirstIndex;

    public int SlotIndex;
    public bool IsTruncated;
}
