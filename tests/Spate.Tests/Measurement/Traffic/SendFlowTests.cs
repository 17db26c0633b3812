using System.Buffers.Binary;
using Spate.Measurement.Pacing;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Traffic;

/// <summary>How a flow keeps its rate, over the loopback.</summary>
public sealed class SendFlowTests
{
    [Theory]
    [InlineData(PaceMode.Sleep, "sleep")]
    [InlineData(PaceMode.Spin, "spin")]
    [InlineData(null, "sleep")]
    internal void Send_WithARate_ReportsItsPacing(PaceMode? mode, string name)
    {
        using TrafficReceiver receiver = Listen();
        using TrafficSender sender = TrafficSender.Open(new TrafficSenderOptions
        {
            Targets = [receiver.LocalEndPoint],
            SizeBytes = 64,
            FlowCount = 2,
            Duration = TimeSpan.FromMilliseconds(200),
            DatagramsPerSecond = 20_000,
            Pace = mode,
        });

        TrafficReport report = sender.Run(cancellationToken: TestContext.Current.CancellationToken);

        PacingReport pacing = Assert.IsType<PacingReport>(report.Pacing);
        Assert.Equal(name, pacing.Mode);
        Assert.InRange(pacing.Bursts, 1, report.Datagrams);
        Assert.InRange(pacing.MostPerBurst, 1, report.Datagrams);
        PacingErrorReport error = pacing.GapError;
        Assert.InRange(error.P50Microseconds, 0, error.P90Microseconds);
        Assert.InRange(error.P99Microseconds, error.P90Microseconds, error.MaxMicroseconds);
        Assert.Equal(report.Datagrams, error.Histogram.Sum(static bucket => bucket.Datagrams));

        // Every datagram of the 200 ms was sent, refused or given up, the last group included.
        Assert.Equal(2 * 2000, report.Datagrams + report.Refused + pacing.Skipped);
    }

    [Fact]
    public void Open_TxtimeOverTheLoopback_IsRefusedWithTheReason()
    {
        PlatformNotSupportedException fault = Assert.Throws<PlatformNotSupportedException>(
            () => TrafficSender.Open(new TrafficSenderOptions
            {
                Targets = [UdpEndPoint.Loopback(9)],
                DatagramsPerSecond = 1000,
                Pace = PaceMode.Txtime,
            }));

        Assert.StartsWith("transmit times are unavailable: ", fault.Message, StringComparison.Ordinal);
    }

    /// <summary>
    /// The loopback keeps no times, so this shows what is handed over: all of it, ahead, in short GSO messages.
    /// </summary>
    [Fact]
    public void Run_Txtime_HandsOverGsoMessagesAheadOfTheirTime()
    {
        UdpCapability mmsg = UdpCapabilities.Current.Mmsg;
        Assert.SkipUnless(mmsg.IsAvailable, $"{mmsg.Name}: {mmsg.Reason}");
        using UdpSocket receiver = UdpSocket.Bind(
            UdpEndPoint.Loopback(0), new UdpSocketOptions { CoalescedReceive = false });
        var flow = SendFlow.Open(
            new TrafficSenderOptions
            {
                Targets = [receiver.LocalEndPoint],
                SizeBytes = 64,
                DatagramCount = 2000,
                DatagramsPerSecond = 100_000,
                Pace = PaceMode.Txtime,
                AnnouncesEnd = false,
            },
            index: 0,
            TimeProvider.System);
        using UdpSocket socket = flow.Socket;

        flow.Run(TestContext.Current.CancellationToken);

        Assert.Equal((2000, 0), (flow.Datagrams, flow.Refused));
        PacingErrors errors = Assert.IsType<PacingErrors>(flow.GapErrors);
        Assert.Equal(5, errors.MostPerBurst);
        Assert.Equal(2000, errors.Datagrams);

        // Those of a GSO message carry the time of its first, so the fifth is 40 us off, unless the machine was in the
        // way.
        Assert.InRange(errors.PercentileMicroseconds(0.5), 0, 1e6);
        long interval = TimeProvider.System.TimestampFrequency / 100_000;
        Assert.True(flow.EndTicks >= flow.StartTicks + (2000 * interval));

        // The first header's time of sending, at 24, is the time at which the datagram was to leave: the run's start.
        byte[] payload = new byte[64];
        Assert.Equal(ReceiveStatus.Received, receiver.TryReceiveFrom(payload, out _));
        Assert.Equal(flow.StartTicks, BinaryPrimitives.ReadInt64BigEndian(payload.AsSpan(24)));
    }

    /// <summary>With a clock that only this test moves, the number of datagrams is exact.</summary>
    [Theory]
    [InlineData(10_000)]
    [InlineData(333)]
    public void Run_SteppedClock_SendsWhatIsDueInTheDuration(int rate)
    {
        using UdpSocket receiver = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        var flow = SendFlow.Open(
            new TrafficSenderOptions
            {
                Targets = [receiver.LocalEndPoint],
                SizeBytes = 64,
                Duration = TimeSpan.FromMilliseconds(100),
                DatagramsPerSecond = rate,
                Pace = PaceMode.Spin,
            },
            index: 0,
            new SteppedClock());
        using UdpSocket socket = flow.Socket;

        flow.Run(TestContext.Current.CancellationToken);

        Assert.Equal(Math.Ceiling(rate * 0.1), flow.Datagrams);
        Assert.Equal(0, flow.Skipped);
        Assert.InRange(flow.GapErrors!.PercentileMicroseconds(1), 0, 10);
    }

    /// <summary>What leaves at once after a stall fits a default buffer, by its bytes and for all flows.</summary>
    [Theory]
    [InlineData(64, 10_000, 1, 64)]
    [InlineData(8192, 1000, 1, 11)]
    [InlineData(65_000, 1000, 1, 1)]
    [InlineData(64, 40_000, 4, 16)]
    public void Run_Stall_LetsNoMoreGoAtOnceThanADefaultBufferHolds(int size, int rate, int flows, int most)
    {
        using UdpSocket receiver = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        var flow = SendFlow.Open(
            new TrafficSenderOptions
            {
                Targets = [receiver.LocalEndPoint],
                SizeBytes = size,
                Duration = TimeSpan.FromMilliseconds(600),
                DatagramsPerSecond = rate,
                FlowCount = flows,
                Pace = PaceMode.Spin,
            },
            index: 0,
            new SteppedClock { StallMilliseconds = 100 });
        using UdpSocket socket = flow.Socket;

        flow.Run(TestContext.Current.CancellationToken);

        Assert.Equal(rate / flows * 0.6, flow.Datagrams, tolerance: 1);
        Assert.Equal((0, most), (flow.Skipped, flow.GapErrors!.MostPerBurst));
    }

    /// <summary>Datagrams that a stall delays beyond the end leave after it, and none is without a count.</summary>
    [Theory]
    [InlineData(64, 2000, 1, 100, 0)]
    [InlineData(64, 40_000, 4, 100, 0)]
    [InlineData(65_000, 1000, 1, 100, 0)]
    [InlineData(64, 2000, 1, 900, 400)]
    public void Run_StallPastTheEnd_SendsWhatWasDue(int size, int rate, int flows, int stallMilliseconds, int skipped)
    {
        using UdpSocket receiver = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        var flow = SendFlow.Open(
            new TrafficSenderOptions
            {
                Targets = [receiver.LocalEndPoint],
                SizeBytes = size,
                Duration = TimeSpan.FromMilliseconds(skipped > 0 ? 500 : 100),
                DatagramsPerSecond = rate,
                FlowCount = flows,
                Pace = PaceMode.Spin,
            },
            index: 0,
            new SteppedClock { StallMilliseconds = stallMilliseconds });
        using UdpSocket socket = flow.Socket;

        flow.Run(TestContext.Current.CancellationToken);

        Assert.Equal(rate / flows / (skipped > 0 ? 2 : 10), flow.Datagrams + flow.Refused + flow.Skipped);
        Assert.Equal(skipped, flow.Skipped);
    }

    [Fact]
    public void Send_WithoutARate_HasNoPacing()
    {
        using TrafficReceiver receiver = Listen();
        using TrafficSender sender = TrafficSender.Open(
            new TrafficSenderOptions { Targets = [receiver.LocalEndPoint], SizeBytes = 64, DatagramCount = 10 });

        Assert.Null(sender.Run(cancellationToken: TestContext.Current.CancellationToken).Pacing);
    }

    private static TrafficReceiver Listen() => TrafficReceiver.Open(
        new TrafficReceiverOptions { Local = UdpEndPoint.Loopback(0), Duration = TimeSpan.FromSeconds(30) });

    /// <summary>A clock that each look moves by a microsecond, and one look, after 50 ms, by a stall.</summary>
    private sealed class SteppedClock : TimeProvider
    {
        private const long StallTicks = 51_000_000;
        private long _ticks = 1_000_000;

        public long StallMilliseconds { get; init; }

        public override long TimestampFrequency => 1_000_000_000;

        public override long GetTimestamp()
        {
            _ticks += 1000;
            return _ticks == StallTicks ? _ticks += StallMilliseconds * 1_000_000 : _ticks;
        }
    }
}
