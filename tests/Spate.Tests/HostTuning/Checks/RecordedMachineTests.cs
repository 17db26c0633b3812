using Spate.HostTuning.Checks;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Checks;

/// <summary>All checks on whole machines.</summary>
public sealed class RecordedMachineTests
{
    private static readonly string[] OfEmptyHost = ["rmem-max", "wmem-max", "steal", "governor", "container"];

    [Theory]
    [MemberData(nameof(RecordedMachines.Names), MemberType = typeof(RecordedMachines))]
    public void Of_AnyMachine_IsNoProblemAndSaysWhatIsToBeDone(string name)
    {
        HostExamination examination = RecordedMachines.Examine(name);

        Assert.NotEmpty(examination.Findings);
        Assert.All(examination.Findings, static one =>
        {
            Assert.NotEqual(CheckStatus.Problem, one.Status);
            Assert.NotEmpty(one.Reason);
            Assert.NotEmpty(one.Found);
            Assert.Equal(one.Status == CheckStatus.Advice, one.Wanted.Length > 0);
            Assert.True(one.Changes.Count == 0 || (one.Command is not null && one.Undo is not null), one.ToString());
            Assert.True(IsPrintable(one), one.ToString());
        });
    }

    [Fact]
    public void Of_HealthyServer_HasNothingToDo()
    {
        HostExamination examination = RecordedMachines.Examine("server");

        Assert.Equal(HostProfile.TenGigabit, examination.Profile);
        Assert.DoesNotContain(examination.Findings, static one => one.Status is CheckStatus.Advice);
        Assert.Contains(
            examination.Findings,
            static one => one is { Id: "interrupt-cpus", Status: CheckStatus.Ok, Interface: "eth0" });
    }

    [Theory]
    [InlineData("laptop", "rmem-max wmem-max governor")]
    [InlineData("container", "cpu-quota container")]
    [InlineData("cloud", "rmem-max wmem-max")]
    public void Of_OtherMachines_AdvisesInOrder(string name, string expected)
    {
        HostExamination examination = RecordedMachines.Examine(name);

        string[] advised = [.. examination.Findings
            .Where(static one => one.Status is CheckStatus.Advice)
            .Select(static one => one.Id)];
        Assert.Equal(expected, string.Join(' ', advised.Intersect(expected.Split(' '), StringComparer.Ordinal)));
        if (name is "laptop" or "cloud") Assert.Equal("rmem-max", advised[0]);
    }

    [Fact]
    public void Of_EmptyTree_IsAllUnknown()
    {
        HostExamination examination = RecordedMachines.Examine("empty");

        Assert.All(examination.Findings, static one => Assert.True(one.Status is CheckStatus.Unknown, one.ToString()));
        string[] ids = [.. examination.Findings.Select(static one => one.Id)];
        Assert.All(OfEmptyHost, id => Assert.True(Array.IndexOf(ids, id) >= 0, id));
    }

    [Fact]
    public void Of_BrokenFiles_NeverShowsWhatTheyHold()
    {
        for (int variant = 0; variant < RecordedMachines.HostileCount; variant++)
        {
            using FakeHost host = RecordedMachines.Broken(variant);

            HostExamination examination = RecordedMachines.Examine(host);

            Assert.All(examination.Findings, one => Assert.True(IsPrintable(one), $"{variant}: {one}"));
        }
    }

    [Fact]
    public void Of_HostileInterfaceName_IsEscaped()
    {
        using FakeHost host = RecordedMachines.Cloud().With(
            "proc/net/route", "Iface\n" + "e\u001b[2J\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n");
        HostReadings readings = RecordedReadings.Of(
            host, interfaces: [FakeMachines.Interfaces[1] with { Name = "e\u001b[2J" }]);

        HostExamination examination = HostExamination.Of(readings, isLinux: true);

        Assert.Equal([@"e\x1b[2J"], examination.Interfaces);
        string?[] named = [.. examination.Findings.Select(static one => one.Interface).OfType<string>()];
        Assert.NotEmpty(named);
        Assert.All(named, static name => Assert.Equal(@"e\x1b[2J", name));
        Assert.All(examination.Findings, static one => Assert.True(IsPrintable(one), one.ToString()));
    }

    internal static bool IsPrintable(CheckFinding one) => Array.TrueForAll(
        (string?[])[one.Found, one.Wanted, one.Reason, one.Command, one.Undo, one.Interface],
        static text => text is null || (text.Length < 8000 && !text.AsSpan().ContainsAnyExceptInRange(' ', '~')));
}
