using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>What an end tells of a test when it is over.</summary>
internal sealed record Iperf3Results
{
    /// <summary>The CPU time of the end's process, in percent of one CPU.</summary>
    public required Iperf3Cpu Cpu { get; init; }

    /// <summary>
    /// Whether the end sends, in both directions too. It decides how an iperf3 is told that nothing is known of
    /// retransmits, and is not read back.
    /// </summary>
    public bool Sends { get; init; }

    /// <summary>The streams, at most those of a test in both directions.</summary>
    public required IReadOnlyList<Iperf3StreamResult> Streams { get; init; }

    /// <summary>What the server has printed; null for none.</summary>
    public string? ServerText { get; init; }

    /// <summary>The document that the server has printed, as JSON; null for none.</summary>
    public string? ServerJson { get; init; }

    /// <summary>What this program measured at that end; null for another program.</summary>
    public TestEndReport? Spate { get; init; }
}

/// <summary>
/// What an end counted of one stream. Counts that were read lie between minus and plus
/// <see cref="JsonNumbers.MaxCount"/>.
/// </summary>
internal sealed record Iperf3StreamResult
{
    /// <summary>The number that both ends know the stream by.</summary>
    public required int Id { get; init; }

    /// <summary>Payload bytes without what was omitted.</summary>
    public long Bytes { get; init; }

    /// <summary>The smoothed jitter in seconds.</summary>
    public double Jitter { get; init; }

    /// <summary>Datagrams counted as lost, omitted ones included.</summary>
    public long Errors { get; init; }

    /// <summary>Those of <see cref="Errors"/> that are omitted.</summary>
    public long OmittedErrors { get; init; }

    /// <summary>The sender's count or the receiver's highest counter, omitted ones included.</summary>
    public long Packets { get; init; }

    /// <summary>Those of <see cref="Packets"/> that are omitted.</summary>
    public long OmittedPackets { get; init; }

    /// <summary>Datagrams out of order, without what was omitted. The protocol does not carry it.</summary>
    public long OutOfOrder { get; init; }

    /// <summary>Whether the other end named bytes or datagrams below zero, which are 0 here.</summary>
    public bool HasNegative { get; init; }

    /// <summary>When counting began, in seconds.</summary>
    public double StartSeconds { get; init; }

    /// <summary>When counting ended, in seconds.</summary>
    public double EndSeconds { get; init; }
}

/// <summary>The CPU time of a process during a test, in percent of one CPU.</summary>
/// <param name="TotalPercent">All of it.</param>
/// <param name="UserPercent">In the program.</param>
/// <param name="SystemPercent">In the kernel.</param>
internal sealed record Iperf3Cpu(double TotalPercent, double UserPercent, double SystemPercent);
