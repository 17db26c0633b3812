using System.Diagnostics;
using Microsoft.Win32.SafeHandles;
using Spate.Interop.Linux;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// Address space for the ends of datagrams that are longer than the buffers of a batch's slots. The kernel allocates a
/// page when it first writes to the page, so a batch that receives no such datagram uses no memory.
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

    /// <summary>The number of bytes for one slot.</summary>
    public int PieceBytes { get; }

    /// <returns>
    /// Null if the system refuses (ulimit -v, vm.overcommit_memory). The slots must then have their full size from the
    /// start.
    /// </returns>
    public static SpillMemory? TryReserve(int slotCount, int pieceBytes)
    {
        // MAP_NORESERVE: the memory does not count as committed memory, unless vm.overcommit_memory is 2.
        const int flags = Mman.MAP_PRIVATE | Mman.MAP_ANONYMOUS | Mman.MAP_NORESERVE;
        nuint bytes = (nuint)slotCount * (nuint)pieceBytes;
        void* start = Mman.mmap(null, bytes, Mman.PROT_READ | Mman.PROT_WRITE, flags, -1, 0);
        if (start == Mman.MAP_FAILED) return null;

        // Turns off huge pages, with which one datagram would take 2 MiB. A kernel without huge pages refuses the call,
        // which does no harm.
        Mman.madvise(start, bytes, Mman.MADV_NOHUGEPAGE);
        return new SpillMemory(start, bytes, pieceBytes);
    }

    /// <summary>
    /// The address to which the kernel writes the end of a slot's datagram; valid as long as this object is alive.
    /// </summary>
    public byte* PieceOf(int slotIndex)
    {
        Debug.Assert(
            slotIndex >= 0 && ((nuint)slotIndex + 1) * (nuint)PieceBytes <= _bytes,
            "The kernel would write past the end of the memory.");
        return (byte*)handle + ((nint)slotIndex * PieceBytes);
    }

    /// <summary>Returns the memory to the system; the address space stays reserved.</summary>
    public void Discard() => Mman.madvise((void*)handle, _bytes, Mman.MADV_DONTNEED);

    /// <inheritdoc/>
    // SAFETY: the memory was mapped by TryReserve. Slots that use the memory keep this object alive, so no system call
    // can use the memory any more.
    protected override bool ReleaseHandle() => Mman.munmap((void*)handle, _bytes) == 0;
}
