namespace Spate.Measurement.Bench.Sessions;

/// <summary>What a sessions bench measured and how.</summary>
public sealed record SessionsResult
{
    /// <summary>One per size, number of peers and pattern.</summary>
    public required IReadOnlyList<SessionsRow> Rows { get; init; }

    /// <summary>
    /// How long passes of ageing took with the largest number of peers; null when the run was interrupted before.
    /// </summary>
    public required AgingPasses? Aging { get; init; }

    /// <summary>Rounds behind the medians.</summary>
    public required int RoundCount { get; init; }

    /// <summary>Datagrams of each round, one entry per size.</summary>
    public required IReadOnlyList<int> DatagramCounts { get; init; }

    /// <summary>Name of the backend and offloads that filled and drained, as the rows of the other benches.</summary>
    public required string SocketRow { get; init; }

    /// <summary>Whether trains were sent and coalesced buffers received.</summary>
    public required bool UsesTrains { get; init; }

    /// <summary>The backend of the sockets.</summary>
    public required UdpBackend Backend { get; init; }

    /// <summary>Trains that the route refused.</summary>
    public required long Demotions { get; init; }

    /// <summary>Receive buffer that the system granted, in bytes.</summary>
    public required int BufferGrantedBytes { get; init; }

    /// <summary>CPU index that everything ran on; null when it floated.</summary>
    public required int? Cpu { get; init; }

    /// <summary>How long the whole run took, in seconds.</summary>
    public required double TotalSeconds { get; init; }
}

/// <summary>How long passes of ageing took.</summary>
/// <param name="PeerCount">Sessions in the table.</param>
/// <param name="TableBytes">Bytes that the table reserved.</param>
/// <param name="PassCount">Passes that were timed in each repeat.</param>
/// <param name="LongestMicroseconds">The longest pass, each with the least of its repeats.</param>
/// <param name="SeenMicroseconds">The longest single time, interruptions included.</param>
public sealed record AgingPasses(
    int PeerCount, long TableBytes, int PassCount, double LongestMicroseconds, double SeenMicroseconds);
