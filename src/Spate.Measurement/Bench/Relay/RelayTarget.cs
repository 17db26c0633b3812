using System.Net;
using Spate.Measurement.Bench.Batched;

namespace Spate.Measurement.Bench.Relay;

/// <summary>A relay under test: sends on what it gets, to one destination, until it is closed.</summary>
internal abstract class RelayUnderTest : IDisposable
{
    public abstract IPEndPoint LocalEndPoint { get; }

    /// <summary>
    /// CPU time of its own threads so far; null where they are the pool's, or the system does not tell.
    /// </summary>
    public virtual long? CpuNanoseconds => null;

    /// <summary>Stops and closes.</summary>
    public abstract void Dispose();
}

/// <summary>A row of the relay bench.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Row">What the library's rows open; null for the base library's.</param>
/// <param name="Open">Opens and starts the relay to a destination, on a CPU.</param>
internal sealed record RelayTarget(string Name, SpateRow? Row, Func<IPEndPoint, int?, RelayUnderTest> Open)
{
    public const string BaselineName = "socket-async";

    /// <summary>Every relay, in the order of the table.</summary>
    public static IReadOnlyList<RelayTarget> All { get; } =
    [
        new(BaselineName, null, static (destination, _) => new SocketAsyncRelay(destination)),
        new("socket-blocking", null, static (destination, cpu) => new SocketRelay(destination, cpu)),
        Spate(SpateRow.Mmsg),
        Spate(SpateRow.MmsgTrains with { Name = "spate" }),
        Spate(SpateRow.UringTrains with { Name = "spate-uring" }),
    ];

    /// <summary>Why it cannot run here, found by a probe; null when it can.</summary>
    public string? UnavailableReason => Row?.UnavailableReason;

    private static RelayTarget Spate(SpateRow row) =>
        new(row.Name, row, (destination, cpu) => new SpateRelay(row, destination, cpu));
}
