using System.Diagnostics.Metrics;
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using Spate.Diagnostics;
using Spate.Serving;
using Spate.Sockets;
using Spate.Sockets.Portable;
using Spate.Tests.Serving;

namespace Spate.Tests.Diagnostics;

/// <summary>What the meter "Spate" and the counters of closed sockets tell.</summary>
[Collection(AloneCollection.Name)]
public sealed class SpateMeterTests
{
    private const int DatagramCount = 7;
    private const int PayloadBytes = 30;
    private const string Full = "spate.drops/channel_full/datagrams";
    private const string Handler = "spate.drops/handler/datagrams";
    private const string DropsName = "spate.drops/kernel_socket/datagrams";

    [Theory]
    [InlineData(UdpBackend.Portable)]
    [InlineData(UdpBackend.Mmsg)]
    public void Collect_OpenAndClosedSockets_TotalsOfBoth(UdpBackend backend)
    {
        UdpCapability mmsg = UdpCapabilities.Current.Mmsg;
        Assert.SkipUnless(backend != UdpBackend.Mmsg || mmsg.IsAvailable, mmsg.Reason);
        Dictionary<string, long> before = CollectAfterFinalizers();
        Exchange(backend).Dispose();
        using UdpSocket open = Exchange(backend);

        Dictionary<string, long> after = Collect();

        Assert.Equal(1, Grown("spate.sockets"));
        Assert.Equal(2 * DatagramCount, Grown("spate.datagrams.sent"));
        Assert.Equal(2 * DatagramCount, Grown("spate.datagrams.received"));
        Assert.Equal(2 * DatagramCount * PayloadBytes, Grown("spate.bytes.sent"));
        Assert.Equal(2 * DatagramCount * PayloadBytes, Grown("spate.bytes.received"));
        Assert.Equal(2, Grown("spate.datagrams.refused"));
        Assert.Equal(0, Grown("spate.datagrams.truncated"));
        Assert.Equal(0, Grown(DropsName));
        Assert.Equal(0, Grown("spate.demotions"));
        Assert.Equal(0, Grown("spate.icmp.errors"));

        long Grown(string name) => after[name] - before.GetValueOrDefault(name);
    }

    [Theory]
    [InlineData(UdpBackend.Portable)]
    [InlineData(UdpBackend.Mmsg)]
    public void GetCounters_AfterDispose_StillTells(UdpBackend backend)
    {
        UdpCapability mmsg = UdpCapabilities.Current.Mmsg;
        Assert.SkipUnless(backend != UdpBackend.Mmsg || mmsg.IsAvailable, mmsg.Reason);
        UdpSocket socket = Exchange(backend);
        UdpCounters open = socket.GetCounters();

        socket.Dispose();

        Assert.Equal(
            (DatagramCount, DatagramCount, 1L), (open.DatagramsSent, open.DatagramsReceived, open.DatagramsRefused));
        Assert.Equal(open, socket.GetCounters());
        socket.Dispose();
        Assert.Equal(open, socket.GetCounters());
    }

    [Theory]
    [InlineData(UdpBackend.Portable)]
    [InlineData(UdpBackend.Mmsg)]
    public void Collect_ForgottenSocket_IsGoneAndItsCountsStay(UdpBackend backend)
    {
        UdpCapability mmsg = UdpCapabilities.Current.Mmsg;
        Assert.SkipUnless(backend != UdpBackend.Mmsg || mmsg.IsAvailable, mmsg.Reason);
        Dictionary<string, long> before = CollectAfterFinalizers();

        (WeakReference socket, UdpEndPoint local) = Forget(backend);
        for (int i = 0; i < 10 && socket.IsAlive; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Dictionary<string, long> after = Collect();
        Assert.False(socket.IsAlive);
        UdpSocket.Bind(local).Dispose();
        Assert.Equal(before["spate.sockets"], after["spate.sockets"]);
        Assert.Equal(
            before.GetValueOrDefault("spate.datagrams.sent") + DatagramCount, after["spate.datagrams.sent"]);
    }

    [Fact]
    public void KernelDrops_SystemsCountGoesRound_GoOnInCountersAndMeter()
    {
        long before = CollectAfterFinalizers().GetValueOrDefault(DropsName);
        long answer = 5;
        using UdpSocket socket = Made(() => answer);
        Assert.Equal(5, socket.GetCounters().KernelDrops);
        Assert.Equal(before + 5, Collect()[DropsName]);
        foreach ((long count, long expected) in new (long, long)[]
        {
            (uint.MaxValue, uint.MaxValue), (3, (1L << 32) + 3), (-1, (1L << 32) + 3), (3, (1L << 32) + 3),
            (2, (2L << 32) + 2), (0xF000_0000, (2L << 32) + 0xF000_0000L),
        })
        {
            answer = count;
            Assert.Equal(before + expected, Collect()[DropsName]);
            Assert.Equal(expected, socket.GetCounters().KernelDrops);
        }

        answer = 7;
        socket.Dispose();
        Assert.Equal((3L << 32) + 7, socket.GetCounters().KernelDrops);
        Assert.Equal(before + (3L << 32) + 7, Collect()[DropsName]);
    }

    [Fact]
    public void KernelDrops_CoalescingSocket_HaveTheirOwnUnitAlsoOnceClosed()
    {
        UdpCapability coalesced = UdpCapabilities.Current.CoalescedReceive;
        Assert.SkipUnless(coalesced.IsAvailable, coalesced.Reason);
        const string name = "spate.drops/kernel_socket/coalesced_buffers";
        Dictionary<string, long> before = CollectAfterFinalizers();
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        SocketContext context = new(socket, new UdpSocketOptions(), default) { ReadKernelDrops = _ => 5 };
        UdpSocket coalescing = new(context, BackendSelector.Open(UdpBackend.Mmsg, context));
        Assert.Equal(UdpDropUnit.CoalescedBuffers, coalescing.GetCounters().KernelDropUnit);
        Assert.Equal(before[name] + 5, Collect()[name]);
        coalescing.Dispose();
        Dictionary<string, long> after = Collect();
        Assert.Equal(before[name] + 5, after[name]);
        Assert.Equal(before[DropsName], after[DropsName]);
    }

    [Fact]
    public void CountDrops_TwoPlaces_EachIsToldWithItsTag()
    {
        SpateMeter.CountDrops("channel_full", 0);
        SpateMeter.CountDrops("handler", 0);
        Dictionary<string, long> before = Collect();
        SpateMeter.CountDrops("channel_full", 3);
        SpateMeter.CountDrops("handler", 1);
        SpateMeter.CountDrops("channel_full", 4);
        Dictionary<string, long> after = Collect();
        Assert.Equal(7, after[Full] - before[Full]);
        Assert.Equal(1, after[Handler] - before[Handler]);
    }

    [Fact]
    public async Task Channel_Full_ReachesTheMeter()
    {
        const int capacity = 10, sent = 100;
        SpateMeter.CountDrops("channel_full", 0);
        long before = Collect()[Full];
        await using UdpServer server = UdpServer.Start(
            new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(0)], ThreadCount = 1 },
            shard => new UdpChannelHandler(shard, new() { Capacity = capacity }));
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        for (int i = 0; i < sent; i++) Assert.Equal(1, client.Send([1]).Sent);
        await server.StopAsync(TimeSpan.FromSeconds(20), TestContext.Current.CancellationToken);
        Assert.Equal(before + sent - capacity, Collect()[Full]);
    }

    [Fact]
    public async Task Handler_Throws_ItsDatagramsReachTheMeter()
    {
        const int sent = 50;
        SpateMeter.CountDrops("handler", 0);
        long before = Collect()[Handler];
        await using UdpServer server = UdpServer.Start(
            new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(0)], ThreadCount = 1 },
            _ => new TestHandler { Datagrams = (_, _) => throw new FormatException("Bad datagram.") });
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        for (int i = 0; i < sent; i++) Assert.Equal(1, client.Send([1]).Sent);
        UdpServerStatistics statistics = await server.StopAsync(
            TimeSpan.FromSeconds(20), TestContext.Current.CancellationToken);
        Assert.Equal(sent, statistics.Threads.Sum(thread => thread.DatagramsFaulted));
        Assert.Equal(before + sent, Collect()[Handler]);
    }

    [Fact]
    public void KernelDrops_ManyThreadsAsk_EachDropCountedOnce()
    {
        const int stepCount = 20_000, threadCount = 4;

        // The system's count as it grows while it is asked, past the end of its 32 bits.
        long drops = 0;
        using UdpSocket socket = Made(() => (uint)Interlocked.Add(ref drops, 1_000_003));
        Parallel.For(0, threadCount, _ =>
        {
            long last = 0;
            for (int i = 0; i < stepCount; i++)
            {
                long now = socket.GetCounters().KernelDrops;
                Assert.True(now >= last, $"{now} after {last}");
                last = now;
            }
        });
        Assert.Equal(Interlocked.Read(ref drops) + 1_000_003, socket.GetCounters().KernelDrops);
    }

    private static UdpSocket Made(Func<long> readDrops)
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        SocketContext context = new(socket, new UdpSocketOptions(), default) { ReadKernelDrops = _ => readDrops() };
        return new UdpSocket(context, BackendSelector.Open(UdpBackend.Portable, context));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (WeakReference Socket, UdpEndPoint Local) Forget(UdpBackend backend)
    {
        UdpSocket socket = Exchange(backend);
        return (new WeakReference(socket), socket.LocalEndPoint);
    }

    // Sends itself a few datagrams, and one that is refused because broadcast was not allowed.
    private static UdpSocket Exchange(UdpBackend backend)
    {
        UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0), new UdpSocketOptions { Backend = backend });
        using SendBatch outgoing = socket.CreateSendBatch();
        for (int i = 0; i < DatagramCount; i++)
            Assert.True(outgoing.TryReserve(socket.LocalEndPoint, PayloadBytes, out _));
        Assert.True(socket.Send(outgoing).IsComplete);
        UdpEndPoint everybody = UdpEndPoint.Parse("127.255.255.255:9");
        Assert.Equal(1, socket.SendTo([1], everybody).Refused);
        byte[] buffer = new byte[PayloadBytes];
        for (int i = 0; i < DatagramCount; i++)
            Assert.Equal(ReceiveStatus.Received, socket.ReceiveFrom(buffer, TimeSpan.FromSeconds(20), out _));
        return socket;
    }

    // Sockets that earlier tests have forgotten must not go while one is counting.
    private static Dictionary<string, long> CollectAfterFinalizers()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return Collect();
    }

    private static Dictionary<string, long> Collect()
    {
        Dictionary<string, long> values = new(StringComparer.Ordinal);
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name is "Spate") listener.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            string name = instrument.Name;
            foreach (KeyValuePair<string, object?> tag in tags) name += $"/{tag.Value}";
            values[name] = value;
        });
        listener.SetMeasurementEventCallback<int>((instrument, value, _, _) => values[instrument.Name] = value);
        listener.Start();
        listener.RecordObservableInstruments();
        return values;
    }
}
