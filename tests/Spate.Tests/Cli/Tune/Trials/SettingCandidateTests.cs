using Spate.Cli.Tune;
using Spate.Cli.Tune.Applying;
using Spate.Cli.Tune.Trials;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Settings;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.Cli.Tune.Trials;

/// <summary>Trials of settings: whatever ends them, the host is as before to the byte.</summary>
public sealed class SettingCandidateTests : IDisposable
{
    private const int Repeat = 5;

    // The measurement without a side, then a series of three sides.
    private const int Measurements = 1 + (3 * Repeat);

    private static readonly (string Path, string Key, string From, string To)[] Settings =
    [
        ("proc/sys/net/core/rmem_max", "net.core.rmem_max", "212992", "16777216"),
        ("proc/sys/net/ipv4/udp_mem", "net.ipv4.udp_mem", "1\t2\t3", "4 5 6"),
        ("proc/sys/net/core/netdev_max_backlog", "net.core.netdev_max_backlog", "1000", "2000"),
    ];

    private readonly FakeHost _host = new FakeHost().With("proc/sys/kernel/random/boot_id", "first\n");

    public SettingCandidateTests()
    {
        foreach ((string path, _, string from, _) in Settings) _host.With(path, from + "\n");
    }

    private string JournalPath => Path.Combine(_host.RootPath, "var/lib/spate/tune.json");

    public void Dispose() => _host.Dispose();

    [Fact]
    public void Execute_ToTheEnd_MeasuresEachCandidateAloneAndRestores()
    {
        var seen = new HashSet<string>(StringComparer.Ordinal);

        Run(_ => seen.Add(string.Join(' ', Contents().Select(static one => one.TrimEnd()))));

        Assert.Equal(
            (string[])["16777216 4 5 6 1000", "212992 1\t2\t3 1000", "212992 1\t2\t3 2000"],
            seen.Order(StringComparer.Ordinal),
            StringComparer.Ordinal);
        AssertAsBefore();
    }

    [Fact]
    public void Execute_MeasurementFailsAtAnyStep_Restores()
    {
        for (int step = 0; step < Measurements; step++)
        {
            int fatal = step;
            Assert.Throws<InvalidOperationException>(() => Run(count =>
            {
                if (count == fatal) throw new InvalidOperationException("the measurement failed");
            }));

            AssertAsBefore();
        }
    }

    [Fact]
    public void Execute_CancelledAtAnyStep_Restores()
    {
        for (int step = 0; step < Measurements - 1; step++)
        {
            int last = step;
            using var stop = new CancellationTokenSource();
            Assert.Throws<OperationCanceledException>(() => Run(
                count =>
                {
                    if (count == last) stop.Cancel();
                },
                stop));

            AssertAsBefore();
        }
    }

    [Fact]
    public void Undo_AfterTheProgramEndedInAnyMeasurement_Restores()
    {
        for (int step = 0; step < Measurements; step++)
        {
            // What lies on the disk in this moment is what a kill leaves behind.
            int last = step;
            string? journal = null;
            string[] contents = [];
            Run(count =>
            {
                if (count != last) return;

                journal = File.Exists(JournalPath) ? File.ReadAllText(JournalPath) : null;
                contents = Contents();
            });
            for (int i = 0; i < Settings.Length; i++) _host.With(Settings[i].Path, contents[i]);
            if (journal is not null) _host.With("var/lib/spate/tune.json", journal);

            Tuner().Undo();

            AssertAsBefore();
        }
    }

    [Fact]
    public void Execute_SomebodyChangesTheSettingInBetween_IsRefusedAndLeftAlone()
    {
        TuneTrial[] trials = Run(count =>
        {
            if (count == 0) _host.With(Settings[2].Path, "7000\n");
        });

        Assert.Equal(TuneTrial.Refused, trials[1].Verdict);
        Assert.Equal("net.core.netdev_max_backlog: it is 7000 now, not 1000", trials[1].Note);
        Assert.Equal("7000\n", Contents()[2]);
        Assert.False(Tuner().HasChanges);
    }

    [Fact]
    public void Execute_SomebodyChangesTheSettingDuringTheTrial_StopsAndNamesIt()
    {
        var fault = Assert.Throws<IOException>(() => Run(_ =>
        {
            if (Contents()[2] is "2000\n") _host.With(Settings[2].Path, "7000\n");
        }));

        Assert.Contains("it is 7000 now, not 2000", fault.Message, StringComparison.Ordinal);
        Assert.Equal("7000\n", Contents()[2]);
    }

    private static CheckFinding Finding(string id, params int[] settings) =>
        new CheckFinding(id, CheckStatus.Advice, "", "", "").With([.. settings.Select(static i =>
            new HostChange(new SysctlSetting(Settings[i].Key), Settings[i].From, Settings[i].To))]);

    private TuneTrial[] Run(Action<int> onMeasure, CancellationTokenSource? stop = null)
    {
        int count = 0;
        var load = new TrialLoad { SizeBytes = 1380, DatagramsPerSecond = 1000 };
        var run = new TrialRun(
            _ =>
            {
                onMeasure(count++);
                return new TrialSample(0, 1000, 1);
            },
            new TrialOptions { Load = load, Repeat = Repeat, Seed = 1 },
            progress: null,
            stop?.Token ?? TestContext.Current.CancellationToken);
        return run.Execute(
        [
            new SettingCandidate(Tuner(), [Finding("rmem-max", 0, 1)]),
            new SettingCandidate(Tuner(), [Finding("netdev-max-backlog", 2)]),
        ]);
    }

    private HostTuner Tuner() => new(JournalPath, _host.RootPath);

    private string[] Contents() =>
        [.. Settings.Select(one => File.ReadAllText(Path.Combine(_host.RootPath, one.Path)))];

    private void AssertAsBefore()
    {
        Assert.Equal(Settings.Select(static one => one.From + "\n"), Contents(), StringComparer.Ordinal);
        Assert.False(Tuner().HasChanges);
    }
}
