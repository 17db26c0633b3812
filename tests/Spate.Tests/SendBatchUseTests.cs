using Spate.Buffers;
using Spate.Interop.Linux;
using Spate.Segmentation;
using Spate.Tests.Sockets;

namespace Spate.Tests;

/// <summary>What other threads do to a batch while the kernel reads it: each is refused, and nothing is lost.</summary>
public sealed class SendBatchUseTests
{
    private const int Count = 3;

    [Fact]
    public void Send_UsedByOtherCallsMeanwhile_RefusedAndAllSent()
    {
        FaultSchedule faults = new();
        using UdpSocket socket = FaultySocket.Bind(faults);
        using var peer = new NumberedPeer();
        FaultySocket.SendNumbered(socket.LocalEndPoint, Count);
        using ReceiveBatch received = socket.CreateReceiveBatch(new() { SlotCount = Count });
        using SendBatch batch = socket.CreateSendBatch();
        List<SlotBuffer> forwarded = [];
        while (batch.Count < Count)
        {
            Assert.Equal(ReceiveStatus.Received, socket.Receive(received, FaultySocket.Patience));
            foreach (Datagram datagram in received)
            {
                Assert.True(batch.TryForward(datagram, peer.EndPoint));
                forwarded.Add(datagram.Buffer!);
            }
        }

        NumberedBatch.AddInTurn(batch, [peer], Count, Count);
        List<string> messages = [];
        int callCount = 0;
        faults.Before = _ =>
        {
            faults.Before = static _ => { };
            foreach (Action use in UsesOf(batch, received, peer.EndPoint, socket))
            {
                callCount++;
                messages.Add(Assert.Throws<InvalidOperationException>(use).Message);
            }

            Assert.All(forwarded, buffer => Assert.True(buffer.IsShared));
        };

        SendResult result = socket.Send(batch);

        Assert.Equal((2 * Count, true), (result.Sent, result.AllSent));
        Assert.Equal([.. Enumerable.Range(0, Count), .. Enumerable.Range(Count, Count)], peer.Take(2 * Count));
        Assert.All(messages, message => Assert.StartsWith("The batch is in use by another call", message));
        Assert.Equal(9, callCount);
        Assert.All(forwarded, buffer => Assert.False(buffer.IsShared));
        Assert.True(batch.TryReserve(peer.EndPoint, 8, out Span<byte> payload));
        payload.Clear();
        Assert.Equal(1, socket.Send(batch).Sent);
        Assert.Equal([0], peer.Take(1));
    }

    [Fact]
    public void Dispose_WhileSent_AllLeavesAndThenTheMemoryIsReleased()
    {
        FaultSchedule faults = new();
        using UdpSocket socket = FaultySocket.Bind(faults);
        using var peer = new NumberedPeer();
        FaultySocket.SendNumbered(socket.LocalEndPoint, 1);
        using ReceiveBatch received = socket.CreateReceiveBatch();
        SendBatch batch = socket.CreateSendBatch();
        Assert.Equal(ReceiveStatus.Received, socket.Receive(received, FaultySocket.Patience));
        Assert.True(batch.TryForward(received[0], peer.EndPoint));
        SlotBuffer forwarded = received[0].Buffer!;
        NumberedBatch.AddInTurn(batch, [peer], 1, Count);
        faults.Before = _ =>
        {
            faults.Before = static _ => { };
            batch.Dispose();
            Assert.True(forwarded.IsShared);
        };

        Assert.Equal((1 + Count, true), (socket.Send(batch).Sent, batch.Count == 0));

        Assert.Equal(Enumerable.Range(0, 1 + Count), peer.Take(1 + Count));
        Assert.False(forwarded.IsShared);
        Assert.Throws<ObjectDisposedException>(() => socket.Send(batch));
    }

    [Fact]
    public async Task SendAsync_ClearedAfterAPart_RefusedAndTheRestIsSent()
    {
        const int accepted = 10, total = 100;
        CancellationToken stop = TestContext.Current.CancellationToken;
        FaultSchedule faults = new() { MaxSendCount = 1 };
        using UdpSocket socket = FaultySocket.Bind(faults);
        using var peer = new NumberedPeer();
        using SendBatch batch = socket.CreateSendBatch();
        faults.ErrnoOf = _ => faults.CountOf(CallKind.PlainSend) >= accepted ? Errno.ENOBUFS : 0;
        NumberedBatch.AddInTurn(batch, [peer], 0, total);
        Task<SendResult> sending = socket.SendAsync(batch, stop).AsTask();

        Assert.Equal(total - accepted, batch.Count);
        Assert.Throws<InvalidOperationException>(batch.Clear);
        faults.ErrnoOf = static _ => 0;

        SendResult result = await sending.WaitAsync(FaultySocket.Patience, stop);
        Assert.Equal((total, true), (result.Sent, result.AllSent));
        Assert.Equal(Enumerable.Range(0, total), peer.Take(total));
    }

    [Fact]
    public void Dispose_Twice_NothingElseIsPossible()
    {
        SendBatch batch = new(new SendQueue(GsoLimits.Default, capacity: 4, SendBatch.MaxPayloadBytes));
        UdpEndPoint peer = UdpEndPoint.Loopback(9);
        Assert.True(batch.TryReserve(peer, 1, out _));
        batch.Dispose();
        batch.Dispose();

        Assert.Throws<ObjectDisposedException>(batch.Clear);
        Assert.Throws<ObjectDisposedException>(() => batch.Trim(0));
        Assert.Throws<ObjectDisposedException>(() => batch.TryReserve(peer, 1, out _));
        Assert.Throws<ObjectDisposedException>(() => batch.TryAdd([1], peer));
        Assert.Equal(0, batch.Count);
    }

    private static IEnumerable<Action> UsesOf(
        SendBatch batch, ReceiveBatch received, UdpEndPoint peer, UdpSocket socket) =>
    [
        batch.Clear,
        () => batch.Trim(0),

        // As long as what was added last, which the short way would take.
        () => batch.TryReserve(peer, 8, out _),
        () => batch.TryReserve(8, out _),
        () => batch.TryReserve(peer, new SendControl { TrafficClass = 4 }, 8, out _),
        () => batch.TryReserveReply(received[0], 8, out _),
        () => batch.TryAdd([1], peer),
        () => batch.TryForward(received[0], peer),
        () => socket.Send(batch),
    ];
}
