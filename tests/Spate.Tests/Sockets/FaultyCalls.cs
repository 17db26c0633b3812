using System.Runtime.InteropServices;
using Spate.Interop.Linux;
using Spate.Messages;
using Spate.Sockets.Mmsg;

namespace Spate.Tests.Sockets;

/// <summary>The real system calls, but for those that the schedule lets fail without being made.</summary>
internal readonly unsafe struct FaultyCalls(FaultSchedule faults) : ISocketCalls
{
    private static LinuxSocketCalls Real => default;

    public int ReceiveMany(int descriptor, mmsghdr* messages, int count, int flags)
    {
        int errno = faults.Take(CallKind.ReceiveMany);
        return errno != 0 ? -errno : Real.ReceiveMany(descriptor, messages, count, flags);
    }

    public int ReceiveMessage(int descriptor, msghdr* message, int flags)
    {
        int errno = faults.Take(CallKind.ReceiveOne);
        return errno != 0 ? -errno : Real.ReceiveMessage(descriptor, message, flags);
    }

    public int ReceiveFrom(int descriptor, void* payload, int lengthBytes, int flags, void* name, uint* nameBytes)
    {
        int errno = faults.Take(CallKind.ReceiveOne);
        return errno != 0 ? -errno : Real.ReceiveFrom(descriptor, payload, lengthBytes, flags, name, nameBytes);
    }

    public int SendMany(int descriptor, mmsghdr* messages, int count, int flags)
    {
        faults.SendCalls++;
        int errno = TakeFirst(messages[0].msg_hdr);
        if (errno != 0) return -errno;
        int limit = CountUntilFault(messages, Math.Min(count, faults.MaxSendCount));
        int sent = Real.SendMany(descriptor, messages, limit, flags);
        for (int i = 1; i < sent; i++) faults.TakeMessage(Offered(messages[i].msg_hdr));
        return sent;
    }

    public int SendMessage(int descriptor, msghdr* message, int flags)
    {
        faults.SendCalls++;
        int errno = TakeFirst(*message);
        return errno != 0 ? -errno : Real.SendMessage(descriptor, message, flags);
    }

    public int SendTo(int descriptor, void* payload, int lengthBytes, int flags, void* name, int nameBytes)
    {
        faults.SendCalls++;
        faults.Before(CallKind.PlainSend);
        int errno = faults.TakeMessage(new OfferedMessage(PeerOf(name), SegmentBytes: 0));
        return errno != 0 ? -errno : Real.SendTo(descriptor, payload, lengthBytes, flags, name, nameBytes);
    }

    public int Poll(int descriptor, short events, int timeoutMilliseconds)
    {
        int errno = faults.Take(CallKind.Poll);
        if (errno != 0) return -errno;
        return faults.PollAnswer(timeoutMilliseconds) ?? Real.Poll(descriptor, events, timeoutMilliseconds);
    }

    private int TakeFirst(in msghdr header)
    {
        OfferedMessage message = Offered(header);
        faults.Before(message.Kind);
        return faults.TakeMessage(message);
    }

    // The first message is taken already, so it is not looked at again and counts as gone ahead.
    private int CountUntilFault(mmsghdr* messages, int count)
    {
        int plainCount = 0, messageCount = 0;
        for (int i = 1; i < count; i++)
        {
            OfferedMessage message = Offered(messages[i].msg_hdr);
            ref int aheadCount = ref message.IsGso ? ref messageCount : ref plainCount;
            if (faults.WouldFail(message, aheadCount++)) return i;
        }

        return count;
    }

    private static OfferedMessage Offered(in msghdr header)
    {
        // SAFETY: the backend fills the header for the length of the call.
        var reader = new ControlMessageReader(new ReadOnlySpan<byte>(header.msg_control, (int)header.msg_controllen));
        int segmentBytes = 0;
        while (reader.TryRead(out ControlMessage message))
        {
            bool isSize = message.Level == Udp.SOL_UDP && message.Type == Udp.UDP_SEGMENT;
            if (isSize) segmentBytes = MemoryMarshal.Read<ushort>(message.Data);
        }

        return new OfferedMessage(PeerOf(header.msg_name), segmentBytes);
    }

    // SAFETY: the backend names peers by whole UdpEndPoints, also where the kernel reads only 16 bytes.
    private static UdpEndPoint PeerOf(void* name) => name == null ? default : *(UdpEndPoint*)name;
}
