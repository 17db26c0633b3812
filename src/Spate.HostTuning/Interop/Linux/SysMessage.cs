using System.Runtime.InteropServices;

namespace Spate.HostTuning.Interop.Linux;

/// <summary><c>sys/uio.h</c>: a part of a message.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @iovec
{
    public nint iov_base;
    public nuint iov_len;
}

/// <summary><c>sys/socket.h</c>: what recvmsg(2) fills.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @msghdr
{
    public nint msg_name;
    public uint msg_namelen;
    public nint msg_iov;
    public nuint msg_iovlen;
    public nint msg_control;
    public nuint msg_controllen;
    public int msg_flags;
}

/// <summary><c>sys/socket.h</c>: the head of a control message; its length includes itself (cmsg(3)).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @cmsghdr
{
    public nuint cmsg_len;
    public int cmsg_level;
    public int cmsg_type;
}

/// <summary><c>sys/socket.h</c>: taking a message with its control messages, which .NET's sockets keep.</summary>
internal static partial class SysMessage
{
    /// <summary>
    /// Takes a message without waiting; what does not fit into the payload is lost. Returns the length, or the number
    /// of the error with a minus: EAGAIN for no message, another where an error was waiting.
    /// </summary>
    public static unsafe int Receive(
        SafeHandle socket, Span<byte> payload, Span<byte> control, out int controlBytes)
    {
        // SAFETY: both buffers are pinned for the call, and the kernel keeps no pointer to them afterwards. It writes
        // at most the lengths given here.
        fixed (byte* data = payload)
        fixed (byte* head = control)
        {
            var part = new iovec { iov_base = (nint)data, iov_len = (nuint)payload.Length };
            var message = new msghdr
            {
                msg_iov = (nint)(&part),
                msg_iovlen = 1,
                msg_control = (nint)head,
                msg_controllen = (nuint)control.Length,
            };
            int bytes = (int)recvmsg(socket, ref message, SysSocket.MSG_DONTWAIT);
            controlBytes = bytes < 0 ? 0 : (int)message.msg_controllen;
            return bytes < 0 ? -Marshal.GetLastPInvokeError() : bytes;
        }
    }

    [LibraryImport("libc", SetLastError = true)]
    private static partial nint recvmsg(SafeHandle sockfd, ref msghdr msg, int flags);
}
