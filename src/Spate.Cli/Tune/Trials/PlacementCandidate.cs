using Spate.HostTuning.Placement;

namespace Spate.Cli.Tune.Trials;

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
