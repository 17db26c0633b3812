using Spate.Serving;

namespace Spate.Measurement.Bench.PingPong;

/// <summary>What a ping-pong bench measured and how.</summary>
public sealed record PingPongResult
{
    /// <summary>One per mode, in the order of the table.</summary>
    public required IReadOnlyList<PingPongRowResult> Rows { get; init; }

    /// <summary>What servers use that nobody sends to, one per design.</summary>
    public required IReadOnlyList<IdleServerResult> Idle { get; init; }

    /// <summary>Rows that did not run, each with its reason.</summary>
    public required IReadOnlyList<BenchSkippedRow> Skipped { get; init; }

    /// <summary>Where the ends ran: the client as sender, the server as receiver.</summary>
    public required CpuPlacement Placement { get; init; }

    /// <summary>Payload bytes of a ping.</summary>
    public required int SizeBytes { get; init; }

    /// <summary>Pings per row and round that were asked for; rows say how many there was time for.</summary>
    public required int PingCount { get; init; }

    /// <summary>How long each idle server was watched, in seconds.</summary>
    public required double IdleSeconds { get; init; }

    /// <summary>How long the whole run took, in seconds.</summary>
    public required double TotalSeconds { get; init; }
}

/// <summary>CPU time of a server without traffic.</summary>
/// <param name="Design">How it divides work.</param>
/// <param name="ThreadCount">Threads that run handlers.</param>
/// <param name="CpuPercent">CPU time of its threads, in per cent of one CPU.</param>
public sealed record IdleServerResult(UdpServerDesign Design, int ThreadCount, double CpuPercent);
