using System.Diagnostics;
using Spate.Buffers;
using Spate.Interop.Linux;

namespace Spate.Sockets.Uring;

/// <summary>
/// The buffers that a ring's receives may fill (IORING_REGISTER_PBUF_RING, Linux 5.19). An id is a ticket: when a
/// completion names it, its memory goes to a batch and the batch's to the ring under the same id, so the kernel has all
/// its buffers again at once. They are made at the first receive, few at first, since they are used in turn and each
/// costs cache, and more whenever the kernel ran out.
/// </summary>
// SAFETY: buffers are arrays on the pinned heap, kept by _buffers for as long as the kernel has their address; the ring
// of entries is a mapping that outlives the ring.
internal sealed unsafe class ProvidedBuffers : IDisposable
{
    public const ushort GroupId = 1;

    private readonly Mapping _mapping;
    private readonly io_uring_buf* _entries;
    private readonly SlotBuffer?[] _buffers;
    private readonly SlotBufferPool _pool;
    private readonly int _firstCount;
    private ushort _tail;

    /// <param name="bufferBytes">What each holds.</param>
    /// <param name="shape">How many at first and at most.</param>
    public ProvidedBuffers(int bufferBytes, UringShape shape)
    {
        BufferBytes = bufferBytes;
        EntryCount = shape.MostBuffers;
        _firstCount = Math.Min(shape.FirstBuffers, EntryCount);
        _mapping = Mapping.OfMemory((nuint)(EntryCount * sizeof(io_uring_buf)));
        _entries = (io_uring_buf*)_mapping.Start;
        _buffers = new SlotBuffer?[EntryCount];
        _pool = new SlotBufferPool(bufferBytes, maxSpareCount: _firstCount);
    }

    public int BufferBytes { get; }

    /// <summary>The most that there may be, a power of two.</summary>
    public int EntryCount { get; }

    /// <summary>Where the kernel finds the entries.</summary>
    public ulong Address => (ulong)_entries;

    /// <summary>Buffers made so far.</summary>
    public int Count { get; private set; }

    public SlotBuffer this[ushort id] => _buffers[id]!;

    /// <summary>Makes more buffers, as far as there may be: twice as many, or the first ones.</summary>
    public void Grow()
    {
        int more = Math.Min(Math.Max(Count, _firstCount), EntryCount - Count);
        for (int i = 0; i < more; i++) Provide((ushort)Count++, _pool.Rent());
    }

    /// <summary>The kernel may fill the id's buffer again. Seen by it after <see cref="Publish"/>.</summary>
    public void ProvideAgain(ushort id) => Write(id, _buffers[id]!);

    /// <summary>The kernel may fill another buffer under the id; null: a new one.</summary>
    public void Provide(ushort id, SlotBuffer? buffer)
    {
        buffer ??= _pool.Rent();
        _buffers[id] = buffer;
        Write(id, buffer);
    }

    /// <summary>Shows the kernel what was provided; the tail lies in the first entry (io_uring_register.2).</summary>
    public void Publish() => Volatile.Write(ref _entries->resv, _tail);

    public void Dispose() => _mapping.Dispose();

    private void Write(ushort id, SlotBuffer buffer)
    {
        Debug.Assert(buffer.LengthBytes >= BufferBytes, "The kernel would write behind the buffer.");
        io_uring_buf* entry = _entries + (_tail & (EntryCount - 1));
        entry->addr = (ulong)buffer.Address;
        entry->len = (uint)BufferBytes;
        entry->bid = id;
        _tail++;
    }
}
