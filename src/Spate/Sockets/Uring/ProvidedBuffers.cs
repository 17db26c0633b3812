using System.Diagnostics;
using System.Numerics;
using Spate.Buffers;
using Spate.Interop.Linux;

namespace Spate.Sockets.Uring;

/// <summary>
/// The buffers that a ring's receives may fill (IORING_REGISTER_PBUF_RING, Linux 5.19). A completion names the id of
/// the buffer that the kernel has filled. This buffer goes to a batch, and a buffer of the batch goes to the ring under
/// the same id. So the kernel gets all its buffers back at once. The first receive makes only a few buffers, because
/// the kernel uses all buffers in turn and each takes space in the CPU's cache. Whenever the kernel has run out of
/// buffers, more are made.
/// </summary>
// SAFETY: buffers are arrays on the pinned heap; _buffers keeps them alive as long as the kernel has their address. The
// buffer entries (io_uring_buf) are in a mapping that outlives the ring.
internal sealed unsafe class ProvidedBuffers : IDisposable
{
    public const ushort GroupId = 1;

    private readonly Mapping _mapping;
    private readonly io_uring_buf* _entries;
    private readonly SlotBuffer?[] _buffers;
    private readonly SlotBufferPool _pool;
    private readonly int _firstCount;
    private ushort _tail;

    /// <param name="bufferBytes">The size of each buffer.</param>
    /// <param name="shape">The number of buffers at the first receive, and the largest number.</param>
    public ProvidedBuffers(int bufferBytes, UringShape shape)
    {
        BufferBytes = bufferBytes;
        EntryCount = shape.MostBuffers;
        Debug.Assert(BitOperations.IsPow2(EntryCount) && EntryCount <= ushort.MaxValue + 1, "Ids are of 16 bits.");
        _firstCount = Math.Min(shape.FirstBuffers, EntryCount);
        _mapping = Mapping.OfMemory((nuint)(EntryCount * sizeof(io_uring_buf)));
        _entries = (io_uring_buf*)_mapping.Start;
        _buffers = new SlotBuffer?[EntryCount];
        _pool = new SlotBufferPool(bufferBytes, maxSpareCount: _firstCount);
    }

    public int BufferBytes { get; }

    /// <summary>The largest number of buffers, a power of two.</summary>
    public int EntryCount { get; }

    /// <summary>The address of the buffer entries (io_uring_buf), for the kernel.</summary>
    public ulong Address => (ulong)_entries;

    /// <summary>The number of buffers made so far.</summary>
    public int Count { get; private set; }

    public SlotBuffer this[ushort id]
    {
        get
        {
            Debug.Assert(id < Count, "The kernel names only buffers that it was given.");
            return _buffers[id]!;
        }
    }

    /// <summary>
    /// Makes the first buffers, or later doubles the number of buffers, up to <see cref="EntryCount"/>.
    /// </summary>
    public void Grow()
    {
        int more = Math.Min(Math.Max(Count, _firstCount), EntryCount - Count);
        for (int i = 0; i < more; i++) Provide((ushort)Count++, _pool.Rent());
    }

    /// <summary>Lets the kernel fill the id's buffer again, from the next <see cref="Publish"/> on.</summary>
    public void ProvideAgain(ushort id) => Write(id, _buffers[id]!);

    /// <summary>
    /// Puts the filled buffer of an id into a slot. The id gets the slot's previous buffer, which the kernel may fill
    /// from the next <see cref="Publish"/> on. So no payload is copied, and the ring cannot run out of buffers, however
    /// long batches are kept.
    /// </summary>
    public void Exchange(ushort id, ReceiveSlots slots, int slotIndex)
    {
        SlotBuffer previous = slots.Replace(slotIndex, this[id]);
        if (previous.LengthBytes >= BufferBytes && !previous.IsShared)
        {
            Provide(id, previous);
            return;
        }

        // Too small for the kernel, or still referenced by a lease or a send batch.
        previous.Release();
        Provide(id, _pool.Rent());
    }

    /// <summary>
    /// Makes the provided buffers visible to the kernel by writing the tail, which is a field of the first entry
    /// (io_uring_register.2).
    /// </summary>
    public void Publish() => Volatile.Write(ref _entries->resv, _tail);

    public void Dispose() => _mapping.Dispose();

    private void Provide(ushort id, SlotBuffer buffer)
    {
        Debug.Assert(id < Count && buffer != _buffers[id], "The batch has the id's last buffer.");
        _buffers[id] = buffer;
        Write(id, buffer);
    }

    private void Write(ushort id, SlotBuffer buffer)
    {
        Debug.Assert(buffer.LengthBytes >= BufferBytes, "The kernel would write past the end of the buffer.");
        Debug.Assert(!buffer.IsShared, "The kernel would write into a payload that is leased or forwarded.");
        io_uring_buf* entry = _entries + (_tail & (EntryCount - 1));
        entry->addr = (ulong)buffer.Address;
        entry->len = (uint)BufferBytes;
        entry->bid = id;
        _tail++;
    }
}
