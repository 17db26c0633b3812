using System.Net;
using System.Net.Sockets;
using Spate.Sockets;
using Spate.Sockets.Mmsg;

namespace Spate.Tests.Sockets;

/// <summary>Makes sockets over the real Mmsg backend whose system calls fail as scheduled.</summary>
internal static class FaultySocket
{
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    public static UdpSocket Bind(
        FaultSchedule faults,
        bool coalesced = false,
        bool segmented = false,
        UdpSocketOptions? options = null,
        bool hasBatches = true)
    {
        Assert.SkipUnless(UdpCapabilities.Current.Mmsg.IsAvailable, UdpCapabilities.Current.Mmsg.Reason);
        options ??= new UdpSocketOptions();
        Socket socket = SocketSetup.Open(AddressFamily.InterNetwork, options);
        SocketSetup.Apply(socket, options);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        SocketContext context = new(socket, options, default);
        context.Errors = new WatchedErrorQueue(context, faults);
        FaultyCalls calls = new(faults);
        MmsgReceiver<FaultyCalls> receiver = new(context, coalesced, calls);
        MmsgSender<FaultyCalls> sender = new(context, segmented, calls);
        UdpSocket made = new(context, new BackendPair(UdpBackend.Mmsg, receiver, sender));
        if (hasBatches) made.BeginBatches();
        return made;
    }

    private sealed class WatchedErrorQueue(SocketContext context, FaultSchedule faults) : ErrorQueue(context)
    {
        public override bool Drain(out bool hadError)
        {
            faults.BeforeErrorQueue();
            return base.Drain(out hadError);
        }
    }

    /// <summary>A plain socket that sends numbered datagrams: the number, then filling up to the size.</summary>
    public static void SendNumbered(UdpEndPoint to, int count, int sizeBytes = 8)
    {
        using Socket sender = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        byte[] payload = new byte[sizeBytes];
        for (int i = 0; i < count; i++)
        {
            BitConverter.TryWriteBytes(payload, i);
            sender.SendTo(payload, to.ToIPEndPoint());
        }
    }
}
