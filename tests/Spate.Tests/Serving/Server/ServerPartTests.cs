using Spate.Serving;
using Spate.Serving.Shards;
using Spate.Tests.Sockets;

namespace Spate.Tests.Serving.Server;

/// <summary>The small parts: rules of spinning, ticks, reports.</summary>
public sealed class ServerPartTests
{
    private static readonly TimeSpan Budget = TimeSpan.FromMicroseconds(50);

    private readonly FakeTime _time = new();

    [Fact]
    public void SpinRule_NothingKnown_TriesOnceIn256()
    {
        SpinRule rule = new(_time, Budget);
        for (int i = 1; i < 256; i++) Assert.False(rule.ShouldLookAgain());
        Assert.True(rule.ShouldLookAgain());
    }

    [Fact]
    public void SpinRule_ShortGaps_SpinsForItsBudget()
    {
        SpinRule rule = NewQuickRule();
        int looks = 0;
        while (rule.ShouldLookAgain())
        {
            looks++;
            _time.Advance(TimeSpan.FromMicroseconds(10));
        }

        Assert.Equal(5, looks);
    }

    [Fact]
    public void SpinRule_LongGaps_Sleeps()
    {
        SpinRule rule = NewQuickRule();
        for (int i = 0; i < 50; i++)
        {
            _time.Advance(TimeSpan.FromMilliseconds(1));
            rule.OnArrival();
        }

        Assert.False(rule.ShouldLookAgain());
    }

    [Fact]
    public void SpinRule_LostItsCpuWhileSpinning_PausesFor1024Waits()
    {
        SpinRule rule = NewQuickRule();
        Assert.True(rule.ShouldLookAgain());
        _time.Advance(TimeSpan.FromMicroseconds(200));
        for (int i = 0; i < 1 + 1024; i++) Assert.False(rule.ShouldLookAgain());
        Assert.True(rule.ShouldLookAgain());
    }

    [Fact]
    public void SpinRule_SpinGivenUp_IsNotTakenForALostCpu()
    {
        SpinRule rule = NewQuickRule();
        Assert.True(rule.ShouldLookAgain());
        rule.OnGivenUp();
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.True(rule.ShouldLookAgain());
    }

    [Theory]
    [InlineData(1, 0)]
    [InlineData(2, 1)]
    [InlineData(8, 7)]
    public void SpinLimit_AllWantTo_OneCpuIsLeft(int cpuCount, int expected)
    {
        SpinLimit limit = new(cpuCount);
        for (int round = 0; round < 3; round++)
        {
            int entered = Enumerable.Range(0, 20).Count(_ => limit.TryEnter());
            Assert.Equal(expected, entered);
            for (int i = 0; i < entered; i++) limit.Leave();
        }

        Assert.Equal(cpuCount <= 2 ? 10 : 50, limit.Budget.TotalMicroseconds);
    }

    [Fact]
    public void TickClock_TimePasses_DueOncePerIntervalAndMissedOnesAreNotMadeUpFor()
    {
        TickClock clock = new(_time, TimeSpan.FromMilliseconds(10));
        clock.Start();
        Assert.False(clock.IsDue);
        Assert.Equal(10, clock.RemainingMilliseconds);
        _time.Advance(TimeSpan.FromMilliseconds(9.5));
        Assert.Equal(1, clock.RemainingMilliseconds);
        Assert.False(clock.IsDue);
        _time.Advance(TimeSpan.FromMilliseconds(100));
        Assert.True(clock.IsDue);
        Assert.Equal(0, clock.RemainingMilliseconds);
        clock.Next();
        Assert.False(clock.IsDue);
        Assert.Equal(TimeSpan.FromMilliseconds(109.5), clock.Now);
        Assert.Equal(10, clock.RemainingMilliseconds);
    }

    [Fact]
    public void TickClock_NoInterval_NeverDue()
    {
        TickClock clock = new(_time, TimeSpan.Zero);
        clock.Start();
        _time.Advance(TimeSpan.FromDays(1));
        Assert.False(clock.IsDue);
        Assert.Equal(-1, clock.RemainingMilliseconds);
    }

    [Fact]
    public void FaultLog_ManyOfManyKinds_OneReportPerKindAndTenSecondsWithAllCounted()
    {
        List<UdpServerFault> reports = [];
        FaultLog log = new(_time, reports.Add);
        for (int i = 0; i < 100; i++)
        {
            log.Report(1, new FormatException());
            log.Report(2, new TimeoutException());
        }

        Assert.Equal([(1, 1), (2, 1)], reports.Select(report => (report.ShardIndex, report.Count)));
        _time.Advance(TimeSpan.FromSeconds(9.9));
        log.Report(1, new FormatException());
        Assert.Equal(2, reports.Count);
        _time.Advance(TimeSpan.FromSeconds(0.1));
        log.Report(3, new FormatException());
        log.Report(3, new TimeoutException());
        Assert.Equal([(3, 101), (3, 100)], reports.Skip(2).Select(report => (report.ShardIndex, report.Count)));
    }

    [Fact]
    public void FaultLog_MoreKindsThanItKeeps_TheRestShareOneEntry()
    {
        int reports = 0;
        FaultLog log = new(_time, _ => reports++);
        Type[] arguments = [.. typeof(string).Assembly.GetExportedTypes()
            .Where(type => type is { IsClass: true, IsAbstract: false, ContainsGenericParameters: false }).Take(200)];
        Assert.Equal(200, arguments.Length);
        foreach (Type argument in arguments)
            log.Report(0, (Exception)Activator.CreateInstance(typeof(FaultOf<>).MakeGenericType(argument))!);
        Assert.Equal(65, reports);
    }

    [Fact]
    public void FaultLog_TextOfAnException_BoundedAndEscapedInTheEvent()
    {
        using SpateEvents events = new();
        FaultLog log = new(_time, onFault: null);
        string peer = $"\u001b[2Jnobody's\r\nEND\u202e{Guid.NewGuid()}";
        log.Report(7, new FormatException(peer + new string('x', 10_000)));
        var written = events.Written.Single(
            e => e.Name is "HandlerFaulted" && ((string)e.Payload[2]!).Contains(peer[^36..], StringComparison.Ordinal));
        string text = (string)written.Payload[2]!;
        Assert.StartsWith("\\u001B[2Jnobody's\\u000D\\u000AEND\\u202E", text, StringComparison.Ordinal);
        Assert.InRange(text.Length, 500, 600);
        Assert.All(text, character => Assert.InRange(character, ' ', '~'));
    }

    [Fact]
    public void FaultLog_ExceptionWithoutText_StillReported()
    {
        int reports = 0;
        FaultLog log = new(_time, _ => reports++);
        log.Report(0, new FaultWithoutText());
        Assert.Equal(1, reports);
    }

    private SpinRule NewQuickRule()
    {
        SpinRule rule = new(_time, Budget);
        for (int i = 0; i < 3; i++)
        {
            _time.Advance(TimeSpan.FromMicroseconds(5));
            rule.OnArrival();
        }

        return rule;
    }

    private sealed class FaultWithoutText : Exception
    {
        public override string Message => throw new InvalidOperationException("No text.");
    }

    private sealed class FaultOf<T> : Exception
    {
        public override string Message => typeof(T).Name;
    }
}
