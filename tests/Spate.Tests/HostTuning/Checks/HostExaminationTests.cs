using Spate.HostTuning.Checks;
using Spate.HostTuning.Reading.Interfaces;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Checks;

public sealed class HostExaminationTests
{
    [Fact]
    public void Of_OtherSystem_MakesOnlyChecksThatExistThereAndNamesTheOthers()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio();

        HostExamination linux = HostExamination.Of(RecordedReadings.Of(host), isLinux: true);
        HostExamination other = HostExamination.Of(RecordedReadings.Of(host), isLinux: false);

        Assert.Empty(linux.LeftOut);
        string[] onLinux = [.. CheckCatalog.All.Where(static one => one.IsLinuxOnly).Select(static one => one.Id)];
        Assert.NotEmpty(onLinux);
        Assert.Equal<string[]>(onLinux, [.. other.LeftOut]);
        Assert.DoesNotContain(other.Findings, finding => Array.IndexOf(onLinux, finding.Id) >= 0);
    }

    [Theory]
    [InlineData("proc / proc rw 0 0", true, false)]
    [InlineData("proc / proc rw 0 0", false, true)]
    [InlineData("proc /proc/sys proc ro,nosuid 0 0", true, true)]
    [InlineData("proc /proc proc ro 0 0\nproc /proc/sys proc rw 0 0", true, false)]
    [InlineData("proc /proc/sys proc rw 0 0\nproc /proc proc ro 0 0", true, false)]
    [InlineData("proc /proc/sy proc ro 0 0\nproc\nproc /proc/sys/net/core/rmem_max/x proc ro 0 0", true, false)]
    public void Of_SettingThatIsRefusedHere_SaysSoAndPrintsNoCommand(string mounts, bool isWritable, bool isRefused)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no file modes");
        const string Limit = "proc/sys/net/core/rmem_max";
        using FakeHost host = FakeMachines.TwoCoreVirtio().With(Limit, "212992\n").With("proc/self/mounts", mounts);
        if (!isWritable && !OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(Path.Combine(host.RootPath, Limit), UnixFileMode.UserRead);
        }

        CheckFinding finding = HostExamination.Of(RecordedReadings.Of(host), isLinux: true).Findings[0];

        Assert.Equal(("rmem-max", CheckStatus.Advice), (finding.Id, finding.Status));
        Assert.Equal(isRefused, finding.Command is null);
        Assert.Equal((isRefused, isRefused), (finding.Undo is null, finding.Changes.Count == 0));
        Assert.Equal(isRefused, finding.Reason.Contains("set it on the host.", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(null)]
    [InlineData("bond0")]
    public void Of_RouteByABond_LooksAtItsCardToo(string? asked)
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio()
            .WithLink("sys/class/net/bond0/lower_eth0", "../eth0")
            .With("proc/net/route", "Iface Destination\nbond0 00000000 010200C0 0003 0 0 0 00000000 0 0 0\n");
        var request = new CheckOptions { RootPath = host.RootPath, Interface = asked };
        InterfaceFacts bond = FakeMachines.Interfaces[1] with { Name = "bond0" };

        using var reader = new HostReader(request, TimeProvider.System, [.. FakeMachines.Interfaces, bond]);

        Assert.Equal<string[]>(["eth0", "bond0"], [.. reader.Take().Interfaces.Select(static one => one.Name)]);
    }

    [Fact]
    public void Catalog_Ids_AreDistinctAndKebabCase()
    {
        string[] ids = [.. CheckCatalog.All.Select(static one => one.Id)];

        Assert.Equal(ids.Length, ids.Distinct(StringComparer.Ordinal).Count());
        Assert.All(ids, static id => Assert.Matches("^[a-z0-9]+(-[a-z0-9]+)*$", id));
    }
}
