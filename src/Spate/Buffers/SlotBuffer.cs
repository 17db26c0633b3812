using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Spate.Buffers;

/// <summary>
/// One pinned buffer that the kernel fills, with a count of those who hold it beyond the next receive (leases and
/// forwarded datagrams). A held buffer is replaced in its batch and comes back to the pool when the last holder lets
/// go.
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

    /// <summary>The array's length and place, told without touching its memory.</summary>
    public int LengthBytes { get; }

    public nint Address { get; }

    /// <summary>The next one of its pool while it is there.</summary>
    internal SlotBuffer? NextSpare { get; set; }

    /// <summary>How many had come back to its pool with it and not been taken, itself included.</summary>
    internal int ReturnedCount { get; set; }

    /// <summary>Where a payload lies in the buffer; -1 if it lies outside.</summary>
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
    /// The batch gives the buffer up to its holders. If the last one left meanwhile, it goes back at once.
    /// </summary>
    public void Detach() => Release();
}
