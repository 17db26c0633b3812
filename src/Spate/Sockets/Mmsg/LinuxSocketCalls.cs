using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// The real calls. Those that carry datagrams are in methods of their own, which <see cref="WideRegisters"/> asks for.
/// </summary>
// SAFETY: pointers are only passed on; the caller keeps what they point to until the call returns.
internal readonly unsafe struct LinuxSocketCalls : ISocketCalls
{
    public int ReceiveMany(int descriptor, mmsghdr* messages, int count, int flags)
    {
        WideRegisters.Release();
        return CallReceiveMany(descriptor, messages, count, flags);
    }

    public int SendMany(int descriptor, mmsghdr* messages, int count, int flags)
    {
        WideRegisters.Release();
        return CallSendMany(descriptor, messages, count, flags);
    }

    public int ReceiveMessage(int descriptor, msghdr* message, int flags)
    {
        WideRegisters.Release();
        return CallReceiveMessage(descriptor, message, flags);
    }

    public int ReceiveFrom(int descriptor, void* payload, int lengthBytes, int flags, void* name, uint* nameBytes)
    {
        WideRegisters.Release();
        return CallReceiveFrom(descriptor, payload, lengthBytes, flags, name, nameBytes);
    }

    public int SendMessage(int descriptor, msghdr* message, int flags)
    {
        WideRegisters.Release();
        return CallSendMessage(descriptor, message, flags);
    }

    public int SendTo(int descriptor, void* payload, int lengthBytes, int flags, void* name, int nameBytes)
    {
        WideRegisters.Release();
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
        Result(SysSocket.sendmmsg(descriptor, messages, (uint)count, flags));

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

    private static int Result(int result) => result >= 0 ? result : -Marshal.GetLastPInvokeError();
}
