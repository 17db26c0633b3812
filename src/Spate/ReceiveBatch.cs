using System.Runtime.CompilerServices;
using Spate.Buffers;
using Spate.Waiting;

namespace Spate;

/// <summary>
/// The datagrams of one receive call and the memory they lie in. Made by <see cref="UdpSocket.CreateReceiveBatch"/>;
/// serves any socket of the same backend, one call at a time. The memory is lent: what a receive put here is valid
/// until the next receive into this batch. A span kept longer may show other bytes, never other memory. Not safe for
/// use by several threads at once, except that any number may read between two receives. A receive has the batch until
/// the call ends, an awaited call while it waits too; meanwhile every other use but the counts and sizes and
/// <see cref="Dispose"/> throws <see cref="InvalidOperationException"/>.
/// </summary>
/// <example><code>
/// while (socket.Receive(batch) == ReceiveStatus.Received)
///     foreach (Datagram datagram in batch)
///         Handle(datagram.Peer, datagram.Payload);
/// </code></example>
public sealed class ReceiveBatch : IDisposable
{
    /// <summary>The memory that receivers fill; it goes with the batch.</summary>
    internal readonly ReceiveSlots Slots;

    internal ReceiveBatch(UdpBackend backend, ReceiveSlots slots)
    {
        Backend = backend;
        Slots = slots;
    }

    /// <summary>Datagrams in the batch, coalesced buffers counted as what they hold.</summary>
    public int Count => Slots.Count;

    /// <summary>Payload bytes of all datagrams in the batch.</summary>
    public long ByteCount => Slots.ByteCount;

    /// <summary>Slots: the most buffers one call can fill.</summary>
    public int SlotCount => Slots.SlotCount;

    /// <summary>Bytes of a slot: the largest datagram, or coalesced buffer, that fits.</summary>
    public int SlotBytes => Slots.SlotBytes;

    internal UdpBackend Backend { get; }

    /// <summary>Whether a server or a poller lends it to handlers, which cannot dispose it.</summary>
    internal bool IsLent { get; set; }

    /// <summary>What a poller keeps with the batch of one of its threads; made at its first use.</summary>
    internal PollThread? PollThread { get; set; }

    /// <summary>The datagram at an index, from 0 to <see cref="Count"/> - 1.</summary>
    /// <exception cref="ArgumentOutOfRangeException">There is no such datagram.</exception>
    public Datagram this[int index]
    {
        get
        {
            ref ReceiveSlot slot = ref Locate(index, out int offsetBytes, out int lengthBytes);
            return new Datagram(Slots, ref slot, Slots.ArrayOf(slot.SlotIndex).AsSpan(offsetBytes, lengthBytes));
        }
    }

    /// <summary>Who sent the datagram at an index. The form for code that awaits between datagrams.</summary>
    /// <exception cref="ArgumentOutOfRangeException">There is no such datagram.</exception>
    public ref readonly UdpEndPoint GetPeer(int index) => ref Locate(index, out _, out _).Peer;

    /// <summary>The payload of the datagram at an index, writable, for code that awaits between datagrams.</summary>
    /// <exception cref="ArgumentOutOfRangeException">There is no such datagram.</exception>
    public Memory<byte> GetMemory(int index)
    {
        ref ReceiveSlot slot = ref Locate(index, out int offsetBytes, out int lengthBytes);
        return Slots.ArrayOf(slot.SlotIndex).AsMemory(offsetBytes, lengthBytes);
    }

    /// <summary>
    /// Keeps the payload at an index valid past the next receive, without a copy, until the lease is disposed. In a
    /// <c>foreach</c> use <see cref="Datagram.Lease"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">There is no such datagram.</exception>
    public DatagramLease Lease(int index) => this[index].Lease();

    /// <summary>Walks the datagrams in the order of arrival.</summary>
    public Enumerator GetEnumerator()
    {
        Slots.Use.RequireFree();
        return new Enumerator(Slots);
    }

    /// <summary>
    /// Ends its use: further use throws <see cref="ObjectDisposedException"/>, and the memory goes when nobody refers
    /// to the batch any more. Leases stay valid. A receive that is inside the system goes on to its end; an awaited
    /// receive that waits takes nothing more and ends with that exception when something arrives. Any thread may call,
    /// any number of times. A batch that a <c>UdpServer</c> or a <see cref="UdpPoller{TState}"/> lends to its handler
    /// stays with the lender: there the call has no effect.
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
    /// Walks a batch without copying and without bounds surprises: a coalesced buffer is cut as it is walked.
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

        /// <summary>The datagram that was stepped to.</summary>
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

            // 0 only if a receive began after this walk did. The walk then shows old bytes, and must still end.
            _segmentBytes = _slot.SegmentBytes > 0 ? _slot.SegmentBytes : filled.Length;
            _nextSlot++;
            int lengthBytes = Math.Min(_segmentBytes, filled.Length);
            _payload = filled[..lengthBytes];
            _rest = filled[lengthBytes..];
            return true;
        }
    }
}
