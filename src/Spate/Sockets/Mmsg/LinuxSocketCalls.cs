using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using Spate.Interop.Linux;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// The real calls. Those that carry datagrams are made in methods of their own, behind
/// <see cref="ReleaseWideRegisters"/>.
/// </summary>
// SAFETY: pointers are only passed on; the caller keeps what they point to until the call returns.
internal readonly unsafe struct LinuxSocketCalls : ISocketCalls
{
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

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CallReceiveMany(int descriptor, mmsghdr* messages, int count, int flags) =>
        Result(SysSocket.recvmmsg(descriptor, messages, (uint)count, flags, null));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CallSendMany(int descriptor, mmsghdr* messages, int count, int flags) =>
        Result(SendManyCall.Call(descriptor, messages, (uint)count, flags));

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
    /// upper halves of the vector registers dirty, and the runtime's helper at the start of every method with a system
    /// call is not VEX-encoded: its instructions then pay for the switch (.NET 10 on a Xeon of 2023: 140 to 250 ns of a
    /// receive of 710). The call here has no effect but that the JIT puts vzeroupper in front of it. Never inlined:
    /// code that asks what the processor can do cannot be compiled ahead of time, and neither could its callers be.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static void ReleaseWideRegisters()
    {
        if (Vector256.IsHardwareAccelerated) Marshal.SetLastSystemError(0);
    }

    private static int Result(int result) => result >= 0 ? result : -Marshal.GetLastPInvokeError();
}
