using System.Net;
using System.Net.Sockets;
using Spate.Sockets;
using Spate.Sockets.Mmsg;
using Spate.Sockets.Uring;

namespace Spate.Tests.Sockets.Uring;

/// <summary>A socket over a ring of given sizes, with the receiver to look at.</summary>
internal sealed class RingSocket : IDisposable
{
    private readonly Socket _sender = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private readonly byte[] _payload = new byte[8];
    private long _sent;

    public RingSocket(UringShape shape, bool oneThread = false, UringFaults? faults = null)
    {
        RequireUring();
        UdpSocketOptions options = new() { SingleReader = oneThread };
        Socket socket = SocketSetup.Open(AddressFamily.InterNetwork, options);
        try
        {
            SocketSetup.Apply(socket, options);
            socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            SocketContext context = new(socket, options, default);
            Receiver = UringReceiver<FaultyUringCalls>.Open(
                context, coalesces: false, shape, new FaultyUringCalls(faults ?? new UringFaults()));
            MmsgSender<LinuxSocketCalls> sender = new(context, segments: false, default);
            Socket = new UdpSocket(context, new BackendPair(UdpBackend.Uring, Receiver, sender));
            _sender.Connect(socket.LocalEndPoint!);
        }
        catch
        {
            socket.Dispose();
            _sender.Dispose();
            throw;
        }
    }

    public static TimeSpan Patience => TimeSpan.FromSeconds(30);

    public UdpSocket Socket { get; }

    public UringReceiver<FaultyUringCalls> Receiver { get; }

    public static void RequireUring()
    {
        UdpCapability uring = UdpCapabilities.Current.Uring;
        Assert.SkipUnless(uring.IsAvailable, uring.Reason);
    }

    /// <summary>
    /// Sends the next numbers, one to a datagram, from one CPU: each CPU has its own queue of the loopback (netif_rx),
    /// so a thread that moves in between could overtake itself.
    /// </summary>
    public void Send(int count)
    {
        int[] cpus = ThreadAffinity.GetCurrentThreadCpus();
        Assert.True(ThreadAffinity.TrySetCurrentThreadCpus([Thread.GetCurrentProcessorId()], out string? fault), fault);
        for (int i = 0; i < count; i++)
        {
            BitConverter.TryWriteBytes(_payload, _sent++);
            _sender.Send(_payload);
        }

        Assert.True(ThreadAffinity.TrySetCurrentThreadCpus(cpus, out fault), fault);
    }

    /// <summary>Receives until so many have come, which must be the next numbers in order.</summary>
    public void Receive(ReceiveBatch batch, int count, ref long next)
    {
        for (long end = next + count; next < end;)
        {
            ReceiveStatus status = Socket.Receive(batch, Patience);
            Assert.True(status == ReceiveStatus.Received, $"{status} instead of datagram {next}.");
            foreach (Datagram datagram in batch)
            {
                long number = BitConverter.ToInt64(datagram.Payload);
                if (number != next++) Assert.Fail(OutOfOrder(number, next - 1));
            }
        }
    }

    // Whether it was lost, overtaken or overwritten is seen by what follows and by the kernel's count.
    private string OutOfOrder(long number, long expected)
    {
        List<long> following = [];
        using ReceiveBatch batch = Socket.CreateReceiveBatch();
        while (following.Count < 100 && Socket.Receive(batch, TimeSpan.FromSeconds(1)) == ReceiveStatus.Received)
        {
            foreach (Datagram datagram in batch) following.Add(BitConverter.ToInt64(datagram.Payload));
        }

        return $"Datagram {number} came instead of {expected}. Sent: {_sent}, "
            + $"starved: {Receiver.Request.StarvedCount}, overflown: {Receiver.Request.OverflownCount}, "
            + $"kernel drops: {Socket.GetCounters().KernelDrops}. "
            + $"Then came {string.Join(' ', following)}.";
    }

    public void Dispose()
    {
        Socket.Dispose();
        _sender.Dispose();
    }
}
