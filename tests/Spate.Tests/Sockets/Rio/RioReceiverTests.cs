using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Spate.Sockets;
using Spate.Sockets.Rio;
using Notification = Spate.UdpSocketOptions.RioNotification;

namespace Spate.Tests.Sockets.Rio;

/// <summary>The forms of announcing and posting: each gives datagrams to each form of receive.</summary>
[ProcessWide("the broken rules that the stand-in notes are the process's")]
[OverStandIn("Registered I/O")]
public sealed class RioReceiverTests
{
    private static readonly RioShape Small = new(SlotCount: 8, PayloadBytes: 100);

    public static TheoryData<int, bool> Forms => new()
    {
        { (int)Notification.Event, false }, { (int)Notification.Event, true },
        { (int)Notification.Port, false }, { (int)Notification.Port, true },
        { (int)Notification.Nothing, false }, { (int)Notification.Nothing, true },
    };

    [Theory]
    [MemberData(nameof(Forms))]
    public void Receive_ManyChunks_ComeInOrder(int form, bool postsOnThread)
    {
        RioModel.Require();
        using (RioSocket<WindowsRioCalls> rio = RioModel.Open(Small, OptionsOf(form, postsOnThread)))
        {
            using ReceiveBatch batch = rio.Socket.CreateReceiveBatch(new() { SlotCount = 3 });
            long next = 0;
            for (int i = 0; i < 200; i++)
            {
                Wait.Until(() => rio.Receiver.Parts.Requests.PostedCount == Small.SlotCount);
                rio.Send(5);
                rio.Receive(batch, 5, ref next);
            }
        }

        RioModel.AssertRulesKept();
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task Receive_WaitsBefore_IsWoken(int form, bool postsOnThread)
    {
        RioModel.Require();
        using (RioSocket<WindowsRioCalls> rio = RioModel.Open(Small, OptionsOf(form, postsOnThread)))
        {
            using ReceiveBatch batch = rio.Socket.CreateReceiveBatch();
            for (int i = 0; i < 20; i++)
            {
                Task<ReceiveStatus> receive = Task.Run(() => rio.Socket.Receive(batch, RioModel.Patience));
                if (i % 2 == 0) Thread.Yield();
                Wait.Until(() => rio.Receiver.Parts.Requests.PostedCount > 0);
                rio.Send(1);
                Assert.Equal(ReceiveStatus.Received, await receive);
                Assert.Equal(1, batch.Count);
                Assert.Equal(UdpEndPoint.FromIPEndPoint((IPEndPoint)rio.SenderEndPoint), batch[0].Peer);
            }
        }

        RioModel.AssertRulesKept();
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task Dispose_CallsWait_AllReturnClosed(int form, bool postsOnThread)
    {
        RioModel.Require();
        RioSocket<WindowsRioCalls> rio = RioModel.Open(Small, OptionsOf(form, postsOnThread));
        using ReceiveBatch first = rio.Socket.CreateReceiveBatch();
        using ReceiveBatch second = rio.Socket.CreateReceiveBatch();
        Task<ReceiveStatus>[] calls =
        [
            Task.Run(() => rio.Socket.Receive(first)),
            Task.Run(() => rio.Socket.Receive(second)),
            Task.Run(() => rio.Receiver.WaitReadable(-1)),
        ];
        Thread.Yield();
        rio.Dispose();
        Assert.All(await Task.WhenAll(calls), static one => Assert.Equal(ReceiveStatus.Closed, one));
        RioModel.AssertRulesKept();
    }

    [Fact]
    public void Receive_LongerThanTheMemory_IsCutAndCounted()
    {
        RioModel.Require();
        using RioSocket<WindowsRioCalls> rio = RioModel.Open(Small);
        using ReceiveBatch batch = rio.Socket.CreateReceiveBatch(new() { SlotBytes = Small.PayloadBytes });
        byte[] payload = new byte[Small.PayloadBytes + 50];
        Random.Shared.NextBytes(payload);
        rio.Send(payload);
        rio.Send(payload[..Small.PayloadBytes]);
        List<(bool, int)> seen = [];
        while (seen.Count < 2)
        {
            Assert.Equal(ReceiveStatus.Received, rio.Socket.Receive(batch, RioModel.Patience));
            foreach (Datagram one in batch)
            {
                seen.Add((one.IsTruncated, one.Payload.Length));
                Assert.True(one.Payload.SequenceEqual(payload.AsSpan(0, Small.PayloadBytes)));
            }
        }

        Assert.Equal([(true, Small.PayloadBytes), (false, Small.PayloadBytes)], seen);
        Assert.Equal(1, rio.Socket.GetCounters().DatagramsTruncated);
    }

    [Fact]
    public void Receive_NothingComes_EndsInTime()
    {
        RioModel.Require();
        using RioSocket<WindowsRioCalls> rio = RioModel.Open(Small);
        using ReceiveBatch batch = rio.Socket.CreateReceiveBatch();
        Assert.Equal(ReceiveStatus.Empty, rio.Socket.TryReceive(batch));
        long start = Stopwatch.GetTimestamp();
        Assert.Equal(ReceiveStatus.TimedOut, rio.Socket.Receive(batch, TimeSpan.FromMilliseconds(30)));
        Assert.True(Stopwatch.GetElapsedTime(start).TotalMilliseconds >= 20);
    }

    [Fact]
    public void Adopt_SocketWithoutTheFlag_IsRefusedWithAdvice()
    {
        RioModel.Require();
        using Socket plain = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        plain.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        PlatformNotSupportedException fault = Assert.Throws<PlatformNotSupportedException>(
            () => UdpSocket.FromSocket(plain, new UdpSocketOptions { Backend = UdpBackend.Rio }));
        Assert.Contains("WSA_FLAG_REGISTERED_IO", fault.Message, StringComparison.Ordinal);
        RioModel.AssertRulesKept();
    }

    private static UdpSocketOptions OptionsOf(int form, bool postsOnThread) =>
        new() { NotifiesBy = (Notification)form, PostsOnThread = postsOnThread };
}
