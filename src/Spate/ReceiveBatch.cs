using System.Runtime.CompilerServices;
using Spate.Buffers;
using Spate.Waiting;

namespace Spate;

/// <summary>
/// The datagrams of one receive call, and the memory that contains them. <see cref="UdpSocket.CreateReceiveBatch"/>
/// makes a batch. The batch works with any socket of the same backend, in one call at a time; a coalescing socket also
/// requires slots of 65,535 bytes. Received datagrams are valid until the next receive into this batch. A span that is
/// used after the next receive may show other bytes, but always points into a receive buffer. A batch is not safe for
/// use by several threads at once, except that any number of threads may read between two receives. A receive has
/// exclusive use of the batch until the call ends; an awaited receive also has it while it waits. Until then, only
/// <see cref="Count"/>, <see cref="ByteCount"/>, <see cref="SlotCount"/>, <see cref="SlotBytes"/> and
/// <see cref="Dispose"/> are allowed. Any other use throws <see cref="InvalidOperationException"/>.
/// </summary>
/// <example><code>
/// while (socket.Receive(batch) == ReceiveStatus.Received)
///     foreach (Datagram datagram in batch)
///         Handle(datagram.Peer, datagram.Payload);
/// </code></example>
public sealed class ReceiveBatch : IDisposable
{
    /// <summary>The slots that receivers fill, with their buffers.</summary>
    internal readonly ReceiveSlots Slots;

    internal ReceiveBatch(UdpBackend backend, ReceiveSlots slots)
    {
        Backend = backend;
        Slots = slots;
    }

    /// <summary>The number of datagrams in the batch. Each datagram of a coalesced buffer counts as one.</summary>
    public int Count => Slots.Count;

    /// <summary>The total payload bytes of all datagrams in the batch.</summary>
    public long ByteCount => Slots.ByteCount;

    /// <summary>The number of slots: the maximum number of buffers that one call fills.</summary>
    public int SlotCount => Slots.SlotCount;

    /// <summary>The size of a slot in bytes: the longest datagram or coalesced buffer that fits.</summary>
    public int SlotBytes => Slots.SlotBytes;

    internal UdpBackend Backend { get; }

    /// <summary>Whether a server or a poller lends the batch to handlers, which then cannot dispose it.</summary>
    internal bool IsLent { get; set; }

    /// <summary>A poller's state for the thread that polls with this batch. Made at the first poll.</summary>
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

    /// <summary>Returns the peer that sent the datagram at an index. For code that awaits between datagrams.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The batch has no datagram at this index.</exception>
    public ref readonly UdpEndPoint GetPeer(int index) => ref Locate(index, out _, out _).Peer;

    /// <summary>
    /// Returns the payload of the datagram at an index; you may write to it. For code that awaits between datagrams.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The batch has no datagram at this index.</exception>
    public Memory<byte> GetPayload(int index)
    {
        ref ReceiveSlot slot = ref Locate(index, out int offsetBytes, out int lengthBytes);
        return Slots.ArrayOf(slot.SlotIndex).AsMemory(offsetBytes, lengthBytes);
    }

    /// <summary>
    /// Keeps the payload of the datagram at an index valid past the next receive, without a copy, until the lease is
    /// disposed. In a <c>foreach</c> loop, use <see cref="Datagram.Lease"/>.
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
    /// Ends the use of the batch. Further use throws <see cref="ObjectDisposedException"/>. The memory is freed when
    /// nothing references the batch any more; leases stay valid. A receive that is inside a system call runs to its
    /// end. An awaited receive that waits takes no more datagrams: when the next datagram arrives, the call throws
    /// <see cref="ObjectDisposedException"/>. Any thread may call this, any number of times. The call has no effect on
    /// a batch that a <c>UdpServer</c> or a <see cref="UdpPoller{TState}"/> lends to its handler, because the lender
    /// still needs the batch.
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
    /// Enumerates the datagrams of a batch without copying them, and never reads outside the buffers of the batch. The
    /// enumeration splits coalesced buffers into datagrams.
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

        /// <summary>Moves to the next datagram. Returns false at the end.</summary>
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

            // SegmentBytes is 0 for an empty datagram, or if another receive began during this enumeration. In the
            // second case the enumeration may show bytes of either receive, but it must still end, so its step must not
            // be 0.
            _segmentBytes = _slot.SegmentBytes > 0 ? _slot.SegmentBytes : filled.Length;
            _nextSlot++;
            int lengthBytes = Math.Min(_segmentBytes, filled.Length);
            _payload = filled[..lengthBytes];
            _rest = filled[lengthBytes..];
            return true;
        }
    }
}
