namespace Spate.Tests;

public sealed class ThreadAffinityTests
{
    [Fact]
    public void TrySetCurrentThread_OneAllowedCpu_TiesThisThreadOnly() => OnOwnThread(() =>
    {
        int[] before = ThreadAffinity.GetCurrentThreadCpus();

        Assert.True(ThreadAffinity.TrySetCurrentThreadCpus([before[^1], before[^1]], out string? error), error);

        Assert.Null(error);
        Assert.Equal([before[^1]], ThreadAffinity.GetCurrentThreadCpus());
        OnOwnThread(() => Assert.True(ThreadAffinity.TrySetCurrentThreadCpus(before, out _)));
        Assert.Equal([before[^1]], ThreadAffinity.GetCurrentThreadCpus());
    });

    [Fact]
    public void TrySetCurrentThread_OneCpuOfTwoMissing_ChangesNothingAndNamesIt() => OnOwnThread(() =>
    {
        int[] before = ThreadAffinity.GetCurrentThreadCpus();

        Assert.False(ThreadAffinity.TrySetCurrentThreadCpus([before[0], 8191], out string? error));

        Assert.Equal($"CPU 8191 does not exist or is not allowed; "
            + $"use CPUs of this list: {string.Join(',', before)}.", error);
        Assert.Equal(before, ThreadAffinity.GetCurrentThreadCpus());
    });

    [Fact]
    public void TrySetCurrentThread_OnlyMissingCpus_ChangesNothingAndListsAllowedOnes() => OnOwnThread(() =>
    {
        int[] before = ThreadAffinity.GetCurrentThreadCpus();

        Assert.False(ThreadAffinity.TrySetCurrentThreadCpus([8191], out string? error));

        Assert.Contains($"list: {string.Join(',', before)}.", error, StringComparison.Ordinal);
        Assert.Equal(before, ThreadAffinity.GetCurrentThreadCpus());
    });

    [Theory]
    [InlineData(-1)]
    [InlineData(8192)]
    [InlineData(int.MinValue)]
    [InlineData(int.MaxValue)]
    public void TrySetCurrentThread_ImpossibleIndex_SaysTheRange(int cpuIndex) => OnOwnThread(() =>
    {
        Assert.False(ThreadAffinity.TrySetCurrentThreadCpus([0, cpuIndex], out string? error));

        Assert.Equal($"CPU {cpuIndex} cannot exist; the number of a CPU is between 0 and 8191.", error);
    });

    [Fact]
    public void TrySetCurrentThread_NoCpu_SaysWhatToName() => OnOwnThread(() =>
    {
        Assert.False(ThreadAffinity.TrySetCurrentThreadCpus([], out string? error));

        Assert.Equal("No CPU was given; give at least one CPU number.", error);
    });

    [Fact]
    public void TrySetCurrentThread_OtherSystemThanLinux_AnswersFalseWithReason()
    {
        Assert.SkipWhen(OperatingSystem.IsLinux(), "this is the answer on systems other than Linux");

        Assert.False(ThreadAffinity.TrySetCurrentThreadCpus([0], out string? error));

        Assert.Contains("Linux only", error, StringComparison.Ordinal);
        Assert.Empty(ThreadAffinity.GetCurrentThreadCpus());
    }

    // The setting outlives the test, so it must not be made on a pool thread.
    private static void OnOwnThread(Action test)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "thread affinity exists on Linux only");
        Exception? failure = null;
        var thread = new Thread(() => failure = Record.Exception(test));
        thread.Start();
        thread.Join();
        Assert.Null(failure);
    }
}
