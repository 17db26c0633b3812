using Spate.Measurement.HostUse;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.Measurement.HostUse;

/// <summary>The CPU of a machine with recorded counts, over the time with traffic.</summary>
public sealed class TrafficWatchTests : IDisposable
{
    private const int TicksPerLook = 5;

    private readonly FakeHost _host = new();
    private readonly FakeTime _time = new();
    private readonly TrafficWatch _watch;
    private int _busy;
    private int _idle;
    private long _datagrams;
    private long _ownNanoseconds;
    private int _readings;

    public TrafficWatchTests()
    {
        Write();
        _watch = new TrafficWatch(_host.RootPath, _time);
    }

    [Fact]
    public void Total_TrafficInAPartOfTheRun_IsOfThatPart()
    {
        Wait(looks: 60);
        Receive(looks: 50);
        Wait(looks: 70);
        _ = TakeInterval();

        CpuReport core = Assert.Single(_watch.Total.Report(showsAll: true));

        // Of 2.5 s with traffic the first look misses 50 ms, and the last one takes 50 ms more.
        Assert.Equal((98, 98), (core.BusyPercent, core.OwnPercent));
        Assert.Equal(["receive"], core.Roles);
        Assert.Equal(4, _readings);
    }

    [Fact]
    public void Total_TrafficFromTheStart_HasAllOfIt()
    {
        Receive(looks: 50);
        Wait(looks: 50);
        _ = TakeInterval();

        Assert.Equal(98.04, Assert.Single(_watch.Total.Report(showsAll: true)).BusyPercent);
    }

    [Fact]
    public void Total_SeveralTimesWithTraffic_HasAllOfThem()
    {
        for (int i = 0; i < 3; i++)
        {
            Receive(looks: 20);
            Wait(looks: 20);
            _ = TakeInterval();
        }

        Assert.InRange(Assert.Single(_watch.Total.Report(showsAll: true)).BusyPercent, 93, 97);
    }

    [Fact]
    public void Total_NoTraffic_IsOfTheWholeTime()
    {
        Wait(looks: 20);
        _busy = _idle;
        _ = TakeInterval();

        Assert.Equal(50, Assert.Single(_watch.Total.Report(showsAll: true)).BusyPercent);
    }

    [Fact]
    public void TakeInterval_TrafficBeginsInIt_HasTheWholeInterval()
    {
        Wait(looks: 10);
        Receive(looks: 10);
        CpuReport first = TakeInterval();
        Receive(looks: 10);
        CpuReport second = TakeInterval();

        Assert.Equal((50, 100), (first.BusyPercent, second.BusyPercent));
        Assert.Equal((50, 100), (first.OwnPercent, second.OwnPercent));
    }

    [Fact]
    public void Look_SparseDatagrams_ReadsTheCpusAtMostSevenTimesASecond()
    {
        for (int i = 0; i < 100; i++)
        {
            Receive(looks: 1);
            Wait(looks: 1);
        }

        Assert.InRange(_readings, 1, 70);
    }

    [Fact]
    public void Look_AtOnceAfterAnother_IsNoPause()
    {
        Receive(looks: 10);
        for (int i = 0; i < 10; i++)
        {
            Receive(looks: 1);
            _watch.Look(_datagrams, TakePlaces);
        }

        Assert.Equal(0, _readings);
    }

    public void Dispose()
    {
        _watch.Dispose();
        _host.Dispose();
    }

    private void Receive(int looks)
    {
        for (int i = 0; i < looks; i++)
        {
            _busy += TicksPerLook;
            _ownNanoseconds += TicksPerLook * 10_000_000L;
            _datagrams += 100;
            Look();
        }
    }

    private void Wait(int looks)
    {
        for (int i = 0; i < looks; i++)
        {
            _idle += TicksPerLook;
            Look();
        }
    }

    private void Look()
    {
        Write();
        _time.Advance(TrafficWatch.LookInterval);
        _watch.Look(_datagrams, TakePlaces);
    }

    private CpuReport TakeInterval()
    {
        Write();
        return Assert.Single(_watch.TakeInterval(TakePlaces()).Report(showsAll: true));
    }

    private CpuAttribution TakePlaces()
    {
        _readings++;
        var places = new CpuAttribution();
        var thread = new ThreadIntervalReport { Role = "receive", Cpu = 0, CpuNanoseconds = _ownNanoseconds };
        places.AddThread(thread, pinnedCpu: 0);
        _ownNanoseconds = 0;
        return places;
    }

    private void Write() => _host.With("proc/stat", $"cpu  0\ncpu0 0 0 {_busy} {_idle} 0 0 0 0 0 0\nintr 0\n");
}
