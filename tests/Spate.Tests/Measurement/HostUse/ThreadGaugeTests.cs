using Spate.Cli.Bench.Designs;
using Spate.Measurement.HostUse;
using Spate.Serving;

namespace Spate.Tests.Measurement.HostUse;

public sealed class ThreadGaugeTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    [Fact]
    public void Use_OfAServersThread_OnlyGrowsAndStandsAfterItsEnd()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "threads are in /proc on Linux only");
        UdpServer server = UdpServer.Start(
            new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(0)], ThreadCount = 1 },
            _ => new CountingHandler(0));
        int threadId = server.GetStatistics().Threads[0].SystemThreadId!.Value;
        using var gauge = new ThreadGauge(threadId);
        ThreadUse first = gauge.Use;
        Assert.NotNull(first.Usage.CpuNanoseconds);
        Assert.NotNull(first.Times.Cpu);

        server.Dispose();

        // A thread that was joined may still wait for a CPU, to end in the kernel.
        Assert.True(SpinWait.SpinUntil(() => !Directory.Exists($"/proc/self/task/{threadId}"), Patience));
        ThreadUse last = gauge.Use;

        Assert.True(last.Usage.CpuNanoseconds >= first.Usage.CpuNanoseconds);
        Assert.NotNull(last.Times.UserNanoseconds);
        Assert.Equal(last, gauge.Use);
    }

    [Fact]
    public void Use_FinishedOnItsThread_StandsFromThenOn()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "threads are in /proc on Linux only");
        using var gauge = new ThreadGauge();
        for (int i = 0; i < 100_000 && gauge.Use.Usage.CpuNanoseconds == 0; i++) Thread.SpinWait(100);

        gauge.Finish();
        ThreadUse last = gauge.Use;
        for (int i = 0; i < 1000; i++) Thread.SpinWait(1000);

        Assert.Equal(last, gauge.Use);
        Assert.True(last.Usage.CpuNanoseconds > 0);
    }

    [Fact]
    public void Use_NoSuchThread_IsUnknown()
    {
        using var gauge = new ThreadGauge(int.MaxValue);

        Assert.Equal(default, gauge.Use);
    }
}
