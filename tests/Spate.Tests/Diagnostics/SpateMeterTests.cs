using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using Spate.Diagnostics;
using Spate.Sockets;
using Spate.Sockets.Portable;
using Spate.Tests.Sockets;

namespace Spate.Tests.Diagnostics;

/// <summary>What the meter "Spate" and the counters of closed sockets tell.</summary>
[ProcessWide("the meter sums up all sockets of the process")]
public sealed class SpateMeterTests
{
    private const int DatagramCount = 7;
    private const int PayloadBytes = 30;
    private const string DropsName = "spate.drop.count/kernel_socket/datagram";

    [Theory]
    [InlineData(UdpBackend.Portable)]
    [InlineData(UdpBackend.Mmsg)]
    public void Collect_OpenAndClosedSockets_TotalsOfBoth(UdpBackend backend)
    {
        UdpCapability mmsg = UdpCapabilities.Current.Mmsg;
        Assert.SkipUnless(backend != UdpBackend.Mmsg || mmsg.IsAvailable, mmsg.Reason);
        Dictionary<string, long> before = MeterReadings.CollectAfterFinalizers();
        Exchange(backend).Dispose();
        using UdpSocket open = Exchange(backend);

        Dictionary<string, long> after = MeterReadings.Collect();

        Assert.Equal(1, Grown("spate.socket.count"));
        Assert.Equal(2 * DatagramCount, Grown("spate.datagram.count/transmit"));
        Assert.Equal(2 * DatagramCount, Grown("spate.datagram.count/receive"));
        Assert.Equal(2 * DatagramCount * PayloadBytes, Grown("spate.datagram.io/transmit"));
        Assert.Equal(2 * DatagramCount * PayloadBytes, Grown("spate.datagram.io/receive"));
        Assert.Equal(2, Grown("spate.datagram.refused"));
        Assert.Equal(0, Grown("spate.datagram.truncated"));
        Assert.Equal(0, Grown(DropsName));
        Assert.Equal(0, Grown("spate.gso_fallback.count"));
        Assert.Equal(0, Grown("spate.icmp_error.count"));

        long Grown(string name) => after[name] - before.GetValueOrDefault(name);
    }

    [Fact]
    public void Collect_SocketClosedBeforeItsDatagramsWereTaken_TheyAreDropsAndNotReceived()
    {
        Dictionary<string, long> before = MeterReadings.CollectAfterFinalizers();
        using UdpSocket socket = FaultySocket.Bind(new FaultSchedule(), coalesced: true);
        FaultySocket.SendNumbered(socket.LocalEndPoint, 3);
        Assert.Equal(ReceiveStatus.Received, socket.ReceiveFrom(new byte[100], FaultySocket.Patience, out _));
        long whileOpen = MeterReadings.Collect()["spate.datagram.count/receive"];

        socket.Dispose();

        Dictionary<string, long> after = MeterReadings.Collect();
        string drops = "spate.drop.count/socket_close/datagram";
        Assert.Equal(1, whileOpen - before.GetValueOrDefault("spate.datagram.count/receive"));
        Assert.Equal(whileOpen, after["spate.datagram.count/receive"]);
        Assert.Equal(socket.GetCounters().DatagramsUnread, after[drops] - before.GetValueOrDefault(drops));
        Assert.Equal(2, socket.GetCounters().DatagramsUnread);
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
        Dictionary<string, long> before = MeterReadings.CollectAfterFinalizers();

        (WeakReference socket, UdpEndPoint local) = Forget(backend);
        for (int i = 0; i < 10 && socket.IsAlive; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Dictionary<string, long> after = MeterReadings.Collect();
        Assert.False(socket.IsAlive);
        UdpSocket.Bind(local).Dispose();
        Assert.Equal(before["spate.socket.count"], after["spate.socket.count"]);
        Assert.Equal(
            before.GetValueOrDefault("spate.datagram.count/transmit") + DatagramCount,
            after["spate.datagram.count/transmit"]);
    }

    [Fact]
    public void KernelDrops_SystemsCountGoesRound_GoOnInCountersAndMeter()
    {
        long before = MeterReadings.CollectAfterFinalizers().GetValueOrDefault(DropsName);
        long answer = 5;
        using UdpSocket socket = Made(() => answer);
        Assert.Equal(5, socket.GetCounters().KernelDrops);
        Assert.Equal(before + 5, MeterReadings.Collect()[DropsName]);
        foreach ((long count, long expected) in new (long, long)[]
        {
            (uint.MaxValue, uint.MaxValue), (3, (1L << 32) + 3), (-1, (1L << 32) + 3), (3, (1L << 32) + 3),
            (2, (2L << 32) + 2), (0xF000_0000, (2L << 32) + 0xF000_0000L),
        })
        {
            answer = count;
            Assert.Equal(before + expected, MeterReadings.Collect()[DropsName]);
            Assert.Equal(expected, socket.GetCounters().KernelDrops);
        }

        answer = 7;
        socket.Dispose();
        Assert.Equal((3L << 32) + 7, socket.GetCounters().KernelDrops);
        Assert.Equal(before + (3L << 32) + 7, MeterReadings.Collect()[DropsName]);
    }

    [Fact]
    public void KernelDrops_CoalescingSocket_HaveTheirOwnUnitAlsoOnceClosed()
    {
        UdpCapability coalesced = UdpCapabilities.Current.CoalescedReceive;
        Assert.SkipUnless(coalesced.IsAvailable, coalesced.Reason);
        const string name = "spate.drop.count/kernel_socket/coalesced_buffer";
        Dictionary<string, long> before = MeterReadings.CollectAfterFinalizers();
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        SocketContext context = new(socket, new UdpSocketOptions(), default) { ReadKernelDrops = _ => 5 };
        UdpSocket coalescing = new(context, BackendSelector.Open(UdpBackend.Mmsg, context));
        Assert.Equal(UdpDropUnit.CoalescedBuffers, coalescing.GetCounters().KernelDropUnit);
        Assert.Equal(before[name] + 5, MeterReadings.Collect()[name]);
        coalescing.Dispose();
        Dictionary<string, long> after = MeterReadings.Collect();
        Assert.Equal(before[name] + 5, after[name]);
        Assert.Equal(before[DropsName], after[DropsName]);
    }

    [Fact]
    public void Collect_NamedSockets_AreSummedByNameAndStayOnceClosed()
    {
        const string received = "spate.datagram.count/receive", name = "meter-test";
        Dictionary<string, long> before = MeterReadings.CollectAfterFinalizers();
        using (UdpSocket first = Exchange(UdpBackend.Portable, name))
        {
            using UdpSocket second = Exchange(UdpBackend.Portable, name);
            Assert.Equal(2, MeterReadings.Collect()[$"spate.socket.count/{name}"]);
        }

        Dictionary<string, long> after = MeterReadings.Collect();

        Assert.Equal(2 * DatagramCount, after[$"{received}/{name}"]);
        Assert.Equal(0, after[$"spate.socket.count/{name}"]);
        Assert.Equal(before[received], after[received]);
    }

    [Theory]
    [InlineData("")]
    [InlineData("two\nlines")]
    [InlineData("0123456789012345678901234567890123456789012345678901234567890123x")]
    public void Bind_BadName_IsRefused(string name) => Assert.Equal(nameof(UdpSocketOptions.Name),
        Assert.Throws<ArgumentException>(
            () => UdpSocket.Bind(UdpEndPoint.Loopback(0), new UdpSocketOptions { Name = name })).ParamName);

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
                long now = socket.GetCounters().KernelDrops!.Value;
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
    private static UdpSocket Exchange(UdpBackend backend, string? name = null)
    {
        UdpSocket socket = UdpSocket.Bind(
            UdpEndPoint.Loopback(0), new UdpSocketOptions { Backend = backend, Name = name });
        using SendBatch outgoing = socket.CreateSendBatch();
        for (int i = 0; i < DatagramCount; i++)
            Assert.True(outgoing.TryReserve(socket.LocalEndPoint, PayloadBytes, out _));
        Assert.True(socket.Send(outgoing).AllSent);
        UdpEndPoint everybody = UdpEndPoint.Parse("127.255.255.255:9");
        Assert.Equal(1, socket.SendTo([1], everybody).Refused);
        byte[] buffer = new byte[PayloadBytes];
        for (int i = 0; i < DatagramCount; i++)
            Assert.Equal(ReceiveStatus.Received, socket.ReceiveFrom(buffer, TimeSpan.FromSeconds(20), out _));
        return socket;
    }
}
