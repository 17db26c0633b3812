using Spate.Cli.Tune.Applying;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Settings;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.Cli.Tune.Applying;

public sealed class HostTunerTests : IDisposable
{
    private const string Boot = "proc/sys/kernel/random/boot_id";
    private const string Affinity = "proc/irq/41/smp_affinity_list";

    private static readonly (HostSetting Setting, string Path, string From, string To)[] Settings =
    [
        (new SysctlSetting("net.core.rmem_max"), "proc/sys/net/core/rmem_max", "212992", "16777216"),
        (new SysctlSetting("net.ipv4.udp_mem"), "proc/sys/net/ipv4/udp_mem", "1\t2\t3", "4 5 6"),
        (new FileSetting(Affinity), Affinity, "0-3", "2"),
    ];

    private readonly FakeHost _host = new FakeHost().With(Boot, "first\n");

    public HostTunerTests()
    {
        foreach ((_, string path, string from, _) in Settings) _host.With(path, from + "\n");
    }

    private string JournalPath => Path.Combine(_host.RootPath, "var/lib/spate/tune.json");

    private string PersistedPath => Path.Combine(_host.RootPath, "etc/sysctl.d/90-spate.conf");

    public void Dispose() => _host.Dispose();

    [Fact]
    public void Apply_ThenUndo_RestoresEveryFileToTheByte()
    {
        IReadOnlyList<SettingOutcome> applied = Tuner().Apply(Findings());

        Assert.All(applied, static one => Assert.Equal(SettingState.Done, one.State));
        Assert.Equal(["16777216\n", "4 5 6\n", "2\n"], Contents());

        IReadOnlyList<SettingOutcome> undone = Tuner().Undo();

        Assert.All(undone, static one => Assert.Equal(SettingState.Done, one.State));
        Assert.Equal(Originals(), Contents());
        Assert.False(Tuner().HasChanges);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void Undo_AfterTheProgramEndedInTheMiddle_RestoresEveryFile(int changesMade)
    {
        Tuner().Apply(Findings());
        for (int i = changesMade; i < Settings.Length; i++) _host.With(Settings[i].Path, Settings[i].From + "\n");

        IReadOnlyList<SettingOutcome> undone = Tuner().Undo();

        Assert.Equal(changesMade, undone.Count(static one => one.State == SettingState.Done));
        Assert.Equal(Settings.Length - changesMade, undone.Count(static one => one.State == SettingState.Already));
        Assert.Equal(Originals(), Contents());
    }

    [Fact]
    public void Undo_SettingThatSomebodyChangedSince_IsLeftAloneAndNamed()
    {
        Tuner().Apply(Findings());
        _host.With(Affinity, "1\n");

        SettingOutcome foreign = Assert.Single(Tuner().Undo(), static one => one.State == SettingState.Foreign);

        Assert.Equal("/" + Affinity, foreign.Setting);
        Assert.Equal("it is 1 now, not 2", foreign.Note);
        Assert.Equal(["212992\n", "1\t2\t3\n", "1\n"], Contents());
    }

    [Fact]
    public void Undo_AfterAnotherStartOfTheKernel_ChangesNothing()
    {
        Tuner().Apply(Findings());
        _host.With(Boot, "second\n");

        Assert.Empty(Tuner().Undo());

        Assert.Equal(["16777216\n", "4 5 6\n", "2\n"], Contents());
        Assert.False(Tuner().HasChanges);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Undo_AfterTheProgramEndedWhileItWroteTheJournal_LeavesNoFile(bool hasJournal)
    {
        if (hasJournal) Tuner().Apply(Findings());
        _host.With("var/lib/spate/tune.json.new", "{");

        Tuner().Undo();

        Assert.Empty(Directory.GetFiles(Path.GetDirectoryName(JournalPath)!));
    }

    [Fact]
    public void Undo_NothingWasEverSet_ReturnsNothing() => Assert.Empty(Tuner().Undo());

    [Fact]
    public void Apply_Twice_GoesBackToTheFirstValue()
    {
        Tuner().Apply(Findings());
        var larger = new HostChange(Settings[0].Setting, "16777216", "33554432");
        Tuner().Apply([new CheckFinding("rmem-max", CheckStatus.Advice, "", "", "").With(larger)]);

        Tuner().Undo();

        Assert.Equal(Originals(), Contents());
    }

    [Fact]
    public void Apply_Persisted_WritesAFileThatUndoRemovesAlsoAfterAnotherStart()
    {
        Tuner().Apply(Findings(), persist: true);

        Assert.EndsWith(
            "\nnet.core.rmem_max = 16777216\nnet.ipv4.udp_mem = 4 5 6\n",
            File.ReadAllText(PersistedPath),
            StringComparison.Ordinal);
        _host.With(Boot, "second\n");

        IReadOnlyList<SettingOutcome> undone = Tuner().Undo();

        Assert.Equal(
            "/etc/sysctl.d/90-spate.conf net.ipv4.udp_mem net.core.rmem_max",
            string.Join(' ', undone.Select(static one => one.Setting)));
        Assert.All(undone, static one => Assert.Equal(SettingState.Done, one.State));
        Assert.Equal([.. Originals()[..2], "2\n"], Contents());
        Assert.False(File.Exists(PersistedPath));
        Assert.False(Tuner().HasChanges);
    }

    [Fact]
    public void Apply_PersistedAgainAfterAnotherStart_KeepsWhatTheFileHas()
    {
        Tuner().Apply(Findings(), persist: true);
        _host.With(Boot, "second\n").With("proc/sys/net/core/wmem_max", "1\n");
        var change = new HostChange(new SysctlSetting("net.core.wmem_max"), "1", "2");

        Tuner().Apply([new CheckFinding("wmem-max", CheckStatus.Advice, "", "", "").With(change)], persist: true);

        Assert.EndsWith(
            "\nnet.core.rmem_max = 16777216\nnet.ipv4.udp_mem = 4 5 6\nnet.core.wmem_max = 2\n",
            File.ReadAllText(PersistedPath),
            StringComparison.Ordinal);
        Assert.Equal(PersistedPath, Assert.Single(Directory.GetFiles(Path.GetDirectoryName(PersistedPath)!)));
    }

    [Fact]
    public void Apply_PersistedFileOfSomebodyElse_ChangesNothing()
    {
        _host.With("etc/sysctl.d/90-spate.conf", "net.core.rmem_max = 1\n");

        Assert.Throws<IOException>(() => Tuner().Apply(Findings(), persist: true));

        Assert.Equal(Originals(), Contents());
        Assert.False(Tuner().HasChanges);
    }

    [Fact]
    public void Undo_PersistedFileThatSomebodyChanged_IsLeftAloneAndNamed()
    {
        Tuner().Apply(Findings(), persist: true);
        File.AppendAllText(PersistedPath, "vm.swappiness = 1\n");

        SettingOutcome foreign = Assert.Single(Tuner().Undo(), static one => one.State == SettingState.Foreign);

        Assert.Equal("/etc/sysctl.d/90-spate.conf", foreign.Setting);
        Assert.True(File.Exists(PersistedPath));
        Assert.Equal(Originals(), Contents());
    }

    [Theory]
    [InlineData("sysctl kernel.core_pattern")]
    [InlineData("file etc/passwd")]
    [InlineData("file proc/irq/../../etc/x/smp_affinity_list")]
    [InlineData("nonsense\u001b[2J")]
    public void Undo_JournalNamesWhatIsNeverSet_LeavesItAlone(string identity)
    {
        var file = new JournalFile(JournalPath);
        file.Write(new TuningJournal
        {
            Schema = TuningJournal.CurrentSchema,
            BootId = "first",
            Changes = [new JournalChange(identity, "1", "2")],
        });

        SettingOutcome outcome = Assert.Single(Tuner().Undo());

        Assert.Equal(SettingState.Foreign, outcome.State);
        Assert.DoesNotContain('\u001b', outcome.Setting);
    }

    [Theory]
    [InlineData("")]
    [InlineData("{}")]
    [InlineData("[1]")]
    [InlineData("{\"schema\":\"spate-tune/1\",\"bootId\":\"first\",\"changes\":[null]}")]
    [InlineData("{\"schema\":\"spate-tune/2\",\"bootId\":\"first\",\"changes\":[]}")]
    public void Undo_NoJournalOfOurs_SaysSoInOneLine(string content)
    {
        _host.With("var/lib/spate/tune.json", content);

        var fault = Assert.Throws<IOException>(() => Tuner().Undo());

        Assert.Contains("is not a journal of spate tune", fault.Message, StringComparison.Ordinal);
        Assert.Equal(Originals(), Contents());
    }

    private static IEnumerable<CheckFinding> Findings() => Settings.Select(static one =>
        new CheckFinding("any", CheckStatus.Advice, one.From, one.To, "")
            .With(new HostChange(one.Setting, one.From, one.To)));

    private static string[] Originals() => [.. Settings.Select(static one => one.From + "\n")];

    private HostTuner Tuner() => new(JournalPath, _host.RootPath);

    private string[] Contents() =>
        [.. Settings.Select(one => File.ReadAllText(Path.Combine(_host.RootPath, one.Path)))];
}
