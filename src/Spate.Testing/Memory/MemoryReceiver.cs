using Spate.Buffers;
using Spate.Sockets;

namespace Spate.Testing.Memory;

/// <summary>A receiver that takes its datagrams from a queue in memory. Only one thread uses it.</summary>
internal sealed class MemoryReceiver(SocketContext context)
    : Receiver(context, new ReceiverTraits { PollDescriptor = context.Descriptor })
{
    public const int MaxSlotBytes = 65_535;

    private readonly Queue<IncomingDatagram> _queue = new();

    public void Add(IncomingDatagram datagram) => _queue.Enqueue(datagram);

    /// <summary>Writes a datagram into a slot, as a socket does. Returns whether it was longer than the slot.</summary>
    public static bool Fill(ReceiveSlots slots, int slotIndex, IncomingDatagram datagram)
    {
        ReadOnlySpan<byte> payload = datagram.Payload.Span;
        bool isTooLong = payload.Length > slots.SlotBytes;
        if (isTooLong) payload = payload[..slots.SlotBytes];
        slots.Store(slotIndex, payload);
        ref ReceiveSlot slot = ref slots.All[slotIndex];
        slot.Peer = datagram.Peer;
        slot.LengthBytes = payload.Length;
        slot.SegmentBytes = 0;
        slot.IsTruncated = datagram.IsTruncated || isTooLong;
        UdpAddress local = datagram.LocalAddress;
        slots.InfoForWriting[slotIndex] = new DatagramInfo
        {
            LocalAddress = local,
            ReplyAddress = local.IsMulticast || local.IsBroadcast ? default : local,
            InterfaceIndex = datagram.InterfaceIndex,
            TrafficClass = datagram.TrafficClass,
            TimeToLive = datagram.TimeToLive,
            TimestampUnixNanoseconds = datagram.TimestampUnixNanoseconds,
        };
        return isTooLong;
    }

    /// <inheritdoc/>
    public override ReceiveSlots CreateSlots(int slotCount, int slotBytes, int firstBytes) =>
        new(slotCount, slotBytes, firstBytes);

    /// <inheritdoc/>
    public override ReceiveStatus Receive(ReceiveSlots slots, int timeoutMilliseconds)
    {
        slots.Begin();
        if (Context.IsClosed) return ReceiveStatus.Closed;
        int count = 0, truncatedCount = 0;
        while (count < slots.SlotCount && _queue.TryDequeue(out IncomingDatagram? datagram))
        {
            if (Fill(slots, count++, datagram)) truncatedCount++;
        }

        if (count == 0) return ReceiveStatus.TimedOut;
        slots.HasInfo = true;
        slots.Complete(count);
        Context.Counters.CountReceive(count, count, slots.ByteCount);
        if (truncatedCount > 0) Context.Counters.CountTruncated(truncatedCount);
        return ReceiveStatus.Received;
    }

    /// <inheritdoc/>
    public override ReceiveStatus ReceiveOne(
        Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram) =>
        throw new NotSupportedException("A shard receives batches only.");

    /// <inheritdoc/>
    public override ReceiveStatus WaitReadable(int timeoutMilliseconds) =>
        throw new NotSupportedException("A shard that a test drives does not wait.");
}
