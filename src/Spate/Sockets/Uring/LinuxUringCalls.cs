using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate.Sockets.Uring;

/// <summary>Makes the real system calls.</summary>
// SAFETY: pointers are only passed on; the caller keeps their memory valid.
internal readonly unsafe struct LinuxUringCalls : IUringCalls
{
    public int Setup(uint entryCount, io_uring_params* parameters) =>
        Result(Syscall.Call2(Syscall.SYS_io_uring_setup, (nint)entryCount, parameters));

    public int Enter(int ring, uint submitCount, uint flags) =>
        Result(Syscall.Call6(
            Syscall.SYS_io_uring_enter, ring, (nint)submitCount, 0, (nint)flags, null, 0));

    public int Register(int ring, uint operation, void* argument, uint argumentCount) =>
        Result(Syscall.Call4(
            Syscall.SYS_io_uring_register, ring, (nint)operation, argument, (nint)argumentCount));

    private static int Result(nint result) => result >= 0 ? (int)result : -Marshal.GetLastPInvokeError();
}
