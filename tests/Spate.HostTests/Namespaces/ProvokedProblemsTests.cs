using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Settings;

namespace Spate.HostTests.Namespaces;

/// <summary>Losses that are provoked in a namespace: their check names them, and no longer after the remedy.</summary>
[QuietHost("limits of the host, as rmem_max, are changed")]
public sealed class ProvokedProblemsTests : IDisposable
{
    private const int DatagramCount = 500;
    private const int SizeBytes = 1000;
    private const int UsualBytes = 212_992;

    private readonly NetworkNamespace _network = new();
    private readonly List<UdpSocket> _unread = [];

    public void Dispose()
    {
        foreach (UdpSocket one in _unread) one.Dispose();
        _network.Dispose();
    }

    [Fact]
    public void RmemMax_UnreadSocketWithAllThatIsGranted_IsNamedFirst()
    {
        Programs.Require("sysctl", "procps");
        using var limit = new HostSetting("/proc/sys/net/core/rmem_max");
        limit.Set(UsualBytes);
        var options = new UdpSocketOptions { ReceiveBufferBytes = 4 << 20, ForceBuffers = false };

        IReadOnlyList<CheckFinding> findings = Watch(() => Flood(options));

        CheckFinding first = findings[0];
        Assert.Equal(("rmem-max", CheckStatus.Problem), (first.Id, first.Status));
        CheckFinding drops = Find(findings, "socket-drops");
        Assert.Equal((CheckStatus.Problem, first.Growth), (drops.Status, drops.Growth));
        Assert.Contains(" dropped, buffer 425,984 bytes", drops.Found, StringComparison.Ordinal);

        // The limit is the host's, so that the namespace is given no command that it would be refused.
        Assert.Null(first.Command);
        Assert.Contains("net.core.rmem_max is refused here", first.Reason, StringComparison.Ordinal);
        HostChange change = HostChange.Of(new SysctlSetting("net.core.rmem_max"), UsualBytes, 1 << 24);
        NetworkNamespace.RunOutside(change.Command);
        findings = Watch(() => Flood(options));
        Assert.Equal(CheckStatus.Ok, Find(findings, "rmem-max").Status);
        Assert.Equal(CheckStatus.Ok, Find(findings, "socket-drops").Status);
        NetworkNamespace.RunOutside(change.Undo);
    }

    [Fact]
    public void RmemDefault_UnreadSocketThatAsksForNone_IsNamed()
    {
        Programs.Require("sysctl", "procps");
        using var value = new HostSetting("/proc/sys/net/core/rmem_default");
        value.Set(UsualBytes);
        var options = new UdpSocketOptions { ReceiveBufferBytes = null };

        AssertMended("rmem-default", () => Flood(options), one =>
        {
            Assert.Null(one.Command);
            value.Set(4 << 20);
        });
    }

    [Fact]
    public void SocketDrops_SmallBuffer_NamesThePortAndTheProgramAndNotTheLimit()
    {
        int bytes = 4096;
        int port = 0;

        IReadOnlyList<CheckFinding> findings = Watch(Run);

        CheckFinding drops = Find(findings, "socket-drops");
        Assert.Equal(CheckStatus.Problem, drops.Status);
        Assert.StartsWith($"port {port} (", drops.Found, StringComparison.Ordinal);
        Assert.NotEqual(CheckStatus.Problem, Find(findings, "rmem-max").Status);
        bytes = 4 << 20;
        Assert.Equal(CheckStatus.Ok, Find(Watch(Run), "socket-drops").Status);

        void Run() => port = Flood(new UdpSocketOptions { ReceiveBufferBytes = bytes });
    }

    [Fact]
    public void NoPorts_NobodyListens_IsNamed()
    {
        using UdpSocket sender = _network.Bind("127.0.0.1:0");
        UdpSocket? receiver = null;

        AssertMended(
            "no-ports",
            () => SendAll(sender, UdpEndPoint.Loopback(9999)),
            _ => receiver = _network.Bind("127.0.0.1:9999"));
        receiver?.Dispose();
    }

    [Fact]
    public void ChecksumErrors_ForgedDatagram_IsNamed()
    {
        // The loopback checks no checksums, a veth pair does.
        using var far = new NetworkNamespace();
        NetworkNamespace.Join(_network, "10.78.0.1/24", far, "10.78.0.2/24");
        using UdpSocket receiver = _network.Bind("10.78.0.1:0");
        using UdpSocket sender = far.Bind("10.78.0.2:0");
        using Socket forger = far.Enter(
            static () => new Socket(AddressFamily.InterNetwork, SocketType.Raw, ProtocolType.Udp));
        SendUntilReceived(sender, receiver);
        bool isForged = true;

        AssertMended(
            "checksum-errors",
            () =>
            {
                if (isForged) SendWrongChecksum(forger, receiver.LocalEndPoint.Port);

                // The kernel looks at the checksum when a program asks for the datagram.
                sender.SendTo(new byte[SizeBytes], receiver.LocalEndPoint);
                Assert.Equal(ReceiveStatus.Received, Receive(receiver));
            },
            _ => isForged = false);
    }

    [Fact]
    public void IpDiscards_AddressOfAnother_IsNamed()
    {
        using var far = new NetworkNamespace();
        NetworkNamespace.Join(_network, "10.78.0.1/24", far, "10.78.0.2/24");
        far.Ip("route add 192.0.2.1/32 via 10.78.0.1");
        using UdpSocket receiver = _network.Bind("0.0.0.0:0");
        using UdpSocket sender = far.Bind("10.78.0.2:0");
        var there = UdpEndPoint.Parse($"10.78.0.1:{receiver.LocalEndPoint.Port}");
        var nowhere = UdpEndPoint.Parse($"192.0.2.1:{receiver.LocalEndPoint.Port}");
        SendUntilReceived(sender, receiver, there);

        CheckFinding finding = AssertMended(
            "ip-discards",
            () =>
            {
                SendAll(sender, nowhere);
                SendUntilReceived(sender, receiver, there); // what was sent before has come in by then
            },
            _ => _network.Ip("route add local 192.0.2.1/32 dev lo"));

        Assert.Equal($"IpInAddrErrors {DatagramCount}", finding.Found);
    }

    [Fact]
    public void IpFragments_NoMemoryForThem_AreNamed()
    {
        Programs.Require("sysctl", "procps");
        _network.Ip("link set lo mtu 1500");
        _network.Execute("sysctl -w net.ipv4.ipfrag_low_thresh=0");
        _network.Execute("sysctl -w net.ipv4.ipfrag_high_thresh=0");
        using UdpSocket receiver = _network.Bind("127.0.0.1:0");
        using UdpSocket sender = _network.Bind(
            "127.0.0.1:0", new UdpSocketOptions { Fragmentation = UdpFragmentation.Allowed });

        AssertMended(
            "ip-fragments",
            () => sender.SendTo(new byte[5000], receiver.LocalEndPoint),
            one => _network.Execute(one.Command!),
            () => Assert.Equal(ReceiveStatus.Received, Receive(receiver)));
    }

    [Fact]
    public void RpFilter_SourceBehindAnotherInterface_IsNamed()
    {
        Programs.Require("sysctl", "procps");
        using var far = new NetworkNamespace();
        NetworkNamespace.Join(_network, "10.78.0.1/24", far, "10.78.0.2/24");
        far.Ip("address add 10.79.0.2/32 dev lo");
        _network.Ip("link add veth1 type veth peer name veth2");
        _network.Ip("link set veth1 up");
        _network.Ip("link set veth2 up");
        _network.Ip("route add 10.79.0.0/24 dev veth1");
        _network.Execute("sysctl -w net.ipv4.conf.veth0.rp_filter=1");
        using UdpSocket receiver = _network.Bind("10.78.0.1:0");
        using UdpSocket sender = far.Bind("10.79.0.2:0");
        using UdpSocket near = far.Bind("10.78.0.2:0");
        SendUntilReceived(near, receiver); // the neighbour's address is known from here on

        AssertMended(
            "rp-filter",
            () => sender.SendTo(new byte[SizeBytes], receiver.LocalEndPoint),
            one => _network.Execute(one.Command!),
            () => Assert.Equal(ReceiveStatus.Received, Receive(receiver)));
    }

    [Fact]
    public void Firewall_RuleThatDropsThePort_IsNamedAndTheRemedyTakenBack()
    {
        // Without the counts of packets, and with the handles.
        const string ListRules = "nft -s -a list ruleset";
        _network.RequireNft();
        _network.AddRule("inet", "hook input priority 0", "udp dport 9999 counter drop");
        string before = _network.Execute(ListRules);
        using UdpSocket receiver = _network.Bind("127.0.0.1:9999");
        using UdpSocket sender = _network.Bind("127.0.0.1:0");

        CheckFinding finding = AssertMended(
            "firewall",
            () => sender.SendTo(new byte[SizeBytes], receiver.LocalEndPoint),
            one => _network.Execute(one.Command!),
            () => Assert.Equal(ReceiveStatus.Received, Receive(receiver)));
        Assert.False(string.Equals(before, _network.Execute(ListRules), StringComparison.Ordinal));
        _network.Execute($"sh -c \"{finding.Undo!.Replace("\"", "\\\"", StringComparison.Ordinal)}\"");
        Assert.Equal(before, _network.Execute(ListRules));
    }

    [Fact]
    public void Conntrack_FullTable_IsNamed()
    {
        const int Connections = 4;
        _network.RequireNft();
        Programs.Require("sysctl", "procps");
        using var limit = new HostSetting("/proc/sys/net/netfilter/nf_conntrack_max");
        _network.AddRule("ip", "hook input priority 0", "ct state invalid accept");
        using UdpSocket receiver = _network.Bind("127.0.0.1:0");
        for (int i = 0; i <= Connections; i++) SendFromNewPort();
        limit.Set(Connections);

        AssertMended("conntrack", SendFromNewPort, one =>
        {
            Assert.Null(one.Command);
            limit.Set(2 * Connections);
        });

        void SendFromNewPort()
        {
            using UdpSocket sender = _network.Bind("127.0.0.1:0");
            sender.SendTo(new byte[SizeBytes], receiver.LocalEndPoint);
        }
    }

    [Fact]
    public void SendBufferErrors_QueueThatOverflows_IsNamedWithTheQueue()
    {
        Programs.Require("tc", "iproute2");
        using var far = new NetworkNamespace();
        NetworkNamespace.Join(_network, "10.78.0.1/24", far, "10.78.0.2/24");
        using UdpSocket receiver = far.Bind("10.78.0.2:0");
        using UdpSocket sender = _network.Bind("10.78.0.1:0", new UdpSocketOptions { SegmentedSend = false });
        SendUntilReceived(sender, receiver);
        _network.Execute("tc qdisc add dev veth0 root handle 77: tbf rate 1mbit burst 10kb limit 10kb");

        CheckFinding finding = AssertMended(
            "send-buffer-errors",
            () => SendAll(sender, receiver.LocalEndPoint),
            _ => _network.Execute("tc qdisc delete dev veth0 root"));

        Assert.Contains("; tbf of veth0 dropped ", finding.Found, StringComparison.Ordinal);
    }

    [Fact]
    public void WmemMax_FullSocketWithAllThatIsGranted_IsNamed()
    {
        const int MaxSends = 10_000;
        Programs.Require("tc", "iproute2");
        using var limit = new HostSetting("/proc/sys/net/core/wmem_max");
        limit.Set(UsualBytes);
        using var far = new NetworkNamespace();
        NetworkNamespace.Join(_network, "10.78.0.1/24", far, "10.78.0.2/24");
        using UdpSocket receiver = far.Bind("10.78.0.2:0");
        using UdpSocket first = _network.Bind("10.78.0.1:0");
        SendUntilReceived(first, receiver);
        _network.Execute("tc qdisc add dev veth0 root tbf rate 1mbit burst 10kb limit 100mb"); // drops nothing
        var options = new UdpSocketOptions { SendBufferBytes = 4 << 20, ForceBuffers = false, SegmentedSend = false };

        IReadOnlyList<CheckFinding> findings = Watch(Fill);

        Assert.Equal(CheckStatus.Problem, Find(findings, "wmem-max").Status);
        Assert.Equal(CheckStatus.Problem, Find(findings, "send-buffer-errors").Status);
        options = options with { SendBufferBytes = UsualBytes / 4 };
        Assert.NotEqual(CheckStatus.Problem, Find(Watch(Fill), "wmem-max").Status);

        void Fill()
        {
            UdpSocket sender = _network.Bind("10.78.0.1:0", options);
            _unread.Add(sender);
            int sends = 0;
            while (sender.TrySendTo(new byte[SizeBytes], receiver.LocalEndPoint).Status == SendStatus.Done)
            {
                Assert.True(++sends < MaxSends, "The send buffer does not fill up.");
            }
        }
    }

    private static CheckFinding Find(IReadOnlyList<CheckFinding> findings, string id) =>
        Assert.Single(findings, one => string.Equals(one.Id, id, StringComparison.Ordinal));

    private static ReceiveStatus Receive(UdpSocket socket)
    {
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        return socket.Receive(batch, TimeSpan.FromSeconds(10));
    }

    // Until the neighbour's address is known, the kernel keeps a few datagrams and drops the others.
    private static void SendUntilReceived(UdpSocket sender, UdpSocket receiver) =>
        SendUntilReceived(sender, receiver, receiver.LocalEndPoint);

    private static void SendUntilReceived(UdpSocket sender, UdpSocket receiver, in UdpEndPoint to)
    {
        using ReceiveBatch batch = receiver.CreateReceiveBatch();
        do
        {
            sender.SendTo(new byte[SizeBytes], to);
        }
        while (receiver.Receive(batch, TimeSpan.FromMilliseconds(200)) != ReceiveStatus.Received);
    }

    private static void SendAll(UdpSocket sender, in UdpEndPoint to)
    {
        byte[] payload = new byte[SizeBytes];
        for (int i = 0; i < DatagramCount; i++) sender.SendTo(payload, to);
    }

    // A UDP header whose checksum is 1: of this payload, it is another one.
    private static void SendWrongChecksum(Socket socket, int port)
    {
        byte[] datagram = new byte[108];
        BinaryPrimitives.WriteUInt16BigEndian(datagram, 9);
        BinaryPrimitives.WriteUInt16BigEndian(datagram.AsSpan(2), (ushort)port);
        BinaryPrimitives.WriteUInt16BigEndian(datagram.AsSpan(4), (ushort)datagram.Length);
        BinaryPrimitives.WriteUInt16BigEndian(datagram.AsSpan(6), 1);
        socket.SendTo(datagram, new IPEndPoint(IPAddress.Parse("10.78.0.1"), 0));
    }

    /// <summary>What the doctor finds in the namespace when something happens while it watches.</summary>
    private IReadOnlyList<CheckFinding> Watch(Action traffic) => _network.Enter(() =>
    {
        using var reader = new HostReader(
            new CheckOptions { Profile = HostProfile.OneGigabit }, TimeProvider.System);
        traffic();
        return HostExamination.Of(reader.Take()).Findings;
    });

    /// <summary>Holds that a check names a loss, and does not after the remedy.</summary>
    private CheckFinding AssertMended(
        string id, Action traffic, Action<CheckFinding> remedy, Action? afterwards = null)
    {
        CheckFinding finding = Find(Watch(traffic), id);
        Assert.Equal(CheckStatus.Problem, finding.Status);
        Assert.True(finding.Growth > 0);
        remedy(finding);
        Assert.NotEqual(CheckStatus.Problem, Find(Watch(traffic), id).Status);
        afterwards?.Invoke();
        return finding;
    }

    // Opens a socket that nobody reads, and sends it more than the usual buffer holds.
    private int Flood(UdpSocketOptions options)
    {
        var receiver = UdpSocket.Bind(UdpEndPoint.Loopback(0), options with { CoalescedReceive = false });
        _unread.Add(receiver);
        using UdpSocket sender = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        SendAll(sender, receiver.LocalEndPoint);
        return receiver.LocalEndPoint.Port;
    }
}
