using Spate.Interop.Linux;

namespace Spate.Sockets.Uring;

/// <summary>
/// The system calls of io_uring, as a struct type parameter: the JIT calls the real ones directly, and tests substitute
/// a struct that fails on purpose. Every result is a count or descriptor, or minus the errno. Pointers are used only
/// during the call, except those to provided buffers.
/// </summary>
internal unsafe interface IUringCalls
{
    int Setup(uint entryCount, io_uring_params* parameters);

    int Enter(int ring, uint submitCount, uint flags);

    int Register(int ring, uint operation, void* argument, uint argumentCount);
}
