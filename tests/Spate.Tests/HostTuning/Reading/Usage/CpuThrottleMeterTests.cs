using Spate.HostTuning.Reading.Usage;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Reading.Usage;

public sealed class CpuThrottleMeterTests
{
    private const string Own = "sys/fs/cgroup/kubepods/pod7/box/";

    [Fact]
    public void Take_GroupsOfVersion2_GivesTheLargestThatWasAdded()
    {
        using FakeHost host = new FakeHost()
            .With("proc/self/cgroup", "0::/kubepods/pod7/box\n")
            .With("sys/fs/cgroup/cpu.stat", "usage_usec 5\nuser_usec 3\nsystem_usec 2\n")
            .With("sys/fs/cgroup/kubepods/cpu.stat", Version2(9_000_000))
            .With("sys/fs/cgroup/kubepods/pod7/cpu.stat", Version2(70))
            .With(Own + "cpu.stat", Version2(50));
        using var meter = new CpuThrottleMeter(host.RootPath);
        Assert.Equal(0, meter.Take());

        // The group above has the most, but nothing was added there.
        host.With("sys/fs/cgroup/kubepods/pod7/cpu.stat", Version2(71)).With(Own + "cpu.stat", Version2(54));
        Assert.Equal(4_000, meter.Take());
        Assert.Equal(0, meter.Take());

        host.With(Own + "cpu.stat", Version2(1));
        Assert.Equal(0, meter.Take());
    }

    [Fact]
    public void Take_GroupsOfVersion1_GivesNanoseconds()
    {
        using FakeHost host = new FakeHost()
            .With("proc/self/cgroup", "12:memory:/other\n4:cpu,cpuacct:/docker/abc\n")
            .With("sys/fs/cgroup/cpu/docker/abc/cpu.stat", "nr_periods 1\nnr_throttled 1\nthrottled_time 100\n");
        using var meter = new CpuThrottleMeter(host.RootPath);
        host.With("sys/fs/cgroup/cpu/docker/abc/cpu.stat", "nr_periods 2\nnr_throttled 2\nthrottled_time 350\n");

        Assert.Equal(250, meter.Take());
    }

    [Fact]
    public void Take_Container_ReadsTheTop()
    {
        using FakeHost host = new FakeHost()
            .With("proc/self/cgroup", "0::/../../outside\n")
            .With("sys/fs/cgroup/cpu.stat", Version2(10));
        using var meter = new CpuThrottleMeter(host.RootPath);
        host.With("sys/fs/cgroup/cpu.stat", Version2(12));

        Assert.Equal(2_000, meter.Take());
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("usage_usec 5\n")]
    [InlineData("throttled_usec x\n")]
    public void Take_NothingCounted_IsNull(string? stat)
    {
        using FakeHost host = new FakeHost().With("proc/self/cgroup", "0::/\n");
        if (stat is not null) host.With("sys/fs/cgroup/cpu.stat", stat);
        using var meter = new CpuThrottleMeter(host.RootPath);

        Assert.Null(meter.Take());
    }

    private static string Version2(long microseconds) =>
        $"usage_usec 900\nnr_periods 5\nnr_throttled 2\nthrottled_usec {microseconds}\nnr_bursts 0\n";
}
