using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Results;

/// <summary>What both ends say at the end of a test.</summary>
internal sealed record Iperf3Outcome
{
    /// <summary>The streams, in the order of <see cref="Iperf3Test.Streams"/>.</summary>
    public required IReadOnlyList<Iperf3StreamOutcome> Streams { get; init; }

    /// <summary>The CPU time of this end's process.</summary>
    public required Iperf3Cpu LocalCpu { get; init; }

    /// <summary>The CPU time that the other end names.</summary>
    public required Iperf3Cpu RemoteCpu { get; init; }

    /// <summary>
    /// What the server has printed, as text of a stranger; null where it was not asked for or was JSON.
    /// </summary>
    public string? ServerText { get; init; }

    /// <summary>The document that the server has printed, as JSON; null where there is none.</summary>
    public string? ServerJson { get; init; }

    /// <summary>What became of the datagrams: one entry for each direction.</summary>
    public required IReadOnlyList<Iperf3Direction> Directions { get; init; }

    /// <summary>What a user should know of the test beside its figures, one line each; most tests have none.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>What this end measured.</summary>
    public required TestEndReport Local { get; init; }

    /// <summary>What the other end measured, where it is this program too; null for iperf3.</summary>
    public TestEndReport? Remote { get; init; }

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(
        nameof(Iperf3Outcome),
        PrintMembers,
        (nameof(Streams), Streams),
        (nameof(Directions), Directions),
        (nameof(Notes), Notes));
}

/// <summary>What both ends counted of a stream, without what was omitted.</summary>
internal sealed record Iperf3StreamOutcome
{
    /// <summary>The sender's counts: bytes and datagrams.</summary>
    public required Iperf3Counts Sent { get; init; }

    /// <summary>The time over which the sender counted, in seconds.</summary>
    public required double SentSeconds { get; init; }

    /// <summary>The receiver's counts.</summary>
    public required Iperf3Counts Received { get; init; }

    /// <summary>The time over which the receiver counted, in seconds.</summary>
    public required double ReceivedSeconds { get; init; }
}
