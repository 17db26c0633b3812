using System.Runtime.InteropServices;
using Spate.Interop.Linux;
using Spate.Messages;

namespace Spate.Sockets;

/// <summary>
/// The queue of errors that a Linux socket has once IP_RECVERR or a time stamp was asked for (ip.7): what lies in it
/// takes room of the receive buffer, and ends every poll at once.
/// </summary>
internal static unsafe class ErrorQueue
{
    /// <summary>What one call takes at most: more may come as fast as they are taken.</summary>
    public const int CountMax = 256;

    /// <summary>Takes out what is there and forgets it; elsewhere nothing is ever there.</summary>
    /// <param name="descriptor">The socket's.</param>
    /// <param name="hadError">Whether an ICMP error was among it.</param>
    /// <returns>Whether anything was.</returns>
    public static bool Discard(int descriptor, out bool hadError)
    {
        hadError = false;
        if (!OperatingSystem.IsLinux()) return false;
        byte* control = stackalloc byte[ControlMessages.ReceivedBytesMax];
        int count = 0;
        while (count < CountMax)
        {
            // SAFETY: the header and what it points to lie on the stack, with their sizes.
            msghdr message = new() { msg_control = control, msg_controllen = ControlMessages.ReceivedBytesMax };
            if (SysSocket.recvmsg(descriptor, &message, SysSocket.MSG_ERRQUEUE | SysSocket.MSG_DONTWAIT) < 0) break;
            var reader = new ControlMessageReader(new ReadOnlySpan<byte>(control, (int)message.msg_controllen));
            while (reader.TryRead(out ControlMessage entry)) hadError |= TryReadError(entry, out _);
            count++;
        }

        return count > 0;
    }

    /// <summary>
    /// The error that a message of the queue tells. The same queue holds time stamps of sends and the ends of zero-copy
    /// sends (errqueue.h), which are none.
    /// </summary>
    public static bool TryReadError(in ControlMessage message, out sock_extended_err error)
    {
        error = default;
        bool isError = (message.Level, message.Type) is (In.SOL_IP, In.IP_RECVERR) or (In.SOL_IPV6, In.IPV6_RECVERR);
        if (!isError || message.Data.Length < sizeof(sock_extended_err)) return false;
        error = MemoryMarshal.Read<sock_extended_err>(message.Data);
        return error.ee_origin <= ErrQueue.SO_EE_ORIGIN_ICMP6;
    }
}
