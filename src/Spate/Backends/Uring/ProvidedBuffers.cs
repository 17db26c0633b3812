using System.Diagnostics;
using System.Runtime.InteropServices;
using Spate.Buffers;
using Spate.Interop.Linux;

namespace Spate.Backends.Uring;

/// <summary>
/// The buffers that a ring's receives may fill (IORING_REGISTER_PBUF_RING, Linux 5.19). A buffer belongs to the kernel
/// from <see cref="Provide"/> until a completion names its id, and then to the batch it came into until it is given
/// back. Starts small, since buffers are used in turn and each costs cache, and grows when the kernel runs out.
/// </summary>
// SAFETY: buffers are arrays on the pinned heap, kept by _buffers until the receiver's end; the ring of entries is a
// mapping that outlives the ring.
internal sealed unsafe class ProvidedBuffers : IDisposable
{
    public const ushort GroupId = 1;

    /// <summary>The kernel takes up to 32,768 entries, a power of two.</summary>
    public const int EntryCountMax = 4096;

    private readonly Mapping _mapping;
    private readonly io_uring_buf* _entries;
    private readonly SlotBuffer?[] _buffers;
    private readonly SlotBufferPool _pool;
    private readonly int _bufferBytes;
    private readonly int _mostBuffers;
    private ushort _tail;

    public ProvidedBuffers(int bufferBytes, int mostBuffers)
    {
        _bufferBytes = bufferBytes;
        _mostBuffers = Math.Min(mostBuffers, EntryCountMax);
        EntryCount = 1;
        while (EntryCount < _mostBuffers) EntryCount *= 2;
        _mapping = Mapping.OfMemory((nuint)(EntryCount * sizeof(io_uring_buf)));
        _entries = (io_uring_buf*)_mapping.Start;
        _buffers = new SlotBuffer?[EntryCount];
        _pool = new SlotBufferPool(bufferBytes, spareCountMax: 16);
    }

    public int EntryCount { get; }

    /// <summary>Where the kernel finds the entries.</summary>
    public ulong Address => (ulong)_entries;

    /// <summary>Buffers made so far.</summary>
    public int Count { get; private set; }

    /// <summary>Buffers that the kernel has at the moment.</summary>
    public int ProvidedCount { get; private set; }

    /// <summary>Makes more buffers, as far as there may be; false if there may be none.</summary>
    public bool Grow(int count)
    {
        int added = Math.Min(count, _mostBuffers - Count);
        for (int i = 0; i < added; i++)
        {
            ushort id = (ushort)Count++;
            _buffers[id] = _pool.Rent();
            Provide(id);
        }

        return added > 0;
    }

    public SlotBuffer this[ushort id] => _buffers[id]!;

    /// <summary>A completion named the buffer: it is not the kernel's any more.</summary>
    public void Claim(ushort id)
    {
        Debug.Assert(id < Count, "The kernel named a buffer that it was never given.");
        ProvidedCount--;
    }

    /// <summary>Gives a buffer back; one that is held beyond its batch stays with its holders, and another comes.</summary>
    public void GiveBack(ushort id)
    {
        SlotBuffer buffer = _buffers[id]!;
        if (buffer.IsHeld)
        {
            _buffers[id] = _pool.Rent();
            buffer.Detach();
        }

        Provide(id);
    }

    public void Dispose() => _mapping.Dispose();

    private void Provide(ushort id)
    {
        io_uring_buf* entry = _entries + (_tail & (EntryCount - 1));
        entry->addr = (ulong)Marshal.UnsafeAddrOfPinnedArrayElement(_buffers[id]!.Array, 0);
        entry->len = (uint)_bufferBytes;
        entry->bid = id;
        _tail++;
        ProvidedCount++;

        // The tail lies in the first entry's spare field (io_uring_register.2).
        Volatile.Write(ref _entries->resv, _tail);
    }
}
