using Spate.HostTuning.Reading.Cpus;
using Spate.Measurement.HostUse;
using Spate.Measurement.Traffic;

namespace Spate.HostTests.Namespaces;

/// <summary>A CPU that is really full while an end of traffic runs: the report names it.</summary>
[QuietHost("a CPU is kept full")]
public sealed class FullCpuTests
{
    // Far below what a CPU can send, and several times what a CPU can pass through so many rules: some 60 us a packet.
    private const int FilteredRate = 60_000;
    private const int RuleCount = 10_000;

    // Other programs may take so much of the sender's CPU that this one is the limit.
    private const int MaxRuns = 5;

    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(1);

    [Fact]
    public void Receive_ThreadSpinsOnTheReadersCpu_NamesTheCpuAndTheOtherProgram()
    {
        int cpu = LastCpu();
        using TrafficReceiver receiver = Open(UdpEndPoint.Loopback(0), cpu);

        TrafficReport report = RunBeside(
            receiver, cpu, static () => Thread.SpinWait(1000), TestContext.Current.CancellationToken);

        CpuReport core = Assert.Single(report.Cores, one => one.Cpu == cpu);
        Assert.Equal((cpu, CpuLimit.OtherCause), (report.LimitCpu, report.LimitCause));
        Assert.StartsWith($"CPU {cpu} is full with another program: ", report.Limit, StringComparison.Ordinal);
        Assert.Equal(["receive"], core.Roles);
        Assert.True(core.OwnPercent < core.UserPercent);
    }

    [Fact]
    public void Receive_ReadersCpuIsFullWhileTrafficLasts_NamesItThoughTheRunWaitsLonger()
    {
        int cpu = LastCpu();
        using TrafficReceiver receiver = Open(UdpEndPoint.Loopback(0), cpu, 6 * Duration);
        using UdpSocket sender = UdpSocket.Connect(receiver.LocalEndPoint);
        byte[] payload = new byte[64];

        // Its begin and its end, some 70 ms together, have a part of the CPU idle, and 90 % are full.
        using var stop = new CancellationTokenSource(3 * Duration);
        var sending = new Thread(() =>
        {
            while (!stop.IsCancellationRequested) sender.Send(payload);
        });
        sending.Start();

        TrafficReport report = RunBeside(receiver, cpu, static () => Thread.SpinWait(1000), stop.Token);
        sending.Join();

        CpuReport core = Assert.Single(report.Cores, one => one.Cpu == cpu);
        Assert.Equal((cpu, CpuLimit.OtherCause), (report.LimitCpu, report.LimitCause));
        Assert.True(core.BusyPercent >= CpuLimit.FullPercent);
    }

    [Fact]
    public void Receive_FloodThroughANamespacePair_NamesTheCpuOfItsSoftInterrupts()
    {
        // A veth pair passes packets on in soft interrupts on the CPU of the sender, which the reader has here too.
        using var pair = new TestPair();
        int cpu = LastCpu();
        using TrafficReceiver receiver = pair.Server.Enter(() => Open(UdpEndPoint.Any(0), cpu));
        var target = UdpEndPoint.Parse($"{TestPair.ServerAddress}:{receiver.LocalEndPoint.Port}");
        using UdpSocket sender = pair.Client.Enter(() => UdpSocket.Connect(target));
        byte[] payload = new byte[64];

        TrafficReport report = pair.Server.Enter(() => RunBeside(
            receiver, cpu, () => sender.Send(payload), TestContext.Current.CancellationToken));

        CpuReport core = Assert.Single(report.Cores, one => one.Cpu == cpu);
        Assert.Equal(cpu, report.LimitCpu);
        Assert.StartsWith($"CPU {cpu} is ", report.Limit, StringComparison.Ordinal);
        Assert.True(core.SoftirqPercent > 0);
        Assert.True(core.ReceiveInterrupts > 0);
        Assert.True(report.Datagrams > 0);
    }

    [Fact]
    public void Send_ReceiverTakesItsPacketsOnAnotherCpu_NamesThatCpuAndItsSoftInterrupts()
    {
        // Packet steering makes the last CPU take the packets. A firewall with many rules makes that cost many times
        // what sending them costs the first CPU. Nobody reads, so the last CPU has nothing to do but soft interrupts.
        int steered = LastCpu();
        int sending = CpuFacts.Read().All[0].Number;
        Assert.SkipUnless(steered != sending, "two CPUs are needed");
        using var pair = new TestPair();
        pair.Server.RequireNft();
        Assert.SkipUnless(TrySteer(pair.Server, steered), "this kernel has no receive packet steering");
        AddRules(pair.Server);
        using UdpSocket unread = pair.Server.Bind($"{TestPair.ServerAddress}:{TestPair.Port}");

        TrafficReport report = Send(pair, sending);
        for (int i = 1; i < MaxRuns && report.LimitCause is not CpuLimit.SoftirqCause; i++)
        {
            report = Send(pair, sending);
        }

        NotJudged.When(
            report is { LimitCpu: { } full, LimitCause: CpuLimit.OtherCause }
                && Enumerable.Range(0, MaxRuns).Any(_ => IsFullOfOthers(full)),
            $"another program keeps CPU {report.LimitCpu} full");
        CpuReport core = Assert.Single(report.Cores, one => one.Cpu == steered);
        Assert.Equal((steered, CpuLimit.SoftirqCause), (report.LimitCpu, report.LimitCause));
        Assert.StartsWith($"CPU {steered} is the limit: ", report.Limit, StringComparison.Ordinal);
        Assert.Equal("softirq", core.FindLargestPart().Name);
        Assert.True(core.BusyPercent >= CpuLimit.FullPercent);
        Assert.True(core.SoftirqPercent > core.UserPercent + core.SystemPercent);
        Assert.Empty(core.Roles);
        Assert.True(report.Datagrams > 0);
    }

    // The namespace's own /sys is seen by programs that ip netns starts in it.
    private static bool TrySteer(NetworkNamespace network, int cpu)
    {
        const string File = "/sys/class/net/veth0/queues/rx-0/rps_cpus";
        string words = string.Join(',', Enumerable.Repeat("00000000", cpu / 32).Prepend($"{1u << (cpu % 32):x}"));
        return Record.Exception(() => network.Execute($"sh -c \"echo {words} > {File}\"")) is null;
    }

    // No packet matches any of the rules, so each passes all of them.
    private static void AddRules(NetworkNamespace network)
    {
        string path = Path.GetTempFileName();
        try
        {
            File.WriteAllLines(path,
            [
                "table ip spate { chain many { type filter hook input priority 0 ; }; }",
                .. Enumerable.Repeat("add rule ip spate many ip saddr 192.0.2.1 drop", RuleCount),
            ]);
            network.Execute($"nft -f {path}");
        }
        finally
        {
            File.Delete(path);
        }
    }

    private static TrafficReport Send(TestPair pair, int cpu)
    {
        TrafficReport report = pair.Client.Enter(() =>
        {
            using TrafficSender sender = TrafficSender.Open(new TrafficSenderOptions
            {
                Targets = [UdpEndPoint.Parse($"{TestPair.ServerAddress}:{TestPair.Port}")],
                SizeBytes = 64,
                DatagramsPerSecond = FilteredRate,
                Duration = Duration,
                Cpus = [cpu],
                Transport = new TransportOptions { SegmentedSend = false },
            });
            return sender.Run(cancellationToken: TestContext.Current.CancellationToken);
        });
        TestContext.Current.TestOutputHelper?.WriteLine(report.Limit ?? "");
        return report;
    }

    // Other programs and tests prefer the first CPU.
    private static int LastCpu()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "what CPUs do comes from Linux's /proc");
        return CpuFacts.Read().All[^1].Number;
    }

    // A receiver that nobody sends to is no load of its own.
    private static bool IsFullOfOthers(int cpu)
    {
        using TrafficReceiver idle = Open(UdpEndPoint.Loopback(0), cpu);
        TrafficReport report = idle.Run(cancellationToken: TestContext.Current.CancellationToken);
        return report.LimitCpu == cpu && report.LimitCause is CpuLimit.OtherCause;
    }

    private static TrafficReceiver Open(UdpEndPoint local, int cpu, TimeSpan? duration = null) =>
        TrafficReceiver.Open(new TrafficReceiverOptions
        {
            Local = local,
            Duration = duration ?? Duration,
            Cpus = [cpu],
        });

    /// <summary>Runs a receiver while a thread on a CPU does something again and again.</summary>
    private static TrafficReport RunBeside(
        TrafficReceiver receiver, int cpu, Action work, CancellationToken workEnds)
    {
        using var stop = new CancellationTokenSource();
        string? error = null;
        var thread = new Thread(() =>
        {
            if (!ThreadAffinity.TrySetCurrentThreadCpus([cpu], out error)) return;

            while (!stop.IsCancellationRequested && !workEnds.IsCancellationRequested) work();
        });
        thread.Start();
        TrafficReport report = receiver.Run(cancellationToken: TestContext.Current.CancellationToken);
        stop.Cancel();
        thread.Join();
        Assert.Null(error);
        TestContext.Current.TestOutputHelper?.WriteLine(report.Limit ?? "");
        return report;
    }
}
