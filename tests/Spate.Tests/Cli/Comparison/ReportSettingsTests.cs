using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.Relay;
using Spate.Cli.Comparison;
using Spate.Cli.Serve;
using Spate.Measurement.HostUse;
using Spate.Measurement.Pacing;
using Spate.Measurement.PathTest;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Cli.Comparison;

public sealed class ReportSettingsTests
{
    private static readonly ReportCase[] Cases =
    [
        new("kernel", new DrainReport(), new DrainReport { Kernel = "k" }, MustBeAlike: true),
        new("cpuModel", new DrainReport(), new DrainReport { CpuModel = "c" }, MustBeAlike: true),
        new("cpus", new DrainReport(), new DrainReport { Cpus = 4711 }, MustBeAlike: true),
        new("runtime", new DrainReport(), new DrainReport { Runtime = "r" }),
        new("backend", new DrainReport(), new DrainReport { Backend = "mmsg" }),
        new("offloads", new DrainReport(), new DrainReport { Offloads = ["gro"] }),
        new("bufferGrantedBytes", new DrainReport(), new DrainReport { BufferGrantedBytes = 1 }),
        new("demotions", new DrainReport(), new DrainReport { GsoFallbacks = 1 }),
        new("links", new DrainReport(), new DrainReport { Links = [new LinkReport { Interface = "eth0" }] }),
        new("rounds", new DrainReport(), new DrainReport { Rounds = 3 }),
        new("interrupted", new DrainReport(), new DrainReport { Interrupted = true }),
        new("flows", new DrainReport(), new DrainReport { Flows = 2 }),
        new("threads", new DrainReport { Threads = [At("send", 0)] }, new DrainReport { Threads = [At("send", 1)] }),
        new("threads", new DrainReport { Threads = [At("send", 0)] }, new DrainReport { Threads = [At("send", null)] }),
        new("rateAsked", new RelayReport(), new RelayReport { AskedDatagramsPerSecond = 5 }),
        new("sizeBytes", new RelayReport(), new RelayReport { SizeBytes = 5 }, MustBeAlike: true),
        new("app", new ServeReport(), new ServeReport { App = "echo" }),
        new("design", new ServeReport(), new ServeReport { Design = "sharded" }),
        new("keepsPeers", new ServeReport(), new ServeReport { KeepsPeers = true }),
        new("workRounds", new ServeReport(), new ServeReport { WorkRounds = 3 }),
        new("threads", new ServeReport(), new ServeReport { Threads = [new ServerThreadReport { Role = "handle" }] }),
        new("threads", new TrafficReport(), new TrafficReport { Threads = [At("receive", 1)] }),
        new("rateAsked", new TrafficReport(), new TrafficReport { RateAskedDatagramsPerSecond = 7 }),
        new("verifies", new TrafficReport(), new TrafficReport { Corrupted = 0 }),
        new("pacing", Paced("spin", 1), Paced("sleep", 1)),
        new("maxBurstMicroseconds", Paced("spin", 1), Paced("spin", 2)),
        new("sizeBytes", new TestReport(), new TestReport { SizeBytes = 9 }, MustBeAlike: true),
        new("directions", Between("client"), Between("client", "server"), MustBeAlike: true),
        new("flows", new TestReport(), new TestReport { Flows = 9 }),
        new("servers", new TestReport(), new TestReport { Servers = ["192.0.2.1:9000"] }),
        new("local.sent.threads", Sent(At("send", 0)), Sent(At("send", 2))),
        new("remote.host.backlogLimit", new TestReport(), new TestReport
        {
            Remote = new TestEndReport { Host = new TestHostReport { BacklogLimit = 1000 } },
        }),
        new("local.stoppedUnheard", new TestReport(), new TestReport
        {
            Local = new TestEndReport { StoppedUnheard = true },
        }),
    ];

    public static TheoryData<int> Indices => [.. Enumerable.Range(0, Cases.Length)];

    [Theory]
    [MemberData(nameof(Indices))]
    public void Differences_OneSettingDiffers_AreThatOne(int index)
    {
        (string name, Report a, Report b, bool mustBeAlike) = Cases[index];

        CompareDifference one = Assert.Single(ReportSettings.Differences([a], [b], out CompareDifference? forbidding));

        Assert.Equal(name, one.Name);
        Assert.NotEqual(one.A, one.B, StringComparer.Ordinal);
        Assert.Equal(mustBeAlike ? one : null, forbidding);
    }

    [Fact]
    public void Differences_SeveralThreads_ShowTheirNumberAndCpus()
    {
        TrafficReport a = new() { Threads = [At("send", 3), At("receive", 1), At("send", 2)] };
        TrafficReport b = new() { Threads = [At("send", null), At("send", 2)] };

        CompareDifference one = Assert.Single(ReportSettings.Differences([a], [b], out _));

        Assert.Equal(("2 send@2-3, 1 receive@1", "2 send@2+any"), (one.A, one.B));
    }

    [Fact]
    public void Differences_ValuesWithinASide_AreAllNamed()
    {
        DrainReport[] a = [new() { Runtime = "x" }, new() { Runtime = "y" }];

        CompareDifference one = Assert.Single(
            ReportSettings.Differences(a, [new DrainReport { Runtime = "x" }], out _));

        Assert.Equal(new CompareDifference("runtime", "x or y", "x"), one);
    }

    [Fact]
    public void Differences_AlikeReports_AreNone() =>
        Assert.Empty(ReportSettings.Differences([Sent(At("send", 0))], [Sent(At("send", 0))], out _));

    private static ThreadReport At(string role, int? cpu) => new() { Role = role, Cpu = cpu };

    private static TrafficReport Paced(string mode, double burst) =>
        new() { Pacing = new PacingReport { Mode = mode, MaxBurstMicroseconds = burst } };

    private static TestReport Between(params string[] senders) =>
        new() { Directions = [.. senders.Select(static from => new TestDirectionReport { From = from })] };

    private static TestReport Sent(ThreadReport thread) =>
        new() { Local = new TestEndReport { Sent = new TrafficReport { Threads = [thread] } } };

    private sealed record ReportCase(string Name, Report A, Report B, bool MustBeAlike = false);
}
