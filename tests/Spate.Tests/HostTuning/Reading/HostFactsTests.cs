using Spate.HostTuning.Reading;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Interfaces;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Reading;

public sealed class HostFactsTests
{
    [Fact]
    public void Read_FakeTree_TakesEveryFactFromIt()
    {
        using FakeHost host = new FakeHost()
            .With(
                "etc/os-release",
                "PRETTY_NAME=\"x\"\nNAME=\"Made \\\"Up\\\" Linux\"\nVERSION='9 (nine)'\nVERSION_ID=9\n")
            .With("proc/sys/kernel/osrelease", "6.1.2-test\n")
            .With("proc/sys/net/core/rmem_max", "4194304\n")
            .With("proc/sys/net/core/rmem_default", "212992\n")
            .With("proc/sys/net/core/wmem_max", "425984\n")
            .With("proc/sys/net/core/wmem_default", "1024\n")
            .With("proc/sys/net/core/netdev_max_backlog", "1000\n");

        HostFacts facts = HostFacts.Read(host.RootPath);

        Assert.Equal("Made \"Up\" Linux", facts.OperatingSystemName);
        Assert.Equal("9 (nine)", facts.OperatingSystemVersion);
        Assert.Equal("6.1.2-test", facts.KernelRelease);
        if (OperatingSystem.IsLinux()) Assert.Equal("Linux 6.1.2-test", HostFacts.ReadKernel(host.RootPath));
        Assert.Equal(new BufferLimits(4194304, 212992, 425984, 1024, 1000), facts.Buffers);
    }

    [Fact]
    public void Read_EmptyTree_FallsBackWithoutThrowing()
    {
        using var host = new FakeHost();

        HostFacts facts = HostFacts.Read(host.RootPath);

        Assert.NotEmpty(facts.OperatingSystemName);
        Assert.NotEmpty(facts.KernelRelease);
        Assert.Equal(new BufferLimits(null, null, null, null, null), facts.Buffers);
    }

    [Fact]
    public void HostFiles_RootOfAnotherSystem_ReadsAsEmpty()
    {
        var files = new HostFiles("/", isLinux: false);

        Assert.SkipUnless(File.Exists("/proc/self/stat"), "this system has no /proc, which reads as empty anyhow");
        Assert.False(files.Exists("proc/self/stat"));
        Assert.False(files.DirectoryExists("proc"));
        Assert.Null(files.ReadNumber("proc/sys/net/core/rmem_max"));
        Assert.Empty(files.ReadLines("proc/self/stat"));
        Assert.Empty(files.ListNames("proc", 1));
        Assert.Null(files.ReadLink("proc/self/exe"));
        Assert.True(files.Open("proc/self/stat").IsMissing);
        Assert.True(new HostFiles("/", isLinux: true).Exists("proc/self/stat"));
    }

    [Fact]
    public void Read_OnlyVersionId_TakesIt()
    {
        using FakeHost host = new FakeHost().With("usr/lib/os-release", "NAME=Tiny\nVERSION_ID=3.20\n");

        HostFacts facts = HostFacts.Read(host.RootPath);

        Assert.Equal(("Tiny", "3.20"), (facts.OperatingSystemName, facts.OperatingSystemVersion));
    }

    [Fact]
    public void Read_ThisMachine_HasALoopbackThatIsUp()
    {
        InterfaceFacts? loopback = HostFacts.Read().Interfaces.FirstOrDefault(static network => network.IsLoopback);

        Assert.SkipWhen(loopback is null, "no loopback interface is visible here");
        Assert.True(loopback.IsUp);
        Assert.NotEmpty(loopback.Addresses);
    }

    [Theory]
    [InlineData(".dockerenv", "", "docker")]
    [InlineData("run/.containerenv", "engine", "podman")]
    [InlineData("run/systemd/container", "systemd-nspawn\n", "systemd-nspawn")]
    [InlineData("etc/hostname", "plain", null)]
    public void Find_MarkerFile_NamesTheContainer(string path, string content, string? expected)
    {
        using FakeHost host = new FakeHost().With(path, content);

        Assert.Equal(expected, ContainerHint.Find(new HostFiles(host.RootPath), static _ => null));
    }

    [Fact]
    public void Find_KubernetesEnvironment_ComesBeforeTheEngine()
    {
        using FakeHost host = new FakeHost().With(".dockerenv", "");

        Assert.Equal("kubernetes", ContainerHint.Find(
            new HostFiles(host.RootPath), static name => name is "KUBERNETES_SERVICE_HOST" ? "10.0.0.1" : null));
    }
}
