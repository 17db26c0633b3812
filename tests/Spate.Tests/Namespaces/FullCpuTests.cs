using Spate.HostTuning.Cpus;
using Spate.Measurement.Cores;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Namespaces;

/// <summary>A CPU that is really full while an end of traffic runs: the report names it.</summary>
[Collection(AloneCollection.Name)]
public sealed class FullCpuTests
{
    private const int FirstRate = 1_000_000;

    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(1);

    [Fact]
    public void Receive_ThreadSpinsOnTheReadersCpu_NamesTheCpuAndTheOtherProgram()
    {
        int cpu = LastCpu();
        using TrafficReceiver receiver = Open(UdpEndPoint.Loopback(0), cpu);

        TrafficReport report = RunBeside(
            receiver, cpu, static () => Thread.SpinWait(1000), TestContext.Current.CancellationToken);

        CoreReport core = Assert.Single(report.Cores, one => one.Cpu == cpu);
        Assert.Equal((cpu, CoreLimit.OtherCause), (report.LimitCpu, report.LimitCause));
        Assert.StartsWith($"CPU {cpu} is full with another program: ", report.Limit, StringComparison.Ordinal);
        Assert.Equal(["receive"], core.Roles);
        Assert.True(core.OwnPercent < core.UserPercent);
    }

    [Fact]
    public void Receive_ReadersCpuIsFullWhileTrafficLasts_NamesItThoughTheRunWaitsLonger()
    {
        int cpu = LastCpu();
        using TrafficReceiver receiver = Open(UdpEndPoint.Loopback(0), cpu, 4 * Duration);
        using UdpSocket sender = UdpSocket.Connect(receiver.LocalEndPoint);
        byte[] payload = new byte[64];
        using var stop = new CancellationTokenSource(Duration);
        var sending = new Thread(() =>
        {
            while (!stop.IsCancellationRequested) sender.Send(payload);
        });
        sending.Start();

        TrafficReport report = RunBeside(receiver, cpu, static () => Thread.SpinWait(1000), stop.Token);
        sending.Join();

        CoreReport core = Assert.Single(report.Cores, one => one.Cpu == cpu);
        Assert.Equal((cpu, CoreLimit.OtherCause), (report.LimitCpu, report.LimitCause));
        Assert.True(core.BusyPercent >= CoreLimit.FullPercent);
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

        CoreReport core = Assert.Single(report.Cores, one => one.Cpu == cpu);
        Assert.Equal(cpu, report.LimitCpu);
        Assert.StartsWith($"CPU {cpu} is ", report.Limit, StringComparison.Ordinal);
        Assert.True(core.SoftirqPercent > 0);
        Assert.True(core.ReceiveInterrupts > 0);
        Assert.True(report.Datagrams > 0);
    }

    [Fact]
    public void Send_ReceiverTakesItsPacketsOnAnotherCpu_NamesThatCpuAndItsSoftInterrupts()
    {
        // Packet steering makes the last CPU take the packets. That CPU splits the sender's trains, which costs several
        // times what sending them costs the first CPU. Nobody reads, so it has nothing to do but soft interrupts.
        int steered = LastCpu();
        int sending = CpuFacts.Read().All[0].Number;
        Assert.SkipUnless(steered != sending, "two CPUs are needed");
        using var pair = new TestPair();
        Assert.SkipUnless(TrySteer(pair.Server, steered), "this kernel has no receive packet steering");
        using UdpSocket unread = pair.Server.Bind($"{TestPair.ServerAddress}:{TestPair.Port}");

        // How fast a CPU can send differs between machines, and how much other programs leave of it from run to run.
        TrafficReport report = Flood(pair, sending, FirstRate);
        for (int i = 0; i < 5 && report.LimitCause is not CoreLimit.SoftirqCause; i++)
        {
            report = Flood(pair, sending, FirstRate << (i + 1));
        }

        CoreReport core = Assert.Single(report.Cores, one => one.Cpu == steered);
        Assert.Equal((steered, CoreLimit.SoftirqCause), (report.LimitCpu, report.LimitCause));
        Assert.StartsWith($"CPU {steered} is the limit: ", report.Limit, StringComparison.Ordinal);
        Assert.Equal("softirq", core.FindLargestPart().Name);
        Assert.True(core.BusyPercent >= CoreLimit.FullPercent);
        Assert.True(core.SoftirqPercent > core.UserPercent + core.SystemPercent);
        Assert.Empty(core.Roles);
        Assert.True(report.Datagrams > 0);
    }

    // The namespace's own /sys is seen by programs that ip netns starts in it.
    private static bool TrySteer(NetworkNamespace network, int cpu)
    {
        const string Path = "/sys/class/net/veth0/queues/rx-0/rps_cpus";
        string words = string.Join(',', Enumerable.Repeat("00000000", cpu / 32).Prepend($"{1u << (cpu % 32):x}"));
        return Record.Exception(() => network.Execute($"sh -c \"echo {words} > {Path}\"")) is null;
    }

    private static TrafficReport Flood(TestPair pair, int cpu, double datagramsPerSecond)
    {
        TrafficReport report = pair.Client.Enter(() =>
        {
            using TrafficSender sender = TrafficSender.Open(new TrafficSenderOptions
            {
                Targets = [UdpEndPoint.Parse($"{TestPair.ServerAddress}:{TestPair.Port}")],
                SizeBytes = 64,
                DatagramsPerSecond = datagramsPerSecond,
                Duration = Duration,
                CpuIndexes = [cpu],
            });
            return sender.Run(cancellationToken: TestContext.Current.CancellationToken);
        });
        TestContext.Current.TestOutputHelper?.WriteLine($"{datagramsPerSecond:0}/s: {report.Limit}");
        return report;
    }

    // Other programs and tests prefer the first CPU.
    private static int LastCpu()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "what CPUs do comes from Linux's /proc");
        return CpuFacts.Read().All[^1].Number;
    }

    private static TrafficReceiver Open(UdpEndPoint local, int cpu, TimeSpan? duration = null) =>
        TrafficReceiver.Open(new TrafficReceiverOptions
        {
            Local = local,
            Duration = duration ?? Duration,
            CpuIndexes = [cpu],
        });

    /// <summary>Runs a receiver while a thread on a CPU does something again and again.</summary>
    private static TrafficReport RunBeside(
        TrafficReceiver receiver, int cpu, Action work, CancellationToken workEnds)
    {
        using var stop = new CancellationTokenSource();
        string? error = null;
        var thread = new Thread(() =>
        {
            if (!ThreadAffinity.TrySet([cpu], out error)) return;

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
