using Spate.Cli.Bench.Baselines;
using Spate.Cli.Bench.Batched;

namespace Spate.Cli.Bench.Throughput;

/// <summary>Every row, in the order of the table.</summary>
internal static class BenchTargets
{
    public static IReadOnlyList<BenchTarget> All { get; } =
    [
        new UdpClientAsyncTarget(),
        new SocketAsyncEndPointTarget(),
        new SocketAsyncTarget(),
        new SocketBlockingTarget(),
        new SpateBatchTarget(SpateRow.Portable),
        new SpateAwaitTarget(SpateRow.Await),
        new SpateAwaitTarget(SpateRow.AwaitInline),
        new SpateBatchTarget(SpateRow.Mmsg),
        new SpateBatchTarget(SpateRow.MmsgOffloads),
    ];
}
