using Spate.Cli.Tune.Applying;
using Spate.HostTuning.Checks;

namespace Spate.Cli.Tune.Trials;

/// <summary>
/// The changes that one check advises: they belong together, so they are tried together. The journal of the tuner is on
/// disk before the first of them, so <c>spate tune --undo</c> mends what a crash leaves behind.
/// </summary>
internal sealed class SettingCandidate : TrialCandidate
{
    // A card that gets other rings or queues starts its link again.
    private static readonly TimeSpan CardSettleTime = TimeSpan.FromSeconds(3);

    private readonly HostTuner _tuner;

    /// <param name="tuner">Makes the changes. It must have none to take back.</param>
    /// <param name="findings">What one check found: at least one change.</param>
    public SettingCandidate(HostTuner tuner, IReadOnlyList<CheckFinding> findings)
        : this(tuner, findings, PlannedSetting.Of(findings))
    {
    }

    private SettingCandidate(HostTuner tuner, IReadOnlyList<CheckFinding> findings, IReadOnlyList<PlannedSetting> plan)
        : base(
            plan.Count > 0 ? plan[0].Check : throw new ArgumentException("A change is needed.", nameof(findings)),
            plan.Count == 1 ? plan[0].Setting : $"{plan[0].Setting} and {plan.Count - 1} more",
            plan[0].From,
            plan[0].To,
            string.Join(" && ", findings.Select(static one => one.Command).OfType<string>()))
    {
        _tuner = tuner;
        Findings = findings;
    }

    public IReadOnlyList<CheckFinding> Findings { get; }

    /// <summary>Whether a change is at an interface, so that only traffic through that one can show it.</summary>
    public bool IsOfInterface => Findings.Any(static one => one.Interface is not null);

    public override TimeSpan SettleTime => IsOfInterface ? CardSettleTime : TimeSpan.Zero;

    public override string? Apply() => Describe(_tuner.Apply(Findings));

    public override void TakeBack()
    {
        if (Describe(_tuner.Undo()) is { } left)
        {
            throw new IOException($"a trial could not be taken back: {left}. Look at it, then run spate tune --undo");
        }
    }

    private static string? Describe(IReadOnlyList<SettingOutcome> outcomes)
    {
        SettingOutcome? wrong = outcomes.FirstOrDefault(
            static one => one.State is SettingState.Failed or SettingState.Foreign);
        return wrong is null ? null : $"{wrong.Setting}: {wrong.Note?.TrimEnd('.')}";
    }
}
