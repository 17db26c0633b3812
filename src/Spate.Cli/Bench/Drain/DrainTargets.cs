using Spate.Cli.Bench.Batched;

namespace Spate.Cli.Bench.Drain;

/// <summary>Every row of the drain bench, in the order of the table.</summary>
internal static class DrainTargets
{
    public static IReadOnlyList<DrainTarget> All { get; } =
    [
        new("socket-blocking", null, static (size, buffer) => new SocketDrainPair(size, buffer)),
        Batched(SpateRow.Portable),
        new(
            SpateRow.Await.Name,
            SpateRow.Await,
            static (size, buffer) => new SpateAwaitDrainPair(SpateRow.Await, size, buffer)),
        Batched(SpateRow.Mmsg),
        Batched(SpateRow.MmsgOffloads),
        Batched(SpateRow.Uring),
        Batched(SpateRow.UringOffloads),
    ];

    private static DrainTarget Batched(SpateRow row) =>
        new(row.Name, row, (size, buffer) => new SpateDrainPair(row, size, buffer));
}
