using System.Runtime.CompilerServices;
using Spate.Buffers;
using Spate.Waiting;

namespace Spate;

/// <summary>
/// The datagrams of one receive call, and their memory. Made by <see cref="UdpSocket.CreateReceiveBatch"/>; works with
/// any socket of the same backend, one call at a time. The memory is lent: received datagrams are valid until the next
/// receive into this batch. A span that is used later may show other bytes, but always points into a receive buffer.
/// Not safe for use by several threads at once, except that any number of threads may read between two receives. A
/// receive, also an awaited one while it waits, has exclusive use of the batch until the call ends. Meanwhile all other
/// use throws <see cref="InvalidOperationException"/>, except the counts, the sizes and <see cref="Dispose"/>.
/// </summary>
/// <example><code>
/// while (socket.Receive(batch) == ReceiveStatus.Received)
///     foreach (Datagram datagram in batch)
///         Handle(datagram.Peer, datagram.Payload);
/// </code></example>
public sealed class ReceiveBatch : IDisposable
{
    /// <summary>The memory that receivers fill; it lives as long as the batch.</summary>
    internal readonly ReceiveSlots Slots;

    internal ReceiveBatch(UdpBackend backend, ReceiveSlots slots)
    {
        Backend = backend;
        Slots = slots;
    }

    /// <summary>Datagrams in the batch; the datagrams of a coalesced buffer count one by one.</summary>
    public int Count => Slots.Count;

    /// <summary>Payload bytes of all datagrams in the batch.</summary>
    public long ByteCount => Slots.ByteCount;

    /// <summary>Slots of the batch: the maximum number of buffers that one call fills.</summary>
    public int SlotCount => Slots.SlotCount;

    /// <summary>Bytes of a slot: the largest datagram, or coalesced buffer, that fits.</summary>
    public int SlotBytes => Slots.SlotBytes;

    internal UdpBackend Backend { get; }

    /// <summary>Whether a server or a poller lends the batch to handlers, which cannot dispose it.</summary>
    internal bool IsLent { get; set; }

    /// <summary>A poller's state for the thread that polls with this batch; made at the first poll.</summary>
    internal PollThread? PollThread { get; set; }

    /// <summary>The datagram at an index, from 0 to <see cref="Count"/> - 1.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The batch has no datagram at this index.</exception>
    public Datagram this[int index]
    {
        get
        {
            ref ReceiveSlot slot = ref Locate(index, out int offsetBytes, out int lengthBytes);
            return new Datagram(Slots, ref slot, Slots.ArrayOf(slot.SlotIndex).AsSpan(offsetBytes, lengthBytes));
        }
    }

    /// <summary>The peer that sent the datagram at an index, for code that awaits between datagrams.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The batch has no datagram at this index.</exception>
    public ref readonly UdpEndPoint GetPeer(int index) => ref Locate(index, out _, out _).Peer;

    /// <summary>The payload of the datagram at an index, writable, for code that awaits between datagrams.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The batch has no datagram at this index.</exception>
    public Memory<byte> GetMemory(int index)
    {
        ref ReceiveSlot slot = ref Locate(index, out int offsetBytes, out int lengthBytes);
        return Slots.ArrayOf(slot.SlotIndex).AsMemory(offsetBytes, lengthBytes);
    }

    /// <summary>
    /// Keeps the payload at an index valid past the next receive, without a copy, until the lease is disposed. In a
    /// <c>foreach</c> use <see cref="Datagram.Lease"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The batch has no datagram at this index.</exception>
    public DatagramLease Lease(int index) => this[index].Lease();

    /// <summary>Enumerates the datagrams in the order of arrival.</summary>
    public Enumerator GetEnumerator()
    {
        Slots.Use.RequireFree();
        return new Enumerator(Slots);
    }

    /// <summary>
    /// Ends the use of the batch. Further use throws <see cref="ObjectDisposedException"/>, and the memory is freed
    /// when the batch is no longer referenced. Leases stay valid. A receive that is inside a system call runs to its
    /// end; an awaited receive that waits takes no more datagrams, and ends with that exception when something arrives.
    /// Any thread may call, any number of times. A batch that a <c>UdpServer</c> or a <see cref="UdpPoller{TState}"/>
    /// lends to its handler stays with the lender: there the call has no effect.
    /// </summary>
    public void Dispose()
    {
        if (!IsLent) Slots.Dispose();
    }

    private ref ReceiveSlot Locate(int index, out int offsetBytes, out int lengthBytes)
    {
        Slots.Use.RequireFree();
        return ref Slots.Locate(index, out offsetBytes, out lengthBytes);
    }

    /// <summary>
    /// Enumerates a batch without copying, and never reads outside the buffers of the batch. Coalesced buffers are
    /// split into datagrams during the enumeration.
    /// </summary>
    public ref struct Enumerator
    {
        private readonly ReceiveSlots _batch;
        private readonly Span<ReceiveSlot> _slots;
        private ref ReceiveSlot _slot;
        private Span<byte> _payload;
        private Span<byte> _rest;
        private int _segmentBytes;
        private int _nextSlot;

        internal Enumerator(ReceiveSlots batch)
        {
            _batch = batch;
            _slots = batch.Used;
            _slot = ref Unsafe.NullRef<ReceiveSlot>();
        }

        /// <summary>The current datagram of the enumeration.</summary>
        public readonly Datagram Current => new(_batch, ref _slot, _payload);

        /// <summary>Steps to the next datagram; false at the end.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool MoveNext()
        {
            int restBytes = _rest.Length;
            if (restBytes == 0) return MoveToNextSlot();
            int lengthBytes = Math.Min(_segmentBytes, restBytes);
            _payload = _rest[..lengthBytes];
            _rest = _rest[lengthBytes..];
            return true;
        }

        private bool MoveToNextSlot()
        {
            if ((uint)_nextSlot >= (uint)_slots.Length) return false;
            _slot = ref _slots[_nextSlot];
            Span<byte> filled = _batch.ArrayOf(_nextSlot).AsSpan(_slot.OffsetBytes, _slot.LengthBytes);

            // 0 only if a receive began after this enumeration did. The enumeration then shows old bytes, and must
            // still end.
            _segmentBytes = _slot.SegmentBytes > 0 ? _slot.SegmentBytes : filled.Length;
            _nextSlot++;
            int lengthBytes = Math.Min(_segmentBytes, filled.Length);
            _payload = filled[..lengthBytes];
            _rest = filled[lengthBytes..];
            return true;
        }
    }
}
