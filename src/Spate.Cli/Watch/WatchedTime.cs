using Spate.HostTuning.Checks;
using Spate.HostTuning.Counters;
using Spate.HostTuning.Reading.Usage;

namespace Spate.Cli.Watch;

/// <summary>What a host counted in a time in which it was watched. Immutable, so safe for any thread.</summary>
internal sealed record WatchedTime
{
    public required TimeSpan Duration { get; init; }

    public required HostProfile Profile { get; init; }

    /// <summary>What the interfaces counted meanwhile; those that came or went are left out.</summary>
    public required IReadOnlyList<InterfaceCounters> Interfaces { get; init; }

    public required IReadOnlyDictionary<int, CpuUse> Cpus { get; init; }

    public required IReadOnlyList<WatchCounter> Grown { get; init; }

    /// <summary>The UDP sockets that dropped something or have something waiting, most first.</summary>
    public required IReadOnlyList<WatchSocket> Sockets { get; init; }

    /// <summary>The findings of the checks that a growing counter accuses.</summary>
    public required IReadOnlyList<CheckFinding> Problems { get; init; }

    public override string ToString() => RecordText.Of(
        nameof(WatchedTime),
        PrintMembers,
        (nameof(Interfaces), Interfaces),
        (nameof(Cpus), Cpus),
        (nameof(Grown), Grown),
        (nameof(Sockets), Sockets),
        (nameof(Problems), Problems));
}
