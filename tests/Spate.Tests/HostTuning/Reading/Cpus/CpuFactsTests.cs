using Spate.HostTuning.Reading.Cpus;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Reading.Cpus;

public sealed class CpuFactsTests
{
    [Fact]
    public void Read_TwoNodesAndACpuset_KnowsTopologyAndWhatIsUsable()
    {
        using FakeHost host = new FakeHost()
            .With("sys/devices/system/cpu/online", "0-3\n")
            .With("sys/devices/system/cpu/cpu0/topology/core_id", "0\n")
            .With("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n")
            .With("sys/devices/system/cpu/cpu3/topology/core_id", "7\n")
            .With("sys/devices/system/cpu/cpu3/topology/physical_package_id", "1\n")
            .With("sys/devices/system/node/online", "0-1\n")
            .With("sys/devices/system/node/node0/cpulist", "0-1\n")
            .With("sys/devices/system/node/node1/cpulist", "2-3\n")
            .With("proc/self/status", "Name:\tspate\nCpus_allowed:\tc\nCpus_allowed_list:\t2-3\n")
            .With("proc/cpuinfo", "processor\t: 0\nmodel name\t: Made Up CPU @ 3.00GHz\n")
            .With("sys/fs/cgroup/cpu.max", "150000 100000\n");

        CpuFacts cpus = CpuFacts.Read(host.RootPath);

        Assert.Equal(4, cpus.All.Count);
        Assert.Equal(new CpuInfo(0, Core: 0, Package: 0, Node: 0, Usable: false), cpus.All[0]);
        Assert.Equal(new CpuInfo(3, Core: 7, Package: 1, Node: 1, Usable: true), cpus.All[3]);
        Assert.Equal([2, 3], cpus.UsableNumbers);
        Assert.Equal("Made Up CPU @ 3.00GHz", cpus.ModelName);
        Assert.Equal(1.5, cpus.QuotaCpus);
    }

    [Fact]
    public void Read_EmptyTree_GivesTheRuntimesCountWithUnknownTopology()
    {
        using var host = new FakeHost();

        CpuFacts cpus = CpuFacts.Read(host.RootPath);

        Assert.Equal(Environment.ProcessorCount, cpus.All.Count);
        Assert.All(
            cpus.All,
            static cpu => Assert.Equal((true, null, null, null), (cpu.Usable, cpu.Core, cpu.Package, cpu.Node)));
        Assert.Null(cpus.QuotaCpus);
    }

    [Theory]
    [InlineData("max 100000")]
    [InlineData("")]
    [InlineData("100000 0")]
    [InlineData("nonsense")]
    public void Read_NoUsableQuota_IsNull(string content)
    {
        using FakeHost host = new FakeHost().With("sys/fs/cgroup/cpu.max", content);

        Assert.Null(CpuFacts.Read(host.RootPath).QuotaCpus);
    }

    [Fact]
    public void Read_UnknownPackage_IsNull()
    {
        using FakeHost host = new FakeHost()
            .With("sys/devices/system/cpu/online", "0\n")
            .With("sys/devices/system/cpu/cpu0/topology/physical_package_id", "-1\n");

        Assert.Null(CpuFacts.Read(host.RootPath).All[0].Package);
    }

    [Fact]
    public void Read_ArmWithoutModelName_TakesTheDeviceTree()
    {
        using FakeHost host = new FakeHost()
            .With("proc/cpuinfo", "processor\t: 0\nCPU part\t: 0xd0c\n")
            .With("proc/device-tree/model", "Some Board\0");

        Assert.Equal("Some Board", CpuFacts.Read(host.RootPath).ModelName);
    }
}
