using Spate.Cli.Bench;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Sockets;
using Spate.Cli.Shell;

namespace Spate.Tests.Cli.Bench.Sockets;

/// <summary>
/// One cell of the bench of many sockets. Alone, since awaited datagrams count as lost if tests beside it keep all
/// threads of the pool from running for two seconds.
/// </summary>
[ProcessWide("the pool of threads is the process's, and awaited datagrams count as lost while others keep it")]
public sealed class SocketsCellTests
{
    private const int SizeBytes = 64;

    [Fact]
    public void Measure_AfterARowThatLeftDatagramsBehind_CountsItsOwn()
    {
        using FilledSockets set = Open();
        using var lazy = new LazyMode();
        using var inTurn = new SequentialMode(set);

        Assert.Equal(
            "20 of 20 datagrams were sent and 0 arrived",
            Assert.Throws<BenchException>(() => Measure(set, lazy, 2)).Message);
        Assert.True(Measure(set, inTurn, 1) > 0);
    }

    [Fact]
    public void Measure_LargestDatagrams_ArriveFromEverySocket()
    {
        using FilledSockets set = Open(count: 1);
        using var inTurn = new SequentialMode(set);

        var cell = new SocketsCell(set, inTurn, 1, BenchOptions.MaxSizeBytes, TimeProvider.System);

        Assert.True(cell.Measure() > 0);
    }

    [Fact]
    public void Finish_WaitWithoutADatagram_EndsAndLeavesNothing()
    {
        using FilledSockets set = Open();
        using var awaitable = new AwaitableMode(set, SizeBytes);
        set.Fill(1, SizeBytes);
        Assert.Equal(ReceiveStatus.Received, set.Sockets[0].TryReceive(set.CreateBatch()));

        Assert.Equal(9, awaitable.Drain(10));
        awaitable.Finish();
        set.Discard();

        Assert.True(Measure(set, awaitable, 1) > 0);
    }

    private static FilledSockets Open(int count = 10) => new(
        count,
        TimeSpan.FromHours(1),
        new BenchCourse(TimeSpan.FromHours(1), progress: null, TestContext.Current.CancellationToken));

    private static double Measure(FilledSockets set, SocketsMode mode, int queuedCount) =>
        new SocketsCell(set, mode, queuedCount, SizeBytes, TimeProvider.System).Measure();

    /// <summary>A mode that stops before its datagrams have arrived.</summary>
    private sealed class LazyMode : SocketsMode
    {
        public override string Name => "lazy";

        public override long Drain(long count) => 0;
    }
}
