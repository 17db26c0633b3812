using Spate.HostTuning.Cpus;
using Spate.Measurement.Cores;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Namespaces;

/// <summary>A CPU that is really full while a receiver runs: the report names it.</summary>
[Collection(AloneCollection.Name)]
public sealed class FullCpuTests
{
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(1);

    [Fact]
    public void Receive_ThreadSpinsOnTheReadersCpu_NamesTheCpuAndTheOtherProgram()
    {
        int cpu = LastCpu();
        using TrafficReceiver receiver = Open(UdpEndPoint.Loopback(0), cpu);

        TrafficReport report = RunBeside(receiver, cpu, static () => Thread.SpinWait(1000));

        CoreReport core = Assert.Single(report.Cores, one => one.Cpu == cpu);
        Assert.Equal((cpu, CoreLimit.OtherCause), (report.LimitCpu, report.LimitCause));
        Assert.StartsWith($"CPU {cpu} is full with another program: ", report.Limit, StringComparison.Ordinal);
        Assert.Equal(["receive"], core.Roles);
        Assert.True(core.OwnPercent < core.UserPercent);
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

        TrafficReport report = pair.Server.Enter(() => RunBeside(receiver, cpu, () => sender.Send(payload)));

        CoreReport core = Assert.Single(report.Cores, one => one.Cpu == cpu);
        Assert.Equal(cpu, report.LimitCpu);
        Assert.StartsWith($"CPU {cpu} is ", report.Limit, StringComparison.Ordinal);
        Assert.True(core.SoftirqPercent > 0);
        Assert.True(core.ReceiveInterrupts > 0);
        Assert.True(report.Datagrams > 0);
    }

    // Other programs and tests prefer the first CPU.
    private static int LastCpu()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "what CPUs do comes from Linux's /proc");
        return CpuFacts.Read().All[^1].Number;
    }

    private static TrafficReceiver Open(UdpEndPoint local, int cpu) => TrafficReceiver.Open(new TrafficReceiverOptions
    {
        Local = local,
        Duration = Duration,
        CpuIndexes = [cpu],
    });

    /// <summary>Runs a receiver while a thread on a CPU does something again and again.</summary>
    private static TrafficReport RunBeside(TrafficReceiver receiver, int cpu, Action work)
    {
        using var stop = new CancellationTokenSource();
        string? error = null;
        var thread = new Thread(() =>
        {
            if (!ThreadAffinity.TrySet([cpu], out error)) return;

            while (!stop.IsCancellationRequested) work();
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
