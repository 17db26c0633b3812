using System.Runtime.InteropServices;

namespace Spate.Buffers;

/// <summary>
/// The contents of one received buffer. The array of slots is pinned: the kernel writes <see cref="Peer"/> during a
/// receive call and at no other time, so it must stay the first field.
/// </summary>
[StructLayout(LayoutKind.Sequential, Pack = 4)]
internal struct ReceiveSlot
{
    public UdpEndPoint Peer;
    public int LengthBytes;

    /// <summary>Offset of the payload in its buffer: after a header if a ring filled the buffer, otherwise 0.</summary>
    public int OffsetBytes;

    /// <summary>
    /// Stride of the datagrams in the buffer; at least <see cref="LengthBytes"/> if there is one datagram.
    /// </summary>
    public int SegmentBytes;

    /// <summary>Index in the batch of the slot's first datagram.</summary>
    public int FirstIndex;

    public int SlotIndex;
    public bool IsTruncated;
}
