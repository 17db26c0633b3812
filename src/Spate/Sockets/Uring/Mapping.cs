using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate.Sockets.Uring;

/// <summary>Page-aligned memory that is shared with the kernel until disposal.</summary>
internal sealed unsafe class Mapping : IDisposable
{
    private readonly nuint _bytes;

    private Mapping(void* start, nuint bytes)
    {
        Start = (byte*)start;
        _bytes = bytes;
    }

    public byte* Start { get; private set; }

    /// <summary>Maps a part of a ring.</summary>
    /// <exception cref="UringRefusedException">The system refuses the mapping.</exception>
    public static Mapping OfRing(int ring, nuint bytes, ulong offset) =>
        Map(bytes, Mman.MAP_SHARED | Mman.MAP_POPULATE, ring, offset);

    /// <summary>Maps zeroed private memory.</summary>
    /// <exception cref="UringRefusedException">The system refuses the mapping.</exception>
    public static Mapping OfMemory(nuint bytes) => Map(bytes, Mman.MAP_PRIVATE | Mman.MAP_ANONYMOUS, -1, 0);

    public void Dispose()
    {
        // SAFETY: the memory was mapped by Map. It is not used any more, since the owner has closed the ring first.
        if (Start is not null) Mman.munmap(Start, _bytes);
        Start = null;
    }

    private static Mapping Map(nuint bytes, int flags, int descriptor, ulong offset)
    {
        void* start = Mman.mmap(null, bytes, Mman.PROT_READ | Mman.PROT_WRITE, flags, descriptor, (nint)offset);
        if (start == Mman.MAP_FAILED)
        {
            throw new UringRefusedException("mapping memory for a ring", Marshal.GetLastPInvokeError());
        }
        return new Mapping(start, bytes);
    }
}
