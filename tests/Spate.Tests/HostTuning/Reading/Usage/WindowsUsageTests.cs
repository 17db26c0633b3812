using System.Diagnostics;
using Spate.HostTuning.Counters;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Usage;

namespace Spate.Tests.HostTuning.Reading.Usage;

/// <summary>The figures of Windows on threads, the process and the host; run under Wine.</summary>
public sealed class WindowsUsageTests
{
    private const string Reason = "the figures come from calls of Windows";

    [Fact]
    public void ThreadMeter_OfABusyThread_TellsItsCpuTimeInBothParts()
    {
        Assert.SkipUnless(OperatingSystem.IsWindows(), Reason);
        using var meter = new ThreadMeter();

        BurnUntil(() => meter.Usage.CpuNanoseconds > 0);

        ThreadTimes times = meter.Times;
        Assert.True(times.UserNanoseconds + times.SystemNanoseconds > 0);
        Assert.Null(times.Cpu);
        Assert.Null(meter.Usage.VoluntarySwitches);
    }

    [Fact]
    public void ThreadMeter_OfThisThread_TellsWhereItMayRun()
    {
        Assert.SkipUnless(OperatingSystem.IsWindows(), Reason);
        using var meter = new ThreadMeter();

        Assert.True(CpuList.TryParse(meter.AllowedCpuList, out IReadOnlyList<int> cpus));
        Assert.NotEmpty(cpus);
    }

    [Fact]
    public void ThreadMeter_NoSuchThread_TellsNothing()
    {
        using var meter = new ThreadMeter(0);

        Assert.Equal(default, meter.Usage);
        Assert.Equal(default, meter.Times);
        Assert.Null(meter.AllowedCpuList);
        Assert.Null(ThreadMeter.ReadCpuNanoseconds(0));
    }

    [Fact]
    public void ThreadMeter_AfterDispose_TellsNothing()
    {
        var meter = new ThreadMeter();

        meter.Dispose();

        Assert.Equal(default, meter.Usage);
        Assert.Null(meter.AllowedCpuList);
    }

    [Fact]
    public void MemoryUsage_OfThisProcess_IsThatOfTheRuntime()
    {
        Assert.SkipUnless(OperatingSystem.IsWindows(), Reason);
        using var process = Process.GetCurrentProcess();

        var memory = MemoryUsage.Read();

        Assert.InRange(memory.ResidentBytes, process.WorkingSet64 / 2, process.WorkingSet64 * 2);
        Assert.True(memory.ResidentPeakBytes >= memory.ResidentBytes);
        Assert.Null(memory.LockedBytes);
    }

    [Fact]
    public void SystemCounts_DatagramToItself_CountsIt()
    {
        Assert.SkipUnless(OperatingSystem.IsWindows(), Reason);
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        var before = SystemCounts.Read();

        byte[] buffer = new byte[16];
        _ = socket.SendTo(buffer, socket.LocalEndPoint);
        Assert.Equal(ReceiveStatus.Received, socket.ReceiveFrom(buffer, TimeSpan.FromSeconds(30), out _));

        SystemCounts counted = SystemCounts.Read() - before;
        Assert.True(counted.UdpReceived >= 1, $"{counted}");
        Assert.True(counted.UdpErrors >= 0);
        Assert.True(counted.UdpNoPorts >= 0);
        Assert.Null(counted.Interrupts);
    }

    [Fact]
    public void HostUdp_OfASystemThatDoesNotTell_IsUnknown()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has these counts");

        Assert.Equal(default, SystemCounts.ReadUdp(new HostFiles("/", isLinux: false)));
    }

    private static void BurnUntil(Func<bool> condition)
    {
        long start = Environment.TickCount64;
        while (!condition())
        {
            Assert.True(Environment.TickCount64 - start < 30_000, "no CPU time was counted");
            Thread.SpinWait(1000);
        }
    }
}
