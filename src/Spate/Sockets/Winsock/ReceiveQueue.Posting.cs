using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Buffers;
using Spate.Interop.Windows;
using Spate.Messages;

namespace Spate.Sockets.Winsock;

/// <summary>Posting receives, and handing over their datagrams.</summary>
// SAFETY: as the other part says. Everything here runs under the lock.
internal sealed unsafe partial class ReceiveQueue<TCalls>
{
    // The end of a datagram that is longer than a buffer. Nobody reads it.
    private const int SpillBytes = 65_536;

    // Posts the receives that could not be posted earlier; at the first call all of them, which get their memory.
    private void PostIdle()
    {
        if (_isOver || _context.IsClosed) return;
        if (_messages == null) MakeMemory();
        while (_idle.TryPop(out int index) && TryPost(index))
        {
            // Where one fails, the next would fail in the same way.
        }
    }

    private void MakeMemory()
    {
        int count = _buffers.Length;
        _idle.Clear();
        if (BufferBytes < MaxPayloadBytes && _spill == 0) _spill = (nint)NativeMemory.Alloc(SpillBytes);
        for (int i = count - 1; i >= 0; i--)
        {
            _buffers[i] = _pool.Rent();
            _idle.Push(i);
        }

        // While receives are posted, the handle must not be closed: its number could belong to another socket when they
        // are cancelled. The end of the memory lets go of it.
        bool isHeld = false;
        var messages = (NativeReceive*)NativeMemory.AlignedAlloc(
            (nuint)count * NativeReceive.SizeBytes, NativeReceive.SizeBytes);
        _socketHandle.DangerousAddRef(ref isHeld);
        _messages = messages;
    }

    // Returns false if the receive is not posted. A later call then tries again.
    private bool TryPost(int index)
    {
        Debug.Assert(_lock.IsHeldByCurrentThread && _orderCount < _order.Length);
        if (_isOver || _context.IsClosed)
        {
            _idle.Push(index);
            return false;
        }

        NativeReceive* message = _messages + index;
        NativeReceive.Prepare(message, _event, _buffers[index]!.Address, BufferBytes, _spill, SpillBytes);
        _ended[index] = default;
        uint receivedBytes = 0;
        int error = _calls.Receive(_receive, _socket, &message->Message, &receivedBytes, &message->Overlapped);
        if (error is not (0 or WinSock2.WSA_IO_PENDING))
        {
            _idle.Push(index);
            Remember(error);
            return false;
        }

        _order[(_first + _orderCount) % _order.Length] = index;
        _orderCount++;
        if (error == 0 && !_hasPacketAlways) End(index, (int)receivedBytes, error: 0);
        return true;
    }

    // Stores an error for the next call that finds no datagram. Only the newest error is stored. If it replaces an
    // error of ICMP, that one is still counted, as in the other backends, where each call returns its own error.
    private void Remember(int error)
    {
        if (_context.IsClosed) return;
        if (_error != 0 && SocketErrorPolicy.Of(_error).Receive == ErrnoAction.PendingError)
        {
            _context.Counters.CountIcmpError();
            _context.NoteIcmpError(SocketErrorPolicy.ToSocketError(_error));
        }

        // WSARecvMsg: too many receives are outstanding. No event reports that fewer are.
        _error = error == (int)SocketError.WouldBlock ? (int)SocketError.NoBufferSpaceAvailable : error;
    }

    private bool TryFill(
        ReceiveSlots slots, int slotIndex, int index, ReceiveFaults faults, ref int truncatedCount)
    {
        Ended ended = _ended[index];
        SocketError error = ended.Error == 0 ? SocketError.Success : SocketErrorPolicy.ToSocketError(ended.Error);
        if (error is not (SocketError.Success or SocketError.MessageSize))
        {
            // A cancelled receive is only posted again: other code may cancel all calls of a socket.
            if (error != SocketError.OperationAborted) Remember(ended.Error);
            return false;
        }

        NativeReceive* message = _messages + index;
        if (IsWakeUp(message, ended.LengthBytes)) return false;
        ref ReceiveSlot slot = ref slots.All[slotIndex];
        ReadPeer(message, ref slot.Peer);
        ReadControl(slots, slotIndex, message, ref slot);
        if (_coalesces && slot.SegmentBytes == 0 && IsSurelyCoalesced(slot.Peer, ended.LengthBytes))
        {
            faults.Refuse("coalesced data without the size of its datagrams");
            return false;
        }

        slot.OffsetBytes = 0;
        slot.LengthBytes = Math.Min(Math.Min(ended.LengthBytes, BufferBytes), slots.SlotBytes);
        uint cutFlags = _coalesces ? WinSock2.MSG_TRUNC | WinSock2.MSG_CTRUNC : WinSock2.MSG_TRUNC;
        slot.IsTruncated = error == SocketError.MessageSize || slot.LengthBytes < ended.LengthBytes
            || (message->Message.dwFlags & cutFlags) != 0;
        if (slot.IsTruncated) truncatedCount++;
        Exchange(index, slots, slotIndex);
        return true;
    }

    // Puts the filled buffer into the slot. The receive gets the slot's previous buffer if that is large enough, and if
    // neither a lease nor a send batch references it.
    private void Exchange(int index, ReceiveSlots slots, int slotIndex)
    {
        SlotBuffer previous = slots.Replace(slotIndex, _buffers[index]!);
        if (previous.LengthBytes >= BufferBytes && !previous.IsShared)
        {
            _buffers[index] = previous;
            return;
        }

        previous.Release();
        _buffers[index] = _pool.Rent();
    }

    // A datagram cannot be this long, so several were joined although the system gave no segment size. Shorter data of
    // this kind looks like a long datagram.
    private static bool IsSurelyCoalesced(in UdpEndPoint peer, int lengthBytes) =>
        peer.IsIPv4 && lengthBytes > MaxIPv4PayloadBytes;

    // Clears the peer first: an IPv4 address is shorter, so the tail of an earlier IPv6 address would remain.
    private void ReadPeer(NativeReceive* message, ref UdpEndPoint peer)
    {
        peer = _context.Remote;
        if (_context.IsConnected) return;
        int nameBytes = Math.Clamp(message->Message.namelen, 0, Unsafe.SizeOf<UdpEndPoint>());
        new ReadOnlySpan<byte>(&message->Name, nameBytes)
            .CopyTo(MemoryMarshal.AsBytes(new Span<UdpEndPoint>(ref peer)));
        UdpEndPoint.Normalize(ref peer);
    }

    private void ReadControl(ReceiveSlots slots, int slotIndex, NativeReceive* message, ref ReceiveSlot slot)
    {
        slot.SegmentBytes = 0;
        if (!_readsInfo && !_coalesces) return;
        int controlBytes = (int)Math.Min(message->Message.Control.len, ControlMessages.MaxReceivedBytes);
        ReadOnlySpan<byte> control = new(&message->Control, controlBytes);
        if (!_readsInfo)
        {
            slot.SegmentBytes = WinsockReceivedControl.SegmentBytes(control);
            return;
        }

        ref DatagramInfo info = ref slots.InfoForWriting[slotIndex];
        info = DatagramInfo.None;
        bool isToMany = (message->Message.dwFlags & (WinSock2.MSG_BCAST | WinSock2.MSG_MCAST)) != 0;
        slot.SegmentBytes = WinsockReceivedControl.Read(control, isToMany, ref info);
    }

    // Whether the message only reports a shutdown, and no peer sent it.
    private bool IsWakeUp(NativeReceive* message, int lengthBytes) =>
        _context.IsClosed && lengthBytes == 0 && message->Message.namelen == 0;
}
