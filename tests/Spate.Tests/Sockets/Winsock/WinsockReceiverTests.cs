using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace Spate.Tests.Sockets.Winsock;

/// <summary>The posted receives of a socket: many threads, the end, and nobody's end.</summary>
public sealed class WinsockReceiverTests
{
    public WinsockReceiverTests() => WinsockTestSocket.RequireWinsock();

    [Theory, InlineData(1), InlineData(4), InlineData(64)]
    public async Task Receive_ThreadsThatBlockTryAndAwait_EachDatagramGoesToOneInOrder(int slotCount)
    {
        const int threadCount = 6, datagramCount = 3000;
        using WinsockTestSocket one = new();
        UdpSocket socket = one.Socket;
        int count = 0;
        long sum = 0;
        Task[] takers = [.. Enumerable.Range(0, threadCount).Select(kind => Task.Run(() => TakeAsync(kind % 3)))];
        for (int i = 0; i < datagramCount / 100; i++)
        {
            FaultySocket.SendNumbered(socket.LocalEndPoint, 100);
            int sent = (i + 1) * 100;
            Wait.Until(() => Volatile.Read(ref count) == sent);
        }

        socket.Dispose();
        await Task.WhenAll(takers).WaitAsync(FaultySocket.Patience, TestContext.Current.CancellationToken);
        Assert.Equal((datagramCount, datagramCount / 100 * 4950L), (count, sum));

        async Task TakeAsync(int kind)
        {
            using ReceiveBatch batch = socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotCount = slotCount });
            while (true)
            {
                ReceiveStatus status = kind switch
                {
                    0 => socket.Receive(batch),
                    1 => socket.Receive(batch, TimeSpan.FromMilliseconds(1)),
                    _ => await socket.ReceiveAsync(batch),
                };
                if (status == ReceiveStatus.Closed) return;
                if (status != ReceiveStatus.Received) continue;
                int last = -1;
                for (int i = 0; i < batch.Count; i++)
                {
                    int number = BitConverter.ToInt32(batch.GetPayload(i).Span);
                    Assert.True(number > last, $"{number} came after {last}.");
                    last = number;
                    Interlocked.Add(ref sum, number);
                }

                Interlocked.Add(ref count, batch.Count);
            }
        }
    }

    [Fact]
    public void Dispose_MoreQueuedThanPosted_CountsThoseThatWereReceived()
    {
        using WinsockTestSocket one = new();
        using ReceiveBatch batch = one.Socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotCount = 10 });
        FaultySocket.SendNumbered(one.Socket.LocalEndPoint, 100);
        Assert.Equal(ReceiveStatus.Received, one.Socket.Receive(batch));

        one.Socket.Dispose();

        UdpCounters counters = one.Socket.GetCounters();
        Assert.Equal(batch.Count, counters.DatagramsReceived);
        Assert.InRange(counters.DatagramsUnread, 1, 64);
        Assert.Equal(0, one.Receiver.Posted.OvertakenCount);
    }

    [Fact]
    public void Dispose_NeverCalled_PortBecomesFree()
    {
        UdpEndPoint local = Forget();

        Wait.Until(() =>
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            try
            {
                using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
                socket.Bind(local.ToIPEndPoint());
                return true;
            }
            catch (SocketException)
            {
                return false;
            }
        });

        [MethodImpl(MethodImplOptions.NoInlining)]
        static UdpEndPoint Forget()
        {
            WinsockTestSocket one = new();
            FaultySocket.SendNumbered(one.Socket.LocalEndPoint, 3);
            ReceiveBatch batch = one.Socket.CreateReceiveBatch();
            Assert.Equal(ReceiveStatus.Received, one.Socket.Receive(batch));
            return one.Socket.LocalEndPoint;
        }
    }

    [Fact]
    public void Receive_LeasedBuffers_AreNotFilledAgain()
    {
        using WinsockTestSocket one = new();
        using ReceiveBatch batch = one.Socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotCount = 8 });
        List<DatagramLease> leases = [];
        for (int round = 0; round < 20; round++)
        {
            FaultySocket.SendNumbered(one.Socket.LocalEndPoint, 8);
            for (int got = 0; got < 8; got += batch.Count)
            {
                Assert.Equal(ReceiveStatus.Received, one.Socket.Receive(batch, FaultySocket.Patience));
                foreach (Datagram datagram in batch) leases.Add(datagram.Lease());
            }
        }

        for (int i = 0; i < leases.Count; i++) Assert.Equal(i % 8, BitConverter.ToInt32(leases[i].Payload.Span));
        leases.ForEach(static lease => lease.Dispose());
    }
}
