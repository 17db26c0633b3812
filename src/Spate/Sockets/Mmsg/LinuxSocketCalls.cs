using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using Spate.Interop.Linux;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// Makes the real system calls. Each system call that transfers datagrams is in a method of its own, so that
/// <see cref="ReleaseWideRegisters"/> can run before that method.
/// </summary>
// SAFETY: pointers are only passed on; the caller keeps their memory valid until the call returns.
internal readonly unsafe struct LinuxSocketCalls : ISocketCalls
{
    // The number of sendmmsg: for x64 from arch/x86/entry/syscalls/syscall_64.tbl; for arm64, riscv64 and loongarch64
    // from include/uapi/asm-generic/unistd.h.
    private const int SendManyNumberOfX64 = 307;
    private const int SendManyNumberOfOthers = 269;

    /// <summary>
    /// The number of the system call sendmmsg, or 0 to call the C library's function instead. Determined once, when the
    /// first socket sends.
    /// </summary>
    private static readonly nint SendManyNumber = SendManyNumberFor(HasGlibc(), RuntimeInformation.ProcessArchitecture);

    public int ReceiveMany(int descriptor, mmsghdr* messages, int count, int flags)
    {
        ReleaseWideRegisters();
        return CallReceiveMany(descriptor, messages, count, flags);
    }

    public int SendMany(int descriptor, mmsghdr* messages, int count, int flags)
    {
        ReleaseWideRegisters();
        return CallSendMany(descriptor, messages, count, flags);
    }

    public int ReceiveMessage(int descriptor, msghdr* message, int flags)
    {
        ReleaseWideRegisters();
        return CallReceiveMessage(descriptor, message, flags);
    }

    public int ReceiveFrom(int descriptor, void* payload, int lengthBytes, int flags, void* name, uint* nameBytes)
    {
        ReleaseWideRegisters();
        return CallReceiveFrom(descriptor, payload, lengthBytes, flags, name, nameBytes);
    }

    public int SendMessage(int descriptor, msghdr* message, int flags)
    {
        ReleaseWideRegisters();
        return CallSendMessage(descriptor, message, flags);
    }

    public int SendTo(int descriptor, void* payload, int lengthBytes, int flags, void* name, int nameBytes)
    {
        ReleaseWideRegisters();
        return CallSendTo(descriptor, payload, lengthBytes, flags, name, nameBytes);
    }

    public int Poll(int descriptor, short events, int timeoutMilliseconds)
    {
        pollfd entry = new() { fd = descriptor, events = events };
        int count = Interop.Linux.Poll.poll(&entry, 1, timeoutMilliseconds);
        return count < 0 ? Result(count) : count == 0 ? 0 : entry.revents;
    }

    /// <summary>
    /// Returns the number of the system call sendmmsg, or 0 to call the C library's function. On 64-bit systems the
    /// kernel is called instead of musl's <c>sendmmsg</c>, which calls <c>sendmsg</c> for each message
    /// (src/network/sendmmsg.c), because the padding in musl's <c>msghdr</c> may contain anything. The headers here
    /// have the kernel's layout. With glibc the library's function is called, because a preloaded library may replace
    /// it.
    /// </summary>
    internal static nint SendManyNumberFor(bool hasGlibc, Architecture architecture) => architecture switch
    {
        _ when hasGlibc => 0,
        Architecture.X64 => SendManyNumberOfX64,
        Architecture.Arm64 or Architecture.RiscV64 or Architecture.LoongArch64 => SendManyNumberOfOthers,
        _ => 0,
    };

    // Whether the C library is glibc: only glibc exports this function (gnu/libc-version.h).
    private static bool HasGlibc() =>
        NativeLibrary.TryLoad("libc", typeof(LinuxSocketCalls).Assembly, searchPath: null, out nint library)
        && NativeLibrary.TryGetExport(library, "gnu_get_libc_version", out _);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CallReceiveMany(int descriptor, mmsghdr* messages, int count, int flags) =>
        Result(SysSocket.recvmmsg(descriptor, messages, (uint)count, flags, null));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CallSendMany(int descriptor, mmsghdr* messages, int count, int flags) =>
        Result(SendManyNumber == 0
            ? SysSocket.sendmmsg(descriptor, messages, (uint)count, flags)
            : (int)Syscall.Call4(SendManyNumber, descriptor, (nint)messages, (void*)(nuint)count, flags));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CallReceiveMessage(int descriptor, msghdr* message, int flags) =>
        Result((int)SysSocket.recvmsg(descriptor, message, flags));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CallReceiveFrom(
        int descriptor, void* payload, int lengthBytes, int flags, void* name, uint* nameBytes) =>
        Result((int)SysSocket.recvfrom(descriptor, payload, (nuint)lengthBytes, flags, name, nameBytes));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CallSendMessage(int descriptor, msghdr* message, int flags) =>
        Result((int)SysSocket.sendmsg(descriptor, message, flags));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CallSendTo(
        int descriptor, void* payload, int lengthBytes, int flags, void* name, int nameBytes) =>
        Result((int)SysSocket.sendto(descriptor, payload, (nuint)lengthBytes, flags, name, (uint)nameBytes));

    /// <summary>
    /// Clears the upper bits of the vector registers. Copying a struct of 32 bytes or more leaves these bits set. The
    /// runtime's helper at the start of every method with a system call uses instructions without VEX encoding, which
    /// are slow while the bits are set: 140 to 250 ns of a receive of 710 ns (.NET 10, Xeon of 2023). Must be called
    /// before the method that makes the system call, not in that method. The call in the body is there only because the
    /// JIT puts vzeroupper in front of it. This method is never inlined: code that queries CPU features cannot be
    /// AOT-compiled, and a caller that contained this code could not be either.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static void ReleaseWideRegisters()
    {
        if (Vector256.IsHardwareAccelerated) Marshal.SetLastSystemError(0);
    }

    private static int Result(int result) => result >= 0 ? result : -Marshal.GetLastPInvokeError();
}
