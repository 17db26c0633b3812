using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate.Backends.Mmsg;

/// <summary>The real calls.</summary>
// SAFETY: pointers are only passed on; the caller keeps what they point to until the call returns.
internal readonly unsafe struct LinuxSocketCalls : ISocketCalls
{
    public int ReceiveMany(int descriptor, mmsghdr* messages, int count, int flags) =>
        Result(SysSocket.recvmmsg(descriptor, messages, (uint)count, flags, null));

    public int SendMany(int descriptor, mmsghdr* messages, int count, int flags) =>
        Result(SysSocket.sendmmsg(descriptor, messages, (uint)count, flags));

    public int ReceiveMessage(int descriptor, msghdr* message, int flags) =>
        Result((int)SysSocket.recvmsg(descriptor, message, flags));

    public int SendMessage(int descriptor, msghdr* message, int flags) =>
        Result((int)SysSocket.sendmsg(descriptor, message, flags));

    public int SendTo(int descriptor, void* payload, int lengthBytes, int flags, void* name, int nameBytes) =>
        Result((int)SysSocket.sendto(descriptor, payload, (nuint)lengthBytes, flags, name, (uint)nameBytes));

    public int Poll(int descriptor, short events, int timeoutMilliseconds)
    {
        pollfd entry = new() { fd = descriptor, events = events };
        int count = Interop.Linux.Poll.poll(&entry, 1, timeoutMilliseconds);
        return count < 0 ? Result(count) : count == 0 ? 0 : entry.revents;
    }

    private static int Result(int result) => result >= 0 ? result : -Marshal.GetLastPInvokeError();
}
