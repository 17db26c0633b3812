using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Buffers;
using Spate.Interop.Linux;
using Spate.Messages;
using Spate.Segmentation;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// The message headers of one send queue, filled from the queue's plan before every call. All arrays are pinned and
/// live as long as the queue, which keeps this object alive. The payload is in the queue's pinned buffer, or in
/// received buffers that the queue references.
/// </summary>
internal sealed unsafe class MmsgSendHeaders
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
    private const int MaxPieceCount = 4 * GsoLimits.DefaultMaxIovecCount;

    /// <summary>
    /// The size of the control message UDP_SEGMENT with its padding. This message is at the start of each message's
    /// control bytes.
    /// </summary>
    private const int SegmentBytes = ControlMessages.HeaderBytes + sizeof(ulong);

    private const int MaxControlBytes = SegmentBytes + SendControlWriter.MaxBytes;

    private readonly mmsghdr[] _messages = GC.AllocateArray<mmsghdr>(MaxMessageCount, pinned: true);
    private readonly iovec[] _pieces = GC.AllocateArray<iovec>(MaxPieceCount, pinned: true);
    private readonly UdpEndPoint[] _names = GC.AllocateArray<UdpEndPoint>(MaxMessageCount, pinned: true);
    private readonly byte[] _control = GC.AllocateArray<byte>(MaxMessageCount * MaxControlBytes, pinned: true);
    private readonly int[] _segmentCounts = new int[MaxMessageCount];
    private readonly int[] _bytes = new int[MaxMessageCount];
    private int _count;
    private int _pieceCount;

    /// <summary>
    /// Writes the control message UDP_SEGMENT once for each header. A send then only sets the segment size in it.
    /// </summary>
    public MmsgSendHeaders()
    {
        for (int i = 0; i < MaxMessageCount; i++)
        {
            // The value of UDP_SEGMENT is a u16, unlike the int of UDP_GRO (net/ipv4/udp.c, __udp_cmsg_send).
            var writer = new ControlMessageWriter(ControlOf(i));
            writer.AddUInt16(Udp.SOL_UDP, Udp.UDP_SEGMENT, 0);
        }
    }

    public mmsghdr* Messages => (mmsghdr*)Marshal.UnsafeAddrOfPinnedArrayElement(_messages, 0);

    /// <summary>
    /// Writes the peer's address into <paramref name="name"/> in the form that the kernel expects: on an IPv6 socket,
    /// an IPv4 address becomes a mapped address.
    /// </summary>
    /// <returns>
    /// The length of the name; 0 if the datagram goes to the peer to which the socket is connected. Without a name the
    /// kernel uses the route that the socket has cached (13 % cheaper).
    /// </returns>
    public static int SetName(SocketContext context, in UdpEndPoint peer, ref UdpEndPoint name)
    {
        if (peer.IsDefault || (context.IsConnected && peer == context.Remote)) return 0;
        name = context.IsIPv6 && peer.IsIPv4 ? peer.ToMapped() : peer;
        return name.NativeLength;
    }

    /// <summary>The number of datagrams in a message.</summary>
    public int SegmentCountOf(int index)
    {
        Debug.Assert((uint)index < (uint)_count, "The header was not filled for this call.");
        return _segmentCounts[index];
    }

    public int BytesOf(int index) => _bytes[index];

    public bool IsGso(int index) => _segmentCounts[index] > 1;

    /// <summary>
    /// Fills headers, beginning with the plan's next unsent datagram. Returns the number of filled headers.
    /// </summary>
    /// <param name="queue">The queue to send; the caller has called <see cref="SendPlan.Begin"/> on its plan.</param>
    /// <param name="context">The sending socket.</param>
    /// <param name="segmented">
    /// Whether this socket can send GSO messages. If not, the queue may still contain GSO messages, because another
    /// socket made it.
    /// </param>
    /// <param name="fallback">The destinations to which no GSO messages are sent, or none with large segments.</param>
    /// <param name="triedMessage">
    /// The index of the GSO message whose datagrams are sent without GSO, as the last datagrams of the call; otherwise
    /// <see cref="SendPlan.None"/>.
    /// </param>
    public int Fill(SendQueue queue, SocketContext context, bool segmented, GsoFallbackList fallback, int triedMessage)
    {
        _count = 0;
        _pieceCount = 0;
        SendPlan plan = queue.Plan;
        ReadOnlySpan<GsoMessage> messages = plan.Messages;
        int firstSegment = plan.NextSegment;
        for (int i = plan.NextMessage; i < messages.Length && _count < MaxMessageCount; i++)
        {
            ref readonly GsoMessage message = ref messages[i];
            if (message.SegmentCount == 1 || firstSegment > 0 || !segmented || i == triedMessage
                || (message.SegmentBytes >= fallback.SmallestBytes
                    && fallback.Contains(message.Peer, message.SegmentBytes)))
            {
                AddPlainly(queue, message, firstSegment, context);
                if (i == triedMessage) break;
            }
            else
            {
                if (_pieceCount + message.IovecCount > MaxPieceCount) break;
                AddSegmented(queue, message, context);
            }

            firstSegment = 0;
        }

        Debug.Assert(_count > 0, "A GSO message fits into a call of its own, so each call sends something.");
        return _count;
    }

    private void AddSegmented(SendQueue queue, in GsoMessage message, SocketContext context)
    {
        Debug.Assert(
            message.SegmentCount is > 1 and <= GsoLimits.DefaultMaxSegmentCount
            && message.TotalBytes <= GsoLimits.DefaultMaxTotalBytes
            && message.SegmentBytes is > 0 and <= ushort.MaxValue,
            "The kernel refuses a longer GSO message, and UDP_SEGMENT is a u16.");
        int firstPiece = _pieceCount;
        ReadOnlySpan<GsoIovec> iovecs = queue.Plan.Iovecs;
        for (int index = message.FirstIovec; index >= 0;)
        {
            ref readonly GsoIovec iovec = ref iovecs[index];
            AddPiece(iovec.Buffer.AsSpan(iovec.OffsetBytes, iovec.LengthBytes));
            index = iovec.Next;
        }

        Debug.Assert(_pieceCount == firstPiece + message.IovecCount);
        Span<byte> control = ControlOf(_count);
        MemoryMarshal.Write(control[ControlMessages.HeaderBytes..], (ushort)message.SegmentBytes);
        ref msghdr header = ref AddMessage(message, firstPiece, message.SegmentCount, message.TotalBytes, context);
        header.msg_control = Unsafe.AsPointer(ref MemoryMarshal.GetReference(control));
        header.msg_controllen = SegmentBytes;
        if (message.ControlIndex >= 0) AddControl(ref header, control, queue, message, context);
    }

    private void AddPlainly(SendQueue queue, in GsoMessage message, int firstSegment, SocketContext context)
    {
        Debug.Assert((uint)firstSegment < (uint)message.SegmentCount);
        for (int i = firstSegment; i < message.SegmentCount; i++)
        {
            if (_count == MaxMessageCount || _pieceCount == MaxPieceCount) return;
            int firstPiece = _pieceCount;
            ReadOnlySpan<byte> segment = queue.Plan.SegmentOf(message, i);
            AddPiece(segment);
            Span<byte> control = ControlOf(_count);
            ref msghdr header = ref AddMessage(message, firstPiece, 1, segment.Length, context);
            header.msg_control = null;
            header.msg_controllen = 0;
            if (message.ControlIndex >= 0) AddControl(ref header, control, queue, message, context);
        }
    }

    private void AddPiece(ReadOnlySpan<byte> piece)
    {
        // SAFETY: the piece is in a pinned array that the queue keeps alive until the piece is sent. The bounds were
        // checked when the span was made.
        ref iovec entry = ref _pieces[_pieceCount++];
        entry.iov_base = Unsafe.AsPointer(ref MemoryMarshal.GetReference(piece));
        entry.iov_len = (nuint)piece.Length;
    }

    private ref msghdr AddMessage(
        in GsoMessage message, int firstPiece, int segmentCount, int bytes, SocketContext context)
    {
        int index = _count++;
        _segmentCounts[index] = segmentCount;
        _bytes[index] = bytes;
        ref UdpEndPoint name = ref _names[index];
        int nameBytes = message.PeerBytes;
        if (context.IsIPv6 || context.IsConnected) nameBytes = SetName(context, message.Peer, ref name);
        else name = message.Peer;

        Debug.Assert(
            nameBytes == 0 || (context.IsIPv6 ? nameBytes == sizeof(UdpEndPoint) : nameBytes == name.NativeLength),
            "An IPv6 socket takes names of IPv6 only, and the kernel reads as many bytes as the name's length says.");

        // SAFETY: names and pieces are in pinned arrays that this object keeps alive.
        ref msghdr header = ref _messages[index].msg_hdr;
        header.msg_name = nameBytes == 0 ? null : Unsafe.AsPointer(ref name);
        header.msg_namelen = (uint)nameBytes;
        header.msg_iov = (iovec*)Marshal.UnsafeAddrOfPinnedArrayElement(_pieces, firstPiece);
        header.msg_iovlen = (nuint)(_pieceCount - firstPiece);
        return ref header;
    }

    /// <summary>
    /// Writes the control messages for the options of the message's datagrams, after the bytes for UDP_SEGMENT.
    /// </summary>
    private static void AddControl(
        ref msghdr header, Span<byte> control, SendQueue queue, in GsoMessage message, SocketContext context)
    {
        ref readonly UdpEndPoint peer = ref message.Peer;
        bool isIPv4 = !context.IsIPv6 || (peer.IsDefault ? context.Remote : peer).IsIPv4;
        Span<byte> room = control[SegmentBytes..];
        int bytes = SendControlWriter.Write(room, queue.ControlAt(message.ControlIndex), isIPv4);

        // SAFETY: the control bytes are in a pinned array that the caller keeps alive.
        if (header.msg_controllen == 0) header.msg_control = Unsafe.AsPointer(ref MemoryMarshal.GetReference(room));
        header.msg_controllen += (nuint)bytes;
    }

    private Span<byte> ControlOf(int index) => _control.AsSpan(index * MaxControlBytes, MaxControlBytes);
}
