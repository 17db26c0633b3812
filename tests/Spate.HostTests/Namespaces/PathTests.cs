using System.Net.Sockets;

namespace Spate.HostTests.Namespaces;

/// <summary>Paths that refuse: a small MTU, a link that goes down, a firewall, a port without a listener.</summary>
[NamespaceLoad("it loads network namespaces and counts their loss")]
public sealed class PathTests : IDisposable
{
    private const int MtuBytes = 1280;
    private const int LargeBytes = 1400;
    private const int DatagramCount = 40;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(100);

    private readonly NetworkNamespace _near = new();
    private readonly NetworkNamespace _far = new();

    public PathTests() => NetworkNamespace.Join(_near, "10.77.0.1/24", _far, "10.77.0.2/24");

    [Fact]
    public void Send_GsoMessagesLargerThanThePath_PlainOnceToThatDestinationOnly()
    {
        RequireGsoMessages();
        NarrowPath();
        using UdpSocket sender = _near.Bind("0.0.0.0:0");
        using UdpSocket local = _near.Bind("127.0.0.1:0");
        using UdpSocket remote = _far.Bind("10.77.0.2:0");
        using SendBatch batch = sender.CreateSendBatch();
        for (int i = 0; i < DatagramCount; i++)
        {
            Add(batch, remote.LocalEndPoint, i);
            Add(batch, local.LocalEndPoint, i);
        }

        SendResult result = sender.Send(batch);

        Assert.Equal(new SendResult(2 * DatagramCount, 0, 0, SocketError.Success, SendStatus.Done), result);
        Assert.Equal(Enumerable.Range(0, DatagramCount), TakeAll(remote, DatagramCount));
        Assert.Equal(Enumerable.Range(0, DatagramCount), TakeAll(local, DatagramCount));
        UdpCounters counters = sender.GetCounters();
        Assert.Equal(1, counters.GsoFallbacks);
        Assert.InRange(counters.MessagesSent, DatagramCount + 1, DatagramCount + 2);
    }

    [Fact]
    public void Send_LargerThanThePathUnderDontFragment_RefusedAndCounted()
    {
        RequireGsoMessages();
        NarrowPath();
        using UdpSocket sender = _near.Bind(
            "0.0.0.0:0", new UdpSocketOptions { Fragmentation = UdpFragmentation.DontFragment });
        using UdpSocket remote = _far.Bind("10.77.0.2:0");
        using SendBatch batch = sender.CreateSendBatch();
        for (int i = 0; i < DatagramCount; i++) Add(batch, remote.LocalEndPoint, i);
        Add(batch, remote.LocalEndPoint, DatagramCount, MtuBytes - 28);

        SendResult result = sender.Send(batch);

        Assert.Equal(new SendResult(1, DatagramCount, 0, SocketError.MessageSize, SendStatus.Done), result);
        Assert.Equal([DatagramCount], TakeAll(remote, 1));
        Assert.Equal(DatagramCount, sender.GetCounters().DatagramsRefused);
        Assert.Equal(SocketError.MessageSize, sender.SendTo(new byte[LargeBytes], remote.LocalEndPoint).FirstError);
        Assert.Equal(DatagramCount + 1, sender.GetCounters().DatagramsRefused);
    }

    [Theory]
    [InlineData(UdpFragmentation.Allowed, true)]
    [InlineData(UdpFragmentation.DontFragment, false)]
    public void Send_TwoTooLongForThePath_ShorterOnesKeepTheirGsoMessages(UdpFragmentation fragmentation, bool leave)
    {
        RequireGsoMessages();
        using UdpSocket sender = _near.Bind("0.0.0.0:0", new UdpSocketOptions { Fragmentation = fragmentation });
        using UdpSocket remote = _far.Bind("10.77.0.2:0");
        using SendBatch batch = sender.CreateSendBatch();
        for (int i = 0; i < 2; i++) Add(batch, remote.LocalEndPoint, i, 3000);
        SendResult result = sender.Send(batch);
        Assert.Equal((leave ? 2 : 0, leave ? 0 : 2), (result.Sent, result.Refused));
        UdpCounters before = sender.GetCounters();
        for (int i = 0; i < DatagramCount; i++) Add(batch, remote.LocalEndPoint, 2 + i);

        Assert.True(sender.Send(batch).AllSent);

        Assert.Equal(leave ? 1 : 0, before.GsoFallbacks);
        Assert.Equal(before.GsoFallbacks, sender.GetCounters().GsoFallbacks);
        Assert.Equal(1, sender.GetCounters().MessagesSent - before.MessagesSent);
        int first = leave ? 0 : 2;
        int count = DatagramCount + 2 - first;
        Assert.Equal(Enumerable.Range(first, count), TakeAll(remote, count));
    }

    [Fact]
    public void Receive_PortUnreachableElsewhere_NamedAndNobodyElseHarmed()
    {
        UdpCapability mmsg = UdpCapabilities.Current.Mmsg;
        Assert.SkipUnless(mmsg.IsAvailable, mmsg.Reason);
        using UdpSocket sender = _near.Bind("10.77.0.1:0", new UdpSocketOptions { ReportIcmpErrors = true });
        using UdpSocket remote = _far.Bind("10.77.0.2:0");
        UdpEndPoint dead = _far.Enter(() =>
        {
            using UdpSocket closed = UdpSocket.Bind(UdpEndPoint.Parse("10.77.0.2:0"));
            return closed.LocalEndPoint;
        });
        for (int i = 0; i < DatagramCount; i++)
        {
            Assert.True(sender.SendTo([1], dead).AllSent);
            Assert.True(sender.SendTo(BitConverter.GetBytes(i), remote.LocalEndPoint).AllSent);
        }

        Assert.Equal(Enumerable.Range(0, DatagramCount), TakeAll(remote, DatagramCount));
        Assert.True(remote.SendTo(BitConverter.GetBytes(7), sender.LocalEndPoint).AllSent);
        Assert.Equal([7], TakeAll(sender, 1));
        Assert.True(sender.TryReceiveIcmpError(out UdpIcmpError error));
        Assert.Equal((dead, SocketError.ConnectionRefused), (error.Peer, error.Error));
        Assert.Equal(((int?)3, (int?)3), (error.IcmpType, error.IcmpCode));
        Assert.Equal(UdpAddress.Parse("10.77.0.2"), error.Reporter);
        while (sender.TryReceiveIcmpError(out error)) Assert.Equal(dead, error.Peer);
    }

    [Fact]
    public void Send_LinkDownAndUp_ResultsThenRecovery()
    {
        using UdpSocket sender = _near.Bind("0.0.0.0:0");
        using UdpSocket remote = _far.Bind("10.77.0.2:0");
        using SendBatch batch = sender.CreateSendBatch();
        using ReceiveBatch incoming = remote.CreateReceiveBatch();
        for (int round = 0; round < 5; round++)
        {
            _near.Ip("link set veth0 down");
            for (int i = 0; i < DatagramCount; i++) Add(batch, remote.LocalEndPoint, i);
            SendResult result = sender.Send(batch);
            Assert.Equal(
                new SendResult(0, DatagramCount, 0, SocketError.NetworkUnreachable, SendStatus.Done), result);
            Assert.Equal(SocketError.NetworkUnreachable, sender.SendTo([1], remote.LocalEndPoint).FirstError);
            Assert.Equal(ReceiveStatus.Empty, remote.TryReceive(incoming));
            _near.Ip("link set veth0 up");

            // The address has to be found anew, which may take the first datagrams.
            bool arrived = false;
            for (int attempt = 0; attempt < 100 && !arrived; attempt++)
            {
                sender.SendTo(BitConverter.GetBytes(round), remote.LocalEndPoint);
                arrived = remote.Receive(incoming, Moment) == ReceiveStatus.Received;
            }

            Assert.True(arrived, "Nothing arrived after the link was up again.");
            while (remote.Receive(incoming, Moment) == ReceiveStatus.Received)
            {
            }
        }
    }

    [Fact]
    public void Send_FirewallDropsOutput_RefusedAndCounted()
    {
        Programs.Require("nft", "nftables");
        using UdpSocket sender = _near.Bind("0.0.0.0:0");
        using UdpSocket open = _far.Bind("10.77.0.2:0");
        using UdpSocket forbidden = _far.Bind("10.77.0.2:0");
        using SendBatch batch = sender.CreateSendBatch();
        _near.Execute("nft add table inet spate");
        _near.Execute("nft add chain inet spate out { type filter hook output priority 0; }");
        _near.Execute($"nft add rule inet spate out udp dport {forbidden.LocalEndPoint.Port} drop");
        for (int i = 0; i < DatagramCount; i++)
        {
            Add(batch, forbidden.LocalEndPoint, i, 100);
            Add(batch, open.LocalEndPoint, i, 100);
        }

        SendResult result = sender.Send(batch);

        Assert.Equal(
            new SendResult(DatagramCount, DatagramCount, 0, SocketError.AccessDenied, SendStatus.Done), result);
        Assert.Equal(Enumerable.Range(0, DatagramCount), TakeAll(open, DatagramCount));
        Assert.Equal(SocketError.AccessDenied, sender.SendTo([1], forbidden.LocalEndPoint).FirstError);
        Assert.Equal(DatagramCount + 1, sender.GetCounters().DatagramsRefused);
        Assert.Equal(ReceiveStatus.TimedOut, forbidden.ReceiveFrom(new byte[10], Moment, out _));
    }

    public void Dispose()
    {
        _near.Dispose();
        _far.Dispose();
    }

    private static void RequireGsoMessages()
    {
        UdpCapability messages = UdpCapabilities.Current.SegmentedSend;
        Assert.SkipUnless(messages.IsAvailable, messages.Reason);
    }

    private void NarrowPath() => _near.Ip($"link set veth0 mtu {MtuBytes}");

    private static void Add(SendBatch batch, in UdpEndPoint peer, int number, int sizeBytes = LargeBytes)
    {
        Assert.True(batch.TryReserve(peer, sizeBytes, out Span<byte> payload));
        payload.Clear();
        Assert.True(BitConverter.TryWriteBytes(payload, number));
    }

    private static List<int> TakeAll(UdpSocket receiver, int count)
    {
        byte[] buffer = new byte[4000];
        List<int> numbers = [];
        TimeSpan wait = Patience;
        while (receiver.ReceiveFrom(buffer, wait, out _) == ReceiveStatus.Received)
        {
            numbers.Add(BitConverter.ToInt32(buffer));

            // After the last one only a moment more, for any that should not come.
            if (numbers.Count >= count) wait = Moment;
        }

        return numbers;
    }
}
