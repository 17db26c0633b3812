using Spate.Cli.Tune.Applying;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Placement;

namespace Spate.Cli.Tune.Trials;

/// <summary>What may improve UDP here: settings of one check, or CPUs for threads. One thread uses it.</summary>
internal abstract class TrialCandidate(string check, string setting, string from, string to, string? command)
{
    public string Check { get; } = check;

    public string Setting { get; } = setting;

    public string From { get; } = from;

    public string To { get; } = to;

    public string? Command { get; } = command;

    /// <summary>CPUs of the sender and of the receiver; empty where the system chooses.</summary>
    public virtual IReadOnlyList<int> Cpus => [];

    /// <summary>How long the host needs after a change until it can be measured.</summary>
    public virtual TimeSpan SettleTime => TimeSpan.Zero;

    /// <returns>Why the system refused, in one line; null where the candidate is in effect.</returns>
    public virtual string? Apply() => null;

    /// <summary>Undoes <see cref="Apply"/>, also where that has thrown or has done a part only.</summary>
    /// <exception cref="IOException">The host could not be made as it was; the message says what is left.</exception>
    public virtual void TakeBack()
    {
    }
}

/// <summary>CPUs for the threads of both ends, or of the end on this host. Nothing of the host is set.</summary>
internal sealed class PlacementCandidate(CpuTrial trial, bool isPair) : TrialCandidate(
    CheckName,
    isPair ? "CPUs of sender, receiver" : "CPU of this end",
    "any",
    trial.Option,
    isPair ? $"--cpu {trial.Cpus[0]} at the sender, --cpu {trial.Cpus[^1]} at the receiver" : $"--cpu {trial.Option}")
{
    public const string CheckName = "cpu";

    public override IReadOnlyList<int> Cpus => trial.Cpus;
}

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
        : this(tuner, findings, TuneSetting.PlanOf(findings))
    {
    }

    private SettingCandidate(HostTuner tuner, IReadOnlyList<CheckFinding> findings, TuneSetting[] plan)
        : base(
            plan.Length > 0 ? findings[0].Id : throw new ArgumentException("A change is needed.", nameof(findings)),
            plan.Length == 1 ? plan[0].Setting : $"{plan[0].Setting} and {plan.Length - 1} more",
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
            throw new IOException($"a trial could not be undone: {left}. Check it, then run spate tune --undo");
        }
    }

    private static string? Describe(IReadOnlyList<SettingOutcome> outcomes)
    {
        SettingOutcome? wrong = outcomes.FirstOrDefault(
            static one => one.State is SettingState.Failed or SettingState.Foreign);
        return wrong is null ? null : $"{wrong.Setting}: {wrong.Note?.TrimEnd('.')}";
    }
}
