using Spate.Interop.Linux;

namespace Spate.Sockets.Uring;

/// <summary>
/// The system calls of io_uring. The backend's classes get the implementation as a struct type parameter: the JIT then
/// calls the real system calls directly, and tests substitute a struct that fails on purpose. Every result is a count
/// or a descriptor, or minus the errno. Pointers are used only during the call, except pointers to provided buffers.
/// </summary>
internal unsafe interface IUringCalls
{
    int Setup(uint entryCount, io_uring_params* parameters);

    int Enter(int ring, uint submitCount, uint flags);

    int Register(int ring, uint operation, void* argument, uint argumentCount);
}
