using Microsoft.Win32.SafeHandles;
using Spate.Interop.Linux;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// Address space for the ends of datagrams that are longer than the buffers of a batch's slots. The kernel gives a page
/// memory when it first writes to it, so a batch that gets none of these datagrams takes none.
/// </summary>
internal sealed unsafe class SpillMemory : SafeHandleZeroOrMinusOneIsInvalid
{
    private readonly nuint _bytes;

    private SpillMemory(void* start, nuint bytes, int pieceBytes)
        : base(ownsHandle: true)
    {
        _bytes = bytes;
        PieceBytes = pieceBytes;
        SetHandle((nint)start);
    }

    /// <summary>Bytes for one slot.</summary>
    public int PieceBytes { get; }

    /// <returns>Null if the system refuses (ulimit -v, vm.overcommit_memory): slots must not grow then.</returns>
    public static SpillMemory? TryReserve(int slotCount, int pieceBytes)
    {
        // Not counted as promised memory, except where vm.overcommit_memory is 2.
        const int flags = Mman.MAP_PRIVATE | Mman.MAP_ANONYMOUS | Mman.MAP_NORESERVE;
        nuint bytes = (nuint)slotCount * (nuint)pieceBytes;
        void* start = Mman.mmap(null, bytes, Mman.PROT_READ | Mman.PROT_WRITE, flags, -1, 0);
        if (start == Mman.MAP_FAILED) return null;

        // Huge pages would give one datagram 2 MiB. A kernel that has none refuses, which is as good.
        Mman.madvise(start, bytes, Mman.MADV_NOHUGEPAGE);
        return new SpillMemory(start, bytes, pieceBytes);
    }

    /// <summary>Where the end of a slot's datagram goes; valid as long as this object.</summary>
    public byte* PieceOf(int slotIndex) => (byte*)handle + ((nint)slotIndex * PieceBytes);

    /// <summary>Gives the memory back to the system; the address space stays.</summary>
    public void Discard() => Mman.madvise((void*)handle, _bytes, Mman.MADV_DONTNEED);

    /// <inheritdoc/>
    // SAFETY: mapped by TryReserve. Slots keep this object, so no call can use the memory any more.
    protected override bool ReleaseHandle() => Mman.munmap((void*)handle, _bytes) == 0;
}
