using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>What an end tells of a test when it is over.</summary>
internal sealed record Iperf3Results
{
    public required Iperf3Cpu Cpu { get; init; }

    /// <summary>Also in both directions. It decides how iperf3 is told of retransmits, and is not read back.</summary>
    public bool Sends { get; init; }

    /// <summary>At most those of a test in both directions.</summary>
    public required IReadOnlyList<Iperf3StreamResult> Streams { get; init; }

    /// <summary>Null for none.</summary>
    public string? ServerText { get; init; }

    public string? ServerJson { get; init; }

    /// <summary>Null for another program.</summary>
    public TestEndReport? Spate { get; init; }
}

/// <summary>Counts that were read are bounded by <see cref="JsonNumbers.MaxCount"/>, both ways.</summary>
internal sealed record Iperf3StreamResult
{
    public required int Id { get; init; }

    /// <summary>Payload without what was omitted.</summary>
    public long Bytes { get; init; }

    public double Jitter { get; init; }

    /// <summary>Datagrams counted as lost, omitted ones included.</summary>
    public long Errors { get; init; }

    public long OmittedErrors { get; init; }

    /// <summary>The sender's count or the receiver's highest counter, with what is omitted.</summary>
    public long Packets { get; init; }

    public long OmittedPackets { get; init; }

    /// <summary>Without what was omitted. The protocol does not carry it.</summary>
    public long OutOfOrder { get; init; }

    /// <summary>The other end named bytes or datagrams below zero, which are 0 here.</summary>
    public bool HasNegative { get; init; }

    public double StartSeconds { get; init; }

    public double EndSeconds { get; init; }
}

/// <summary>The CPU time of a process during a test, in percent of one CPU.</summary>
internal sealed record Iperf3Cpu(double TotalPercent, double UserPercent, double SystemPercent);
