using Spate.Cli.Iperf.Iperf3.Flows;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.TestHelpers.Iperf3;

namespace Spate.Tests.Cli.Iperf.Iperf3.Flows;

/// <summary>The course of a test over time, by a clock that the test moves.</summary>
public sealed class DataRunTests : IDisposable
{
    private readonly FakeTime _time = new();
    private readonly RecordingObserver _observer = new();
    private DataRun? _run;

    public void Dispose() => _run?.Dispose();

    [Fact]
    public void Tick_EveryInterval_TellsOfIt()
    {
        Begin(omitSeconds: 0);
        Go(1000, 1000, 1000);
        End();

        Assert.Equal([(0, 1, false), (1, 2, false), (2, 3, false)], Told());
    }

    [Theory]
    [InlineData(50, 2)]
    [InlineData(99, 2)]
    [InlineData(101, 3)]
    [InlineData(999, 3)]
    public void End_ShortLastInterval_IsToldFromATenthOn(int milliseconds, int count)
    {
        Begin(omitSeconds: 0);
        Go(1000, 1000, milliseconds);
        End();

        Assert.Equal(count, Told().Count);
        if (count == 3) Assert.Equal((2, 2 + (milliseconds / 1000.0), false), Told()[^1]);
    }

    [Fact]
    public void End_BeforeAnInterval_TellsOfTheWhole()
    {
        Begin(omitSeconds: 0);
        Go(10);
        End();

        Assert.Equal([(0, 0.01, false)], Told());
    }

    [Fact]
    public void Tick_AfterWhatIsOmitted_BeginsAnew()
    {
        Begin(omitSeconds: 2);
        Go(1000, 1000, 1000, 500);
        End();

        Assert.Equal([(0, 1, true), (1, 2, true), (0, 1, false), (1, 1.5, false)], Told());
        Assert.All(_observer.Intervals, static one => Assert.True(one.Seconds > 0));
    }

    [Fact]
    public void Tick_AfterALongPause_TellsOfItOnce()
    {
        Begin(omitSeconds: 0);
        Go(5500, 100, 400, 1000);
        End();

        Assert.Equal([(0, 5.5, false), (5.5, 6, false), (6, 7, false)], Told());
    }

    [Fact]
    public void End_Twice_TellsNothingMore()
    {
        Begin(omitSeconds: 0);
        Go(1000);
        End();
        Go(5000);

        Assert.Single(Told());
        Assert.Equal(1, _run!.Results(_run.Report()).Streams[0].EndSeconds);
    }

    [Fact]
    public void Begin_OfAReceiverThatBeganBefore_CountsTheTimeSince()
    {
        long startTicks = _time.GetTimestamp();
        _time.Advance(TimeSpan.FromMilliseconds(30));
        Begin(omitSeconds: 0, startTicks);
        Go(970);
        End();

        Assert.Equal([(0, 1, false)], Told());
    }

    private void Begin(int omitSeconds, long? startTicks = null)
    {
        var parameters = new Iperf3Parameters { LengthBytes = 64, OmitSeconds = omitSeconds };
        UdpSocket socket = UdpSocket.Connect(UdpEndPoint.Loopback(9), UdpEndPoint.Loopback(0), new UdpSocketOptions());
        StreamLink[] links = [new StreamLink(1, Sends: false, socket)];
        var settings = new Iperf3EndOptions { Interval = TimeSpan.FromSeconds(1) };
        _run = new DataRun(parameters, isClient: false, links, settings, _observer, _time);
        _run.Begin(startTicks);
    }

    private void Go(params int[] milliseconds)
    {
        foreach (int one in milliseconds)
        {
            _time.Advance(TimeSpan.FromMilliseconds(one));
            _run!.Tick();
        }
    }

    private void End()
    {
        _run!.End();
        _run.EndIntervals();
    }

    private List<(double, double, bool)> Told() =>
        [.. _observer.Intervals.Select(static one => (one.StartSeconds, one.EndSeconds, one.IsOmitted))];
}
