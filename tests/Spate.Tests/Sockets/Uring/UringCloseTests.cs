using System.Diagnostics;
using System.Net.Sockets;

namespace Spate.Tests.Sockets.Uring;

/// <summary>Closing a ring under load: at once, without a leak, and the port is free.</summary>
[ProcessWide("descriptors of the process are counted")]
public sealed class UringCloseTests
{
    public UringCloseTests() => RingSocket.RequireUring();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Dispose_UnderFlood_FreesPortAndDescriptors(bool oneThread)
    {
        int rounds = TestWidth.Of(60, full: 500);
        UdpEndPoint local = OwnAddress.New();
        UdpSocketOptions options = new() { Backend = UdpBackend.Uring, SingleReader = oneThread };
        bool stop = false;
        Thread flood = new(() =>
        {
            using Socket sender = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            byte[] payload = new byte[100];
            while (!Volatile.Read(ref stop)) sender.SendTo(payload, local.ToIPEndPoint());
        });
        flood.Start();
        try
        {
            int before = Descriptors.Targets().Count();
            int lateCount = 0;
            for (int i = 0; i < rounds; i++)
            {
                using UdpSocket socket = Bind(local, options, ref lateCount);
                Close(socket, waitsForDatagrams: i % 2 == 0);
            }

            // A close gives the kernel's thread that lets go of a ring a second. On a busy machine it can need more.
            Assert.InRange(lateCount, 0, rounds / 30);

            // The readiness thread, and whatever the runtime keeps, may come on top; not one per round.
            Assert.InRange(Descriptors.Targets().Count(), 0, before + 10);
        }
        finally
        {
            Volatile.Write(ref stop, true);
            flood.Join();
        }
    }

    private static UdpSocket Bind(UdpEndPoint local, UdpSocketOptions options, ref int lateCount)
    {
        long start = Stopwatch.GetTimestamp();
        for (bool isFirst = true; ; isFirst = false)
        {
            try
            {
                return UdpSocket.Bind(local, options);
            }
            catch (SocketException fault) when (fault.SocketErrorCode == SocketError.AddressAlreadyInUse
                && Stopwatch.GetElapsedTime(start) < RingSocket.Patience)
            {
                if (isFirst) lateCount++;
                Thread.Yield();
            }
        }
    }

    private static void Close(UdpSocket socket, bool waitsForDatagrams)
    {
        using ManualResetEventSlim received = new(!waitsForDatagrams);
        Thread receiver = new(() =>
        {
            using ReceiveBatch batch = socket.CreateReceiveBatch();
            while (socket.Receive(batch) == ReceiveStatus.Received) received.Set();
        });
        receiver.Start();
        Assert.True(received.Wait(RingSocket.Patience, TestContext.Current.CancellationToken));
        socket.Dispose();
        Assert.True(receiver.Join(RingSocket.Patience), "A receive outlives its socket.");
    }
}
