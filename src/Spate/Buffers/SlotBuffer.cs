using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Spate.Buffers;

/// <summary>
/// One pinned buffer that the kernel fills. Leases and forwarded datagrams may reference the buffer past the next
/// receive; the batch then replaces it. The buffer returns to its pool when the last reference is released.
/// </summary>
internal sealed class SlotBuffer
{
    /// <summary>
    /// A buffer has one byte more than a slot, for a backend that cannot detect truncation otherwise. A datagram that
    /// reaches this byte was too long for the slot.
    /// </summary>
    public const int SpareBytes = 1;

    private readonly SlotBufferPool _pool;

    // The number of references: one of the batch, ring or pool that has the buffer, the others of leases and of send
    // batches that forward datagrams. This is one count and not two fields: a thread preempted between the reads of two
    // fields could return to the pool a buffer that the batch has already lent again.
    private int _references = 1;

    public SlotBuffer(SlotBufferPool pool, int slotBytes)
    {
        _pool = pool;
        Array = GC.AllocateUninitializedArray<byte>(slotBytes + SpareBytes, pinned: true);
        LengthBytes = Array.Length;
        Address = Marshal.UnsafeAddrOfPinnedArrayElement(Array, 0);
    }

    public byte[] Array { get; }

    /// <summary>
    /// The length of the array. Like <see cref="Address"/>, it is stored here so that reading it does not touch the
    /// array.
    /// </summary>
    public int LengthBytes { get; }

    public nint Address { get; }

    /// <summary>The next buffer in the pool's chain while this buffer is in the pool.</summary>
    internal SlotBuffer? NextSpare { get; set; }

    /// <summary>The number of buffers in the pool's chain of returned buffers that begins with this buffer.</summary>
    internal int ReturnedCount { get; set; }

    /// <summary>The offset of a payload in this buffer; -1 if the payload is not in this buffer.</summary>
    public int OffsetOf(ReadOnlySpan<byte> payload)
    {
        nint offsetBytes = Unsafe.ByteOffset(
            ref MemoryMarshal.GetArrayDataReference(Array), ref MemoryMarshal.GetReference(payload));
        return offsetBytes >= 0 && offsetBytes <= LengthBytes - payload.Length ? (int)offsetBytes : -1;
    }

    public bool IsShared => Volatile.Read(ref _references) > 1;

    public void AddRef()
    {
        int references = Interlocked.Increment(ref _references);
        Debug.Assert(references > 1, "Only a referenced buffer can get one more reference.");
    }

    /// <summary>Releases one reference. With the last one, the buffer returns to its pool.</summary>
    public void Release()
    {
        int holders = Interlocked.Decrement(ref _references);
        Debug.Assert(holders >= 0, "A buffer was let go more often than it was held.");
        if (holders != 0) return;

        // Nobody references the buffer now. The new reference belongs to the pool, and later to the batch that rents
        // the buffer.
        Volatile.Write(ref _references, 1);
        _pool.Return(this);
    }
}
