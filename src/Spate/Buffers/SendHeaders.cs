using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;
using Spate.Segmentation;

namespace Spate.Buffers;

/// <summary>
/// The message headers of one send queue, which a sender fills before every call. All arrays are pinned and live as
/// long as the queue, which keeps this object alive. The payload is in the queue's pinned buffer, or in received
/// buffers that the queue references.
/// </summary>
/// <param name="controlBytes">The room of each message for its control messages.</param>
internal sealed unsafe class SendHeaders(int controlBytes)
{
    /// <summary>
    /// The most messages per call. More than 64 gain nothing: from 16 messages on, the cost per message stays the same,
    /// and after a refusal all headers of the call have to be filled again.
    /// </summary>
    public const int MaxMessageCount = 64;

    /// <summary>
    /// The most iovecs per call: enough for four GSO messages of 64 datagrams, even if each datagram needs its own
    /// iovec.
    /// </summary>
    public const int MaxPieceCount = 4 * GsoLimits.DefaultMaxIovecCount;

    private readonly mmsghdr[] _messages = GC.AllocateArray<mmsghdr>(MaxMessageCount, pinned: true);
    private readonly iovec[] _pieces = GC.AllocateArray<iovec>(MaxPieceCount, pinned: true);
    private readonly UdpEndPoint[] _names = GC.AllocateArray<UdpEndPoint>(MaxMessageCount, pinned: true);
    private readonly byte[] _control = GC.AllocateArray<byte>(MaxMessageCount * controlBytes, pinned: true);
    private readonly int[] _segmentCounts = new int[MaxMessageCount];
    private readonly int[] _bytes = new int[MaxMessageCount];

    public mmsghdr* Messages => (mmsghdr*)Marshal.UnsafeAddrOfPinnedArrayElement(_messages, 0);

    /// <summary>The number of filled headers.</summary>
    public int Count { get; private set; }

    public int PieceCount { get; private set; }

    /// <summary>The place for the peer's address of the next message.</summary>
    public ref UdpEndPoint NextName => ref _names[Count];

    /// <summary>The number of datagrams in a message.</summary>
    public int SegmentCountOf(int index)
    {
        Debug.Assert((uint)index < (uint)Count, "The header was not filled for this call.");
        return _segmentCounts[index];
    }

    public int BytesOf(int index) => _bytes[index];

    public bool IsGso(int index) => _segmentCounts[index] > 1;

    public Span<byte> ControlOf(int index) => _control.AsSpan(index * controlBytes, controlBytes);

    public void Clear()
    {
        Count = 0;
        PieceCount = 0;
    }

    public void AddPiece(ReadOnlySpan<byte> piece)
    {
        // SAFETY: the piece is in a pinned array that the queue keeps alive until the piece is sent. The bounds were
        // checked when the span was made.
        ref iovec entry = ref _pieces[PieceCount++];
        entry.iov_base = Unsafe.AsPointer(ref MemoryMarshal.GetReference(piece));
        entry.iov_len = (nuint)piece.Length;
    }

    /// <summary>
    /// Adds a message of the pieces from <paramref name="firstPiece"/> on, to the peer whose address is in
    /// <see cref="NextName"/>. The caller sets its control messages.
    /// </summary>
    public ref msghdr AddMessage(int firstPiece, int segmentCount, int bytes, int nameBytes)
    {
        Debug.Assert(firstPiece < PieceCount, "Each message has a piece, also that of an empty datagram.");
        int index = Count++;
        _segmentCounts[index] = segmentCount;
        _bytes[index] = bytes;

        // SAFETY: names and pieces are in pinned arrays that this object keeps alive.
        ref msghdr header = ref _messages[index].msg_hdr;
        header.msg_name = nameBytes == 0 ? null : Unsafe.AsPointer(ref _names[index]);
        header.msg_namelen = (uint)nameBytes;
        header.msg_iov = (iovec*)Marshal.UnsafeAddrOfPinnedArrayElement(_pieces, firstPiece);
        header.msg_iovlen = (nuint)(PieceCount - firstPiece);
        return ref header;
    }
}
