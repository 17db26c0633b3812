using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;
using Spate.Trains;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// The message headers of one send batch, filled from its plan before every call. All arrays are pinned and live as
/// long as the batch, which keeps this object; the payload lies in the batch's pinned buffer or in received ones that
/// the batch holds.
/// </summary>
internal sealed unsafe class MmsgSendHeaders
{
    /// <summary>
    /// Past 64 messages a call gains nothing: the cost is flat from 16 on, while all of a refused call is filled
    /// again.
    /// </summary>
    public const int MessageCountMax = 64;

    /// <summary>UDP_SEGMENT 24, IPV6_PKTINFO 40, IPV6_TCLASS 24.</summary>
    private const int ControlBytesMax = 88;

    /// <summary>A train of 64 gathered datagrams has 64 pieces; room for four such in a call.</summary>
    private const int PieceCountMax = 4 * TrainLimits.DefaultSliceCountMax;

    private readonly mmsghdr[] _messages = GC.AllocateArray<mmsghdr>(MessageCountMax, pinned: true);
    private readonly iovec[] _pieces = GC.AllocateArray<iovec>(PieceCountMax, pinned: true);
    private readonly UdpEndPoint[] _names = GC.AllocateArray<UdpEndPoint>(MessageCountMax, pinned: true);
    private readonly byte[] _control = GC.AllocateArray<byte>(MessageCountMax * ControlBytesMax, pinned: true);
    private readonly int[] _segmentCounts = new int[MessageCountMax];
    private readonly int[] _bytes = new int[MessageCountMax];
    private int _count;
    private int _pieceCount;

    public mmsghdr* Messages => (mmsghdr*)Marshal.UnsafeAddrOfPinnedArrayElement(_messages, 0);

    /// <summary>Datagrams that a message carries.</summary>
    public int SegmentCountOf(int index) => _segmentCounts[index];

    public int BytesOf(int index) => _bytes[index];

    public bool IsTrain(int index) => _segmentCounts[index] > 1;

    /// <summary>Fills headers from where the batch stands; returns how many.</summary>
    public int Fill(SendBatch batch, SocketContext context, bool segmented, DemotionList demoted)
    {
        _count = 0;
        _pieceCount = 0;
        ReadOnlySpan<Train> trains = batch.Trains;
        int firstSegment = batch.NextSegment;
        for (int i = batch.NextTrain; i < trains.Length && _count < MessageCountMax; i++)
        {
            ref readonly Train train = ref trains[i];
            ref readonly UdpEndPoint peer = ref batch.PeerOf(train);

            // Trains may have been planned by another socket, which could not send them all.
            bool plain = train.SegmentCount == 1 || firstSegment > 0 || !segmented
                || (!demoted.IsEmpty && demoted.Contains(peer.IsDefault ? context.Remote : peer));
            if (plain)
            {
                AddPlainly(batch, train, firstSegment, context, peer);
            }
            else
            {
                if (_pieceCount + train.SliceCount > PieceCountMax) break;
                AddTrain(batch, train, context, peer);
            }

            firstSegment = 0;
        }

        return _count;
    }

    private void AddTrain(SendBatch batch, in Train train, SocketContext context, in UdpEndPoint peer)
    {
        int firstPiece = _pieceCount;
        for (int index = train.FirstSlice; index >= 0;)
        {
            ref readonly TrainSlice slice = ref batch.Slices[index];
            SetPiece(batch.BufferAt(slice.BufferIndex), slice.OffsetBytes, slice.LengthBytes);
            index = slice.Next;
        }

        batch.TryGetControl(train, out SendControl control);
        Finish(context, peer, control, train.SegmentBytes, firstPiece, train.SegmentCount, train.TotalBytes);
    }

    private void AddPlainly(
        SendBatch batch, in Train train, int firstSegment, SocketContext context, in UdpEndPoint peer)
    {
        batch.TryGetControl(train, out SendControl control);
        for (int i = firstSegment; i < train.SegmentCount; i++)
        {
            if (_count == MessageCountMax || _pieceCount == PieceCountMax) return;
            int firstPiece = _pieceCount;
            ReadOnlySpan<byte> segment = batch.SegmentOf(train, i);

            // SAFETY: the segment lies in a pinned array that the batch keeps until it is sent.
            _pieces[_pieceCount].iov_base = Unsafe.AsPointer(ref MemoryMarshal.GetReference(segment));
            _pieces[_pieceCount++].iov_len = (nuint)segment.Length;
            Finish(context, peer, control, 0, firstPiece, 1, segment.Length);
        }
    }

    private void SetPiece(byte[] buffer, int offsetBytes, int lengthBytes)
    {
        // SAFETY: as above; the span checks that the slice lies inside the buffer.
        Span<byte> piece = buffer.AsSpan(offsetBytes, lengthBytes);
        _pieces[_pieceCount].iov_base = Unsafe.AsPointer(ref MemoryMarshal.GetReference(piece));
        _pieces[_pieceCount++].iov_len = (nuint)lengthBytes;
    }

    private void Finish(
        SocketContext context,
        in UdpEndPoint peer,
        in SendControl control,
        int segmentBytes,
        int firstPiece,
        int segmentCount,
        int bytes)
    {
        int index = _count++;
        _segmentCounts[index] = segmentCount;
        _bytes[index] = bytes;
        ref msghdr header = ref _messages[index].msg_hdr;
        SendName.Set(context, peer, ref _names[index], out int nameBytes);

        // SAFETY: names, pieces and control bytes lie in pinned arrays that this object keeps.
        header.msg_name = nameBytes == 0 ? null : Unsafe.AsPointer(ref _names[index]);
        header.msg_namelen = (uint)nameBytes;
        header.msg_iov = (iovec*)Marshal.UnsafeAddrOfPinnedArrayElement(_pieces, firstPiece);
        header.msg_iovlen = (nuint)(_pieceCount - firstPiece);
        header.msg_control = null;
        header.msg_controllen = 0;
        if (segmentBytes == 0 && control.IsDefault) return;
        bool isIPv4 = !context.IsIPv6 || (peer.IsDefault ? context.Remote : peer).IsIPv4;
        Span<byte> room = _control.AsSpan(index * ControlBytesMax, ControlBytesMax);
        header.msg_controllen = (nuint)SentControl.Write(room, segmentBytes, control, isIPv4);
        header.msg_control = (void*)Marshal.UnsafeAddrOfPinnedArrayElement(_control, index * ControlBytesMax);
    }
}
