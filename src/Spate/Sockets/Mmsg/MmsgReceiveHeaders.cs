using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Buffers;
using Spate.Interop.Linux;
using Spate.Messages;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// The message headers of one receive batch, built once and pointing at the batch's slots. The kernel changes lengths
/// and flags, so those are set again before every call (recvmmsg.2 does not say it, but a stale msg_controllen loses
/// every later segment size). All arrays are pinned and live as long as the batch, which keeps this object.
/// </summary>
internal sealed unsafe class MmsgReceiveHeaders
{
    private const int ControlBytesMax = ControlMessages.ReceivedBytesMax;

    private readonly mmsghdr[] _messages;
    private readonly iovec[] _pieces;
    private readonly byte[] _control;
    private readonly int _slotBytes;
    private int _bufferVersion = -1;
    private int _peerVersion;
    private int _usedCount;
    private ReceiveShape _shape;

    public MmsgReceiveHeaders(ReceiveBatch batch)
    {
        int count = batch.SlotCount;
        _slotBytes = batch.SlotBytes;
        _messages = GC.AllocateArray<mmsghdr>(count, pinned: true);
        _pieces = GC.AllocateArray<iovec>(count, pinned: true);
        _control = GC.AllocateArray<byte>(count * ControlBytesMax, pinned: true);
        for (int i = 0; i < count; i++)
        {
            // SAFETY: the iovec lies in a pinned array that this object keeps.
            _messages[i].msg_hdr.msg_iov = (iovec*)Marshal.UnsafeAddrOfPinnedArrayElement(_pieces, i);
            _messages[i].msg_hdr.msg_iovlen = 1;
        }
    }

    public mmsghdr* Messages => (mmsghdr*)Marshal.UnsafeAddrOfPinnedArrayElement(_messages, 0);

    public ref readonly mmsghdr this[int index] => ref _messages[index];

    public ReadOnlySpan<byte> ControlOf(int index) =>
        _control.AsSpan(
            index * ControlBytesMax, (int)Math.Min(ControlBytesMax, _messages[index].msg_hdr.msg_controllen));

    /// <summary>Makes the headers ready for one call by a socket of the given shape.</summary>
    public void Prepare(ReceiveBatch batch, in ReceiveShape shape)
    {
        if (_bufferVersion != batch.BufferVersion) BindBuffers(batch);
        int resetCount = _usedCount;
        if (_shape != shape || _peerVersion != batch.PeerVersion)
        {
            ShapeFor(batch, shape);
            resetCount = _messages.Length;
        }

        foreach (ref mmsghdr message in _messages.AsSpan(0, resetCount))
        {
            message.msg_hdr.msg_namelen = shape.NameBytes;
            message.msg_hdr.msg_controllen = (nuint)shape.ControlBytes;
            message.msg_hdr.msg_flags = 0;
        }

        _usedCount = 0;
    }

    /// <summary>The kernel wrote to the first headers; they are reset before the next call.</summary>
    public void NoteUsed(int count)
    {
        Debug.Assert(count <= _messages.Length, "More messages than headers.");
        _usedCount = count;
    }

    private void ShapeFor(ReceiveBatch batch, in ReceiveShape shape)
    {
        _shape = shape;
        _peerVersion = batch.PeerVersion;
        Span<ReceiveSlot> slots = batch.Slots;
        for (int i = 0; i < slots.Length; i++)
        {
            // A shorter IPv4 address must not keep the tail of an IPv6 one; a connected socket's peer is known
            // beforehand.
            slots[i].Peer = shape.Remote;
            ref msghdr header = ref _messages[i].msg_hdr;

            // SAFETY: slots and control bytes lie in pinned arrays that the batch and this object keep.
            header.msg_name = shape.NameBytes == 0 ? null : Unsafe.AsPointer(ref slots[i].Peer);
            header.msg_control = shape.ControlBytes == 0
                ? null
                : (void*)Marshal.UnsafeAddrOfPinnedArrayElement(_control, i * ControlBytesMax);
        }
    }

    private void BindBuffers(ReceiveBatch batch)
    {
        for (int i = 0; i < _pieces.Length; i++)
        {
            // SAFETY: slot buffers are pinned arrays; the batch keeps each one for as long as it is in a slot.
            _pieces[i].iov_base = (void*)Marshal.UnsafeAddrOfPinnedArrayElement(batch.BufferOf(i).Array, 0);
            _pieces[i].iov_len = (nuint)_slotBytes;
        }

        _bufferVersion = batch.BufferVersion;
    }
}
