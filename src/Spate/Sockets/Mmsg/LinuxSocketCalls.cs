using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using Spate.Interop.Linux;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// The real calls. Each system call that carries datagrams has its own method, called after
/// <see cref="ReleaseWideRegisters"/>.
/// </summary>
// SAFETY: pointers are only passed on; the caller keeps their memory valid until the call returns.
internal readonly unsafe struct LinuxSocketCalls : ISocketCalls
{
    // arch/x86/entry/syscalls/syscall_64.tbl; include/uapi/asm-generic/unistd.h for arm64, riscv64 and loongarch64.
    private const int SendManyNumberOfX64 = 307;
    private const int SendManyNumberOfOthers = 269;

    /// <summary>
    /// The number of the system call sendmmsg, if the kernel is called directly; 0 for the C library's function.
    /// Selected once, when the first socket sends.
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
    /// The number of sendmmsg for a system, or 0. On 64-bit systems the <c>sendmmsg</c> of musl calls <c>sendmsg</c>
    /// for each message (src/network/sendmmsg.c), since the padding in its <c>msghdr</c> may contain anything. The
    /// headers here have the kernel's layout. With glibc, the library's function is called, because a preloaded library
    /// may replace it.
    /// </summary>
    internal static nint SendManyNumberFor(bool hasGlibc, Architecture architecture) => architecture switch
    {
        _ when hasGlibc => 0,
        Architecture.X64 => SendManyNumberOfX64,
        Architecture.Arm64 or Architecture.RiscV64 or Architecture.LoongArch64 => SendManyNumberOfOthers,
        _ => 0,
    };

    // gnu/libc-version.h: only glibc has this function.
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
    /// Called before the method that makes a system call, not in it. Copying a struct of 32 bytes or more leaves the
    /// upper bits of the vector registers dirty. The runtime's helper at the start of every method with a system call
    /// is not VEX-encoded, so its instructions pay for the transition. That costs 140 to 250 ns of a receive of 710 ns
    /// (.NET 10, Xeon of 2023). The call here has no effect of its own; the JIT puts vzeroupper in front of it. Never
    /// inlined: code that queries CPU features cannot be AOT-compiled, and neither could callers that inlined it.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static void ReleaseWideRegisters()
    {
        if (Vector256.IsHardwareAccelerated) Marshal.SetLastSystemError(0);
    }

    private static int Result(int result) => result >= 0 ? result : -Marshal.GetLastPInvokeError();
}
