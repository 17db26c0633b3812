using Spate.Serving;
using Spate.Serving.Shards;
using Spate.TestHelpers.Diagnostics;

namespace Spate.Tests.Serving.Shards;

public sealed class FaultLogTests
{
    private readonly FakeTime _time = new();

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

    private sealed class FaultWithoutText : Exception
    {
        public override string Message => throw new InvalidOperationException("No text.");
    }

    private sealed class FaultOf<T> : Exception
    {
        public override string Message => typeof(T).Name;
    }
}
