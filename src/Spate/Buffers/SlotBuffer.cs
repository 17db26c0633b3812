using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Spate.Buffers;

/// <summary>
/// One pinned buffer that the kernel fills. Leases and forwarded datagrams reference it beyond the next receive. A
/// batch replaces a buffer with such references; the buffer returns to the pool when the last reference is released.
/// </summary>
internal sealed class SlotBuffer
{
    /// <summary>
    /// One byte more than a slot: a backend that cannot see truncation otherwise reads into it, and a datagram that
    /// reaches it was too long.
    /// </summary>
    public const int SpareBytes = 1;

    private readonly SlotBufferPool _pool;

    // Counts the leases and the batch, ring or pool that has the buffer. One count, not two fields: a thread preempted
    // between two reads could return a buffer that the batch has already lent again.
    private int _references = 1;

    public SlotBuffer(SlotBufferPool pool, int slotBytes)
    {
        _pool = pool;
        Array = GC.AllocateUninitializedArray<byte>(slotBytes + SpareBytes, pinned: true);
        LengthBytes = Array.Length;
        Address = Marshal.UnsafeAddrOfPinnedArrayElement(Array, 0);
    }

    public byte[] Array { get; }

    /// <summary>The array's length; as <see cref="Address"/>, known without touching the array's memory.</summary>
    public int LengthBytes { get; }

    public nint Address { get; }

    /// <summary>The next buffer of the pool while this buffer is in the pool.</summary>
    internal SlotBuffer? NextSpare { get; set; }

    /// <summary>Length of the pool's chain of returned buffers that begins with this buffer.</summary>
    internal int ReturnedCount { get; set; }

    /// <summary>Offset of a payload in the buffer; -1 if the payload is outside.</summary>
    public int OffsetOf(ReadOnlySpan<byte> payload)
    {
        nint offsetBytes = Unsafe.ByteOffset(
            ref MemoryMarshal.GetArrayDataReference(Array), ref MemoryMarshal.GetReference(payload));
        return offsetBytes >= 0 && offsetBytes <= LengthBytes - payload.Length ? (int)offsetBytes : -1;
    }

    public bool IsShared => Volatile.Read(ref _references) > 1;

    public void AddRef() => Interlocked.Increment(ref _references);

    public void Release()
    {
        int holders = Interlocked.Decrement(ref _references);
        Debug.Assert(holders >= 0, "A buffer was let go more often than it was held.");
        if (holders != 0) return;

        // Nobody else has it until the pool does, and then one batch.
        Volatile.Write(ref _references, 1);
        _pool.Return(this);
    }

    /// <summary>
    /// Releases the batch's reference. If no other reference is left, the buffer returns to the pool at once.
    /// </summary>
    public void Detach() => Release();
}
