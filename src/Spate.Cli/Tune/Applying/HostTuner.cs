using Spate.HostTuning.Checks;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Settings;

namespace Spate.Cli.Tune.Applying;

/// <summary>Makes the changes that checks advise, and takes them back. One process at a time; any thread.</summary>
internal sealed class HostTuner(string journalPath, string rootPath = "/")
{
    public const string DefaultJournalPath = "/var/lib/spate/tune.json";

    private const string UnknownBoot = "unknown";

    private readonly JournalFile _journal = new(journalPath);
    private readonly SysctlFile _sysctlFile = new(rootPath);

    public string JournalPath => _journal.Path;

    public bool HasChanges => File.Exists(_journal.Path);

    /// <summary>
    /// Makes the changes of findings. The journal is on disk before the first one. What somebody has set since the
    /// examination is left alone. <c>persist</c>: whether the kernel's settings are written to a file of sysctl.d(5)
    /// too, so that they outlast the next start.
    /// </summary>
    /// <exception cref="IOException">
    /// The journal cannot be written, or the file of sysctl.d(5) is not of Spate's making; then nothing was changed.
    /// </exception>
    public IReadOnlyList<SettingOutcome> Apply(IEnumerable<CheckFinding> findings, bool persist = false)
    {
        ILookup<bool, HostChange> found = findings.SelectMany(static one => one.Changes)
            .DistinctBy(static one => one.Setting.Identity, StringComparer.Ordinal)
            .ToLookup(IsAsExamined);
        HostChange[] changes = [.. found[true]];
        List<SettingOutcome> outcomes = [.. found[false].Select(LeftAlone)];
        if (changes.Length == 0) return outcomes;

        TuningJournal? old = ReadOfThisBoot();
        TuningJournal journal = Extend(old, changes);
        if (persist)
        {
            _sysctlFile.RequireOwn(old?.PersistedText);
            journal = journal with { PersistedText = SysctlFile.TextOf(journal.Changes) };
        }

        _journal.Write(journal);
        outcomes.AddRange(MakeAll(changes, journal));
        if (persist) outcomes.Add(_sysctlFile.Write(journal.PersistedText!));
        return outcomes;
    }

    /// <summary>
    /// Takes back what the journal names, the last change first. What somebody else has changed since is left alone.
    /// The journal goes when nothing is left to take back.
    /// </summary>
    public IReadOnlyList<SettingOutcome> Undo()
    {
        if (ReadOfThisBoot() is not { } journal)
        {
            _journal.Delete();
            return [];
        }

        var outcomes = new List<SettingOutcome>();
        var left = new List<JournalChange>();
        if (journal.PersistedText is { } text) outcomes.Add(_sysctlFile.Remove(text));
        bool isFileLeft = outcomes.Exists(static one => one.State == SettingState.Failed);
        foreach (JournalChange change in journal.Changes.Reverse())
        {
            SettingOutcome outcome = TakeBack(change);
            outcomes.Add(outcome);
            if (outcome.State == SettingState.Failed) left.Insert(0, change);
        }

        if (left.Count == 0 && !isFileLeft) _journal.Delete();
        else _journal.Write(journal with { Changes = left });
        return outcomes;
    }

    // What somebody has set since the examination is not the value to go back to.
    private bool IsAsExamined(HostChange change) =>
        change.Setting.Read(rootPath) is { } now && change.Setting.IsSame(now, change.From);

    private SettingOutcome LeftAlone(HostChange change)
    {
        string? now = change.Setting.Read(rootPath);
        return new SettingOutcome(
            change.Setting.Name, now ?? "", change.To, SettingState.Foreign, FoundInstead(now, change.From));
    }

    private static string FoundInstead(string? now, string expected) =>
        now is null ? "it can no longer be read" : $"it is {now} now, not {expected}";

    private List<SettingOutcome> MakeAll(HostChange[] changes, TuningJournal journal)
    {
        var outcomes = new List<SettingOutcome>();
        foreach (HostChange change in changes)
        {
            outcomes.Add(Write(change.Setting, change.From, change.To));

            // Drivers round (rings to powers of two), and a queueing discipline gets a number: what was made of the
            // value is what can be taken back.
            string? made = change.Setting.Read(rootPath);
            if (made is null || string.Equals(made, change.To, StringComparison.Ordinal)
                || change.Setting.IsSame(made, change.From))
            {
                continue;
            }

            journal = journal with
            {
                Changes = [.. journal.Changes.Select(one => IsOf(change, one) ? one with { To = made } : one)],
            };
            _journal.Write(journal);
        }

        return outcomes;
    }

    private static bool IsOf(HostChange change, JournalChange old) =>
        string.Equals(change.Setting.Identity, old.Setting, StringComparison.Ordinal);

    private TuningJournal Extend(TuningJournal? journal, HostChange[] changes) => new()
    {
        Schema = TuningJournal.CurrentSchema,
        BootId = ReadBootId(),
        Changes =
        [
            .. journal?.Changes.Where(old => !Array.Exists(changes, one => IsOf(one, old))) ?? [],

            // The value before the first change is the one to go back to.
            .. changes.Select(one => new JournalChange(
                one.Setting.Identity,
                journal?.Changes.FirstOrDefault(old => IsOf(one, old))?.From ?? one.From,
                one.To)),
        ],
        PersistedText = journal?.PersistedText,
    };

    // Settings of the kernel do not outlast it: what an earlier one was told is gone. What the file of sysctl.d(5) has
    // was set again with this start.
    private TuningJournal? ReadOfThisBoot()
    {
        if (_journal.Read() is not { } journal) return null;

        return string.Equals(journal.BootId, ReadBootId(), StringComparison.Ordinal)
            ? journal
            : journal with { Changes = [.. journal.Changes.Where(one => SysctlFile.Has(journal.PersistedText, one))] };
    }

    private string ReadBootId() =>
        new HostFiles(rootPath).ReadLine("proc/sys/kernel/random/boot_id") ?? UnknownBoot;

    private SettingOutcome TakeBack(JournalChange change)
    {
        if (HostSettings.Parse(change.Setting) is not { } setting)
        {
            return new SettingOutcome(
                FileText.Escape(System.Text.Encoding.UTF8.GetBytes(change.Setting)),
                "",
                "",
                SettingState.Foreign,
                "the journal has a setting that spate tune never sets");
        }

        string? now = setting.Read(rootPath);
        if (now is not null && setting.IsSame(now, change.From))
        {
            return new SettingOutcome(setting.Name, now, change.From, SettingState.Already);
        }

        if (now is null || !setting.IsSame(now, change.To))
        {
            return new SettingOutcome(
                setting.Name, now ?? "", change.From, SettingState.Foreign, FoundInstead(now, change.To));
        }

        return Write(setting, now, change.From);
    }

    private SettingOutcome Write(HostSetting setting, string from, string to)
    {
        try
        {
            setting.Write(rootPath, to);
            string? now = setting.Read(rootPath);
            if (now is not null && setting.IsSame(now, to))
            {
                return new SettingOutcome(setting.Name, from, to, SettingState.Done);
            }

            string made = $"the system made it {now ?? "nothing"}";
            return new SettingOutcome(setting.Name, from, to, SettingState.Failed, made);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return new SettingOutcome(setting.Name, from, to, SettingState.Failed, fault.Message);
        }
    }
}

/// <summary>What became of one setting. <c>Note</c>: the reason of the state; null for none.</summary>
internal sealed record SettingOutcome(string Setting, string From, string To, SettingState State, string? Note = null);

/// <summary>What became of one setting.</summary>
internal enum SettingState
{
    Done,

    /// <summary>It had the value already.</summary>
    Already,

    /// <summary>Somebody else has changed it since: it was left alone.</summary>
    Foreign,

    Failed,
}
