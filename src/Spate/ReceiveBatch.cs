using System.Runtime.CompilerServices;
using Spate.Buffers;
using Spate.Trains;

namespace Spate;

/// <summary>
/// The datagrams of one receive call and the memory they lie in. Made by <see cref="UdpSocket.CreateReceiveBatch"/>;
/// serves any socket of the same backend, one call at a time. The memory is lent: what a receive put here is valid
/// until the next receive into this batch. A span kept longer may show other bytes, never other memory. Not safe for
/// use by several threads at once, except that any number may read between two receives; a second call that is given
/// a batch in use throws <see cref="InvalidOperationException"/>.
/// </summary>
/// <example><code>
/// while (socket.Receive(batch) == ReceiveStatus.Received)
///     foreach (Datagram datagram in batch)
///         Handle(datagram.Peer, datagram.Payload);
/// </code></example>
public sealed partial class ReceiveBatch : IDisposable
{
    private readonly ReceiveSlot[] _slots;
    private readonly SlotBuffer[] _buffers;
    private readonly SlotBufferPool _pool;
    private DatagramInfo[]? _info;
    private int _usedSlotCount;
    private bool _anyHeld;
    private bool _disposed;

    internal ReceiveBatch(UdpBackend backend, int slotCount, int slotBytes, int exchangedBytes = 0)
    {
        Backend = backend;
        SlotBytes = slotBytes;
        _pool = new SlotBufferPool(Math.Max(slotBytes, exchangedBytes), slotCount);
        _slots = GC.AllocateArray<ReceiveSlot>(slotCount, pinned: true);
        _buffers = new SlotBuffer[slotCount];
        bool isEmpty = backend == UdpBackend.Uring && exchangedBytes == 0;
        for (int i = 0; i < slotCount; i++)
        {
            _slots[i].SlotIndex = i;
            _buffers[i] = isEmpty ? null! : _pool.Rent();
        }
    }

    /// <summary>Datagrams in the batch, coalesced buffers counted as what they hold.</summary>
    public int Count { get; private set; }

    /// <summary>Payload bytes of all datagrams in the batch.</summary>
    public long ByteCount { get; private set; }

    /// <summary>Slots: the most buffers one call can fill.</summary>
    public int SlotCount => _slots.Length;

    /// <summary>Bytes of a slot: the largest datagram, or train of datagrams, that fits.</summary>
    public int SlotBytes { get; }

    /// <summary>The datagram at an index, from 0 to <see cref="Count"/> - 1.</summary>
    /// <exception cref="ArgumentOutOfRangeException">There is no such datagram.</exception>
    public Datagram this[int index]
    {
        get
        {
            ref ReceiveSlot slot = ref Locate(index, out int offsetBytes, out int lengthBytes);
            return new Datagram(this, ref slot, _buffers[slot.SlotIndex].Array.AsSpan(offsetBytes, lengthBytes));
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
        return _buffers[slot.SlotIndex].Array.AsMemory(offsetBytes, lengthBytes);
    }

    /// <summary>
    /// Keeps the payload at an index valid past the next receive, without a copy, until the lease is disposed. In a
    /// <c>foreach</c> use <see cref="Datagram.Lease"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">There is no such datagram.</exception>
    public DatagramLease Lease(int index)
    {
        ref ReceiveSlot slot = ref Locate(index, out int offsetBytes, out int lengthBytes);
        return LeaseAt(in slot, offsetBytes, lengthBytes);
    }

    /// <summary>Walks the datagrams in the order of arrival.</summary>
    public Enumerator GetEnumerator() => new(this);

    /// <summary>
    /// Ends its use; the memory goes when nobody refers to the batch any more. Leases stay valid.
    /// </summary>
    /// <exception cref="InvalidOperationException">
    /// It was lent to the handler of a <c>UdpServer</c> or a <see cref="UdpPoller"/>, which goes on using it.
    /// </exception>
    public void Dispose()
    {
        if (IsLent)
        {
            throw new InvalidOperationException(
                "The batch was only lent to the handler, and is received into again: leave it to who lent it.");
        }

        _disposed = true;
        Count = 0;
        _usedSlotCount = 0;
    }

    internal DatagramLease LeaseOf(in Datagram datagram, int slotIndex)
    {
        // Where the payload lies in its buffer is known from the addresses, so that walking a batch keeps no offset.
        int offsetBytes = _buffers[slotIndex]?.OffsetOf(datagram.Payload) ?? -1;
        if (offsetBytes < 0)
        {
            throw new InvalidOperationException(
                "The datagram is of an earlier receive and its buffer has been replaced: "
                + "lease it before the next receive.");
        }

        return LeaseAt(in _slots[slotIndex], offsetBytes, datagram.Payload.Length);
    }

    private DatagramLease LeaseAt(in ReceiveSlot slot, int offsetBytes, int lengthBytes)
    {
        _anyHeld = true;
        LeaseEntry entry = LeaseEntry.Rent(_buffers[slot.SlotIndex], out int version);
        return new DatagramLease(entry, version, offsetBytes, lengthBytes, slot.Peer);
    }

    private ref ReceiveSlot Locate(int index, out int offsetBytes, out int lengthBytes)
    {
        if ((uint)index >= (uint)Count)
            throw new ArgumentOutOfRangeException(nameof(index), index, $"The batch holds {Count} datagrams.");

        // Without coalescing every slot holds one datagram, so the first guess is right.
        int low = 0, high = _usedSlotCount - 1;
        if (index <= high && _slots[index].FirstIndex == index && Count == _usedSlotCount) low = high = index;
        while (low < high)
        {
            int middle = (low + high + 1) >>> 1;
            if (_slots[middle].FirstIndex <= index) low = middle;
            else high = middle - 1;
        }

        ref ReceiveSlot slot = ref _slots[low];
        SegmentCutter.Bounds(
            slot.LengthBytes, slot.SegmentBytes, index - slot.FirstIndex, out offsetBytes, out lengthBytes);
        offsetBytes += slot.OffsetBytes;
        return ref slot;
    }

    /// <summary>
    /// Walks a batch without copying and without bounds surprises: a coalesced buffer is cut as it is walked.
    /// </summary>
    public ref struct Enumerator
    {
        private readonly ReceiveBatch _batch;
        private readonly Span<ReceiveSlot> _slots;
        private ref ReceiveSlot _slot;
        private Span<byte> _payload;
        private Span<byte> _rest;
        private int _segmentBytes;
        private int _nextSlot;

        internal Enumerator(ReceiveBatch batch)
        {
            _batch = batch;
            _slots = batch._slots.AsSpan(0, batch._usedSlotCount);
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
            Span<byte> filled = _batch._buffers[_nextSlot].Array.AsSpan(_slot.OffsetBytes, _slot.LengthBytes);
            _segmentBytes = _slot.SegmentBytes;
            _nextSlot++;
            int lengthBytes = Math.Min(_segmentBytes, filled.Length);
            _payload = filled[..lengthBytes];
            _rest = filled[lengthBytes..];
            return true;
        }
    }
}
