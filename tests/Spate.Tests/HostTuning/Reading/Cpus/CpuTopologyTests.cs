using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Files;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Reading.Cpus;

public sealed class CpuTopologyTests
{
    [Fact]
    public void Read_TwoSockets_KnowsSiblingsCachesAndNodes()
    {
        using FakeHost host = FakeMachines.TwoSocketMlx5();

        CpuFacts cpus = CpuFacts.Read(host.RootPath);

        Assert.Equal((64, 32), (cpus.All.Count, cpus.CoreCount));
        Assert.Equal(
            new CpuInfo(53, Core: 5, Package: 1, Node: 1, Usable: true) { FirstOfCore = 21, FirstOfCache = 16 },
            cpus.All[53]);
        Assert.Equal([(3, 32L << 20), (3, 32L << 20)], cpus.LastLevelCaches.Select(c => (c.Level, c.SizeBytes ?? 0)));
        Assert.Equal("16-31,48-63", CpuList.Format(cpus.LastLevelCaches[1].CpuNumbers));
    }

    [Fact]
    public void Read_ListWithHoles_LeavesOfflineCpusOut()
    {
        using FakeHost host = FakeMachines.Cpus(new FakeHost(), [0, 1, 2, 3, 8], coreCount: 16, packageCount: 1)
            .With("proc/self/status", "Cpus_allowed_list:\t1-9\n");

        CpuFacts cpus = CpuFacts.Read(host.RootPath);

        Assert.Equal([0, 1, 2, 3, 8], cpus.All.Select(static cpu => cpu.Number));
        Assert.Equal([1, 2, 3, 8], cpus.UsableNumbers);
    }

    [Theory]
    [InlineData("7")]
    [InlineData("")]
    [InlineData("0-4000000000")]
    [InlineData("\0\0")]
    public void Read_DamagedSiblings_AreUnknown(string siblings)
    {
        using FakeHost host = new FakeHost()
            .With("sys/devices/system/cpu/online", "0\n")
            .With("sys/devices/system/cpu/cpu0/topology/core_cpus_list", siblings)
            .With("sys/devices/system/cpu/cpu0/cache/index0/level", "3\n")
            .With("sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list", siblings);

        CpuFacts cpus = CpuFacts.Read(host.RootPath);

        Assert.Equal((null, null), (cpus.All[0].FirstOfCore, cpus.All[0].FirstOfCache));
        Assert.Empty(cpus.LastLevelCaches);
    }

    [Fact]
    public void Read_InstructionCache_IsNotTheLastLevel()
    {
        const string Cache = "sys/devices/system/cpu/cpu0/cache/";
        using FakeHost host = new FakeHost()
            .With("sys/devices/system/cpu/online", "0-1\n")
            .With("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3400000\n")
            .With(Cache + "index0/level", "2\n")
            .With(Cache + "index0/type", "Instruction\n")
            .With(Cache + "index0/shared_cpu_list", "0\n")
            .With(Cache + "index1/level", "1\n")
            .With(Cache + "index1/type", "Data\n")
            .With(Cache + "index1/size", "nonsense\n")
            .With(Cache + "index1/shared_cpu_list", "0-1\n");

        CpuFacts cpus = CpuFacts.Read(host.RootPath);

        CacheInfo cache = Assert.Single(cpus.LastLevelCaches);
        Assert.Equal((1, null), (cache.Level, cache.SizeBytes));
        Assert.Equal((3_400_000, null), (cpus.All[0].MaximumKilohertz, cpus.All[1].MaximumKilohertz));
        Assert.Equal(0, cpus.All[1].FirstOfCache);
    }

    [Theory]
    [InlineData("0::/a/b\n", "sys/fs/cgroup/a/cpu.max", "100000 100000\n", 1.0)]
    [InlineData("0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max", "50000 100000\n", 0.5)]
    [InlineData("3:cpu,cpuacct:/x\n", "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "200000\n", 2.0)]
    [InlineData("3:cpu,cpuacct:/x\n", "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1\n", null)]
    [InlineData("0::/../../etc\n", "etc/cpu.max", "100000 100000\n", null)]
    public void Read_Quota_IsTheLeastOfTheGroups(string groups, string path, string content, double? expected)
    {
        using FakeHost host = new FakeHost()
            .With("proc/self/cgroup", groups)
            .With("sys/fs/cgroup/a/b/cpu.max", "300000 100000\n")
            .With("sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n")
            .With(path, content);

        Assert.Equal(expected, CpuFacts.Read(host.RootPath).QuotaCpus);
    }

    [Fact]
    public void Read_EndlessLine_IsCutNotSwallowed()
    {
        using FakeHost host = new FakeHost()
            .With("proc/cpuinfo", new string('x', 3 << 20) + "\nmodel name\t: hidden\n");

        Assert.All(new HostFiles(host.RootPath).ReadLines("proc/cpuinfo"), line => Assert.True(line.Length <= 1 << 20));
    }
}
