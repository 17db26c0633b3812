using Spate.HostTuning.Checks;

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

    [Fact]
    public void Catalog_Ids_AreDistinctAndKebabCase()
    {
        string[] ids = [.. CheckCatalog.All.Select(static one => one.Id)];

        Assert.Equal(ids.Length, ids.Distinct(StringComparer.Ordinal).Count());
        Assert.All(ids, static id => Assert.Matches("^[a-z0-9]+(-[a-z0-9]+)*$", id));
        Assert.All(CheckCatalog.All, static one => Assert.NotEmpty(one.Subject));
    }
}
