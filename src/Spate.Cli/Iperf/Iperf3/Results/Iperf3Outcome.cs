using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Results;

/// <summary>What both ends say at the end of a test.</summary>
internal sealed record Iperf3Outcome
{
    /// <summary>In the order of <see cref="Iperf3Test.Streams"/>.</summary>
    public required IReadOnlyList<Iperf3StreamOutcome> Streams { get; init; }

    public required Iperf3Cpu LocalCpu { get; init; }

    public required Iperf3Cpu RemoteCpu { get; init; }

    /// <summary>What the server has printed, a stranger's text; null if it was not asked for or JSON.</summary>
    public string? ServerText { get; init; }

    public string? ServerJson { get; init; }

    public required IReadOnlyList<Iperf3Direction> Directions { get; init; }

    public IReadOnlyList<string> Notes { get; init; } = [];

    public required TestEndReport Local { get; init; }

    /// <summary>What the other end measured; null where it is iperf3.</summary>
    public TestEndReport? Remote { get; init; }

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
    public required Iperf3Counts Sent { get; init; }

    public required double SentSeconds { get; init; }

    public required Iperf3Counts Received { get; init; }

    public required double ReceivedSeconds { get; init; }
}
