using System.Net;

namespace Spate.Tests.Contracts;

/// <summary>What comes with a datagram, over IPv4, IPv6, and IPv4 through IPv6 sockets.</summary>
public abstract partial class DatagramContract
{
    private UdpMetadata Everything => UdpMetadata.LocalAddress | UdpMetadata.TrafficClass | UdpMetadata.TimeToLive
        | (IsOfLinux ? UdpMetadata.Timestamp : UdpMetadata.None);

    public enum Route
    {
        IPv4,
        IPv6,
        MappedReceiver,
        MappedSender,
    }

    public static TheoryData<Route, Form> RoutesAndForms
    {
        get
        {
            TheoryData<Route, Form> data = [];
            foreach (Route route in Enum.GetValues<Route>())
            {
                foreach (Form form in Enum.GetValues<Form>()) data.Add(route, form);
            }

            return data;
        }
    }

    [Theory, MemberData(nameof(RoutesAndForms))]
    public async Task Receive_AllMetadata_TellsWhatWasSent(Route route, Form form)
    {
        if (!TryMakePair(route, out UdpSocket sender, out UdpSocket receiver, out UdpEndPoint target)) return;
        long before = UnixNanoseconds();
        await SendPayloadsAsync(Form.Batch, sender, target, Payloads.Same(6, 300));

        List<Incoming> received = await ReceiveAllAsync(form, receiver, 6);

        long after = UnixNanoseconds();
        int loopback = LoopbackIndex();
        Assert.All(received, datagram =>
        {
            Assert.Equal(target.Address, datagram.LocalAddress);
            Assert.Equal(loopback, datagram.InterfaceIndex);
            Assert.Equal(TrafficClassOf(route), datagram.TrafficClass);
            Assert.Equal(42, datagram.TimeToLive);

            // The two clocks are one, but the kernel may read it a tick earlier.
            if (!IsOfLinux) Assert.Null(datagram.TimestampUnixNanoseconds);
            else Assert.InRange(datagram.TimestampUnixNanoseconds ?? 0, before - 1_000_000_000, after + 1_000_000_000);
        });
    }

    [Theory, MemberData(nameof(RoutesAndForms))]
    public async Task SendControl_TrafficClass_OverridesTheSockets(Route route, Form form)
    {
        SkipWhereControlsAreIgnored();
        if (!TryMakePair(route, out UdpSocket sender, out UdpSocket receiver, out UdpEndPoint target)) return;
        int?[] classes = [null, 0, 1, 1, 3, 0xFF, 0xFF, null];
        using SendBatch batch = sender.CreateSendBatch();
        foreach (int? trafficClass in classes)
            Assert.True(batch.TryReserve(target, new SendControl { TrafficClass = trafficClass }, 50, out _));
        Assert.Equal(classes.Length, sender.Send(batch).Sent);

        List<Incoming> received = await ReceiveAllAsync(form, receiver, classes.Length);

        // Of one peer, so in order whatever the traffic class.
        Assert.Equal(
            classes.Select(one => one ?? TrafficClassOf(route)),
            received.Select(datagram => datagram.TrafficClass ?? -1));
    }

    [Theory, MemberData(nameof(RoutesAndForms))]
    public async Task SendControl_TimeToLive_OverridesTheSockets(Route route, Form form)
    {
        SkipWhereControlsAreIgnored();
        if (!TryMakePair(route, out UdpSocket sender, out UdpSocket receiver, out UdpEndPoint target)) return;
        int?[] times = [null, 1, 1, 63, 255, 255, null];
        using SendBatch batch = sender.CreateSendBatch();
        foreach (int? time in times)
            Assert.True(batch.TryReserve(target, new SendControl { TimeToLive = time }, 50, out _));
        Assert.Equal(times.Length, sender.Send(batch).Sent);

        List<Incoming> received = await ReceiveAllAsync(form, receiver, times.Length);

        Assert.Equal(times.Select(one => one ?? 42), received.Select(datagram => datagram.TimeToLive ?? -1));
    }

    [Theory, InlineData(0), InlineData(-1), InlineData(256)]
    public void SendControl_ImpossibleTimeToLive_IsAnArgumentError(int time)
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new SendControl { TimeToLive = time });
        Assert.Null(default(SendControl).TimeToLive);
        Assert.NotEqual(default, new SendControl { TimeToLive = 1 });
    }

    [Fact]
    public void TryForward_WithControls_EachDatagramLeavesAsItsControlSays()
    {
        SkipWhereControlsAreIgnored();
        if (!TryBindWith(UdpMetadata.TimeToLive, UdpEndPoint.Loopback(0), out UdpSocket receiver)) return;
        UdpSocket relay = BindLoopback();
        UdpSocket origin = BindLoopback();
        for (int i = 0; i < 4; i++) SendNow(origin, relay.LocalEndPoint, [(byte)i]);
        using ReceiveBatch source = relay.CreateReceiveBatch();
        using SendBatch outgoing = relay.CreateSendBatch();
        int count = 0;
        while (count < 4)
        {
            Assert.Equal(ReceiveStatus.Received, relay.Receive(source));
            foreach (Datagram datagram in source)
            {
                var control = new SendControl { TimeToLive = count++ < 2 ? 7 : 8 };
                Assert.Throws<ArgumentException>(
                    () => ForwardFirst(source, outgoing, new() { LocalAddress = UdpAddress.IPv6Loopback }));
                Assert.True(outgoing.TryForward(datagram, receiver.LocalEndPoint, control));
            }
        }

        Assert.Equal(4, relay.Send(outgoing).Sent);
        for (int i = 0; i < 4; i++)
        {
            byte[] payload = new byte[10];
            Assert.Equal(ReceiveStatus.Received, receiver.ReceiveFrom(payload, out ReceivedDatagram datagram));
            Assert.Equal((i, i < 2 ? 7 : 8), (payload[0], datagram.TimeToLive ?? -1));
        }

        static void ForwardFirst(ReceiveBatch source, SendBatch outgoing, SendControl control) =>
            outgoing.TryForward(source[0], source[0].Peer, control);
    }

    [Fact]
    public void Receive_TrafficClass_IsSplitIntoDscpAndEcn()
    {
        SkipWhereControlsAreIgnored();
        if (!TryBindWith(UdpMetadata.TrafficClass, UdpEndPoint.Loopback(0), out UdpSocket receiver)) return;
        UdpSocket sender = BindLoopback();
        SendOneWith(sender, receiver.LocalEndPoint, new() { TrafficClass = (46 << 2) | 3 });
        SendOneWith(sender, receiver.LocalEndPoint, new() { TrafficClass = (10 << 2) | 1 });
        using ReceiveBatch batch = receiver.CreateReceiveBatch(new() { SlotCount = 1 });

        Assert.Equal(ReceiveStatus.Received, receiver.Receive(batch));

        Assert.Equal((46, EcnCodepoint.CongestionExperienced), (batch[0].Dscp, batch[0].Ecn));
        Assert.Null(batch[0].TimeToLive);
        Assert.Null(batch[0].TimestampUnixNanoseconds);
        Assert.True(batch[0].LocalAddress.IsDefault);
        Assert.Equal(ReceiveStatus.Received, receiver.ReceiveFrom(new byte[10], out ReceivedDatagram datagram));
        Assert.Equal((10, EcnCodepoint.Ect1), (datagram.Dscp, datagram.Ecn));
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Receive_WithoutMetadata_TellsNone(Form form)
    {
        UdpSocket receiver = BindLoopback();
        await SendPayloadsAsync(form, BindLoopback(), receiver.LocalEndPoint, Payloads.Same(3, 10));

        List<Incoming> received = await ReceiveAllAsync(form, receiver, 3);

        Assert.All(received, AssertNone);
    }

    [Fact]
    public async Task Receive_BatchLentToASocketWithoutMetadata_TellsNoneOfTheOthers()
    {
        if (!TryBindWith(Everything, UdpEndPoint.Loopback(0), out UdpSocket telling)) return;
        UdpSocket silent = BindLoopback();
        using ReceiveBatch batch = telling.CreateReceiveBatch();
        for (int round = 0; round < 3; round++)
        {
            SendNow(silent, telling.LocalEndPoint, [1]);
            SendNow(telling, silent.LocalEndPoint, [2]);

            Incoming told = (await ReceiveBatchAsync(Form.Batch, telling, batch))[0];
            Incoming untold = (await ReceiveBatchAsync(Form.Batch, silent, batch))[0];

            Assert.Equal(64, told.TimeToLive);
            AssertNone(untold);
        }
    }

    private static void AssertNone(Incoming datagram)
    {
        Assert.True(datagram.LocalAddress.IsDefault);
        Assert.Null(datagram.InterfaceIndex ?? datagram.TrafficClass ?? datagram.TimeToLive);
        Assert.Null(datagram.TimestampUnixNanoseconds);
    }

    private bool TryMakePair(Route route, out UdpSocket sender, out UdpSocket receiver, out UdpEndPoint target)
    {
        if (route != Route.IPv4) RequireIPv6();
        sender = null!;
        target = default;
        UdpEndPoint any = UdpEndPoint.Any(0), anyIPv6 = UdpEndPoint.IPv6Any(0);
        bool receivesOnIPv6 = route is Route.IPv6 or Route.MappedReceiver;
        bool sendsOnIPv6 = route is Route.IPv6 or Route.MappedSender;
        if (!TryBindWith(Everything, receivesOnIPv6 ? anyIPv6 : any, out receiver)) return false;

        // DSCP EF and ECT(1).
        int trafficClass = TrafficClassOf(route);
        sender = Bind(
            sendsOnIPv6 ? anyIPv6 : any,
            Options(timeToLive: 42, trafficClass: trafficClass == 0 ? null : trafficClass));
        int port = receiver.LocalEndPoint.Port;
        target = route == Route.IPv6 ? UdpEndPoint.IPv6Loopback(port) : new(IPAddress.Parse("127.0.0.3"), port);
        return true;
    }

    // Only on Linux an IPv6 socket has a traffic class.
    private int TrafficClassOf(Route route) => IsOfLinux || route is Route.IPv4 or Route.MappedReceiver ? 0xB9 : 0;

    private static long UnixNanoseconds() => (DateTimeOffset.UtcNow - DateTimeOffset.UnixEpoch).Ticks * 100;

    private static int LoopbackIndex() =>
        System.Net.NetworkInformation.NetworkInterface.GetAllNetworkInterfaces()
            .Single(static one => one.NetworkInterfaceType
                == System.Net.NetworkInformation.NetworkInterfaceType.Loopback)
            .GetIPProperties().GetIPv4Properties().Index;
}
