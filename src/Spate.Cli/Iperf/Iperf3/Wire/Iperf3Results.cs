using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>What an end tells of a test when it is over.</summary>
internal sealed record Iperf3Results
{
    public required Iperf3Cpu Cpu { get; init; }

    /// <summary>In both directions too. It decides how iperf3 is told of retransmits, and is not read back.</summary>
    public bool Sends { get; init; }

    /// <summary>The streams, at most those of a test in both directions.</summary>
    public required IReadOnlyList<Iperf3StreamResult> Streams { get; init; }

    public string? ServerText { get; init; }

    public string? ServerJson { get; init; }

    /// <summary>What this program measured at that end; null for another program.</summary>
    public TestEndReport? Spate { get; init; }
}

/// <summary>What an end counted of one stream, within <see cref="JsonNumbers.MaxCount"/> both ways.</summary>
internal sealed record Iperf3StreamResult
{
    public required int Id { get; init; }

    /// <summary>Payload bytes without what was omitted.</summary>
    public long Bytes { get; init; }

    public double Jitter { get; init; }

    /// <summary>Datagrams counted as lost, omitted ones included.</summary>
    public long Errors { get; init; }

    public long OmittedErrors { get; init; }

    /// <summary>The sender's count or the receiver's highest counter, with what is omitted.</summary>
    public long Packets { get; init; }

    public long OmittedPackets { get; init; }

    /// <summary>Datagrams out of order, without what was omitted. The protocol does not carry it.</summary>
    public long OutOfOrder { get; init; }

    /// <summary>Whether the other end named bytes or datagrams below zero, which are 0 here.</summary>
    public bool HasNegative { get; init; }

    public double StartSeconds { get; init; }

    public double EndSeconds { get; init; }
}

/// <summary>The CPU time of a process during a test, in percent of one CPU.</summary>
internal sealed record Iperf3Cpu(double TotalPercent, double UserPercent, double SystemPercent);
