using Spate.Measurement.Bench;
using Spate.Measurement.Bench.Rounds;
using Spate.Measurement.Bench.Sockets;

namespace Spate.Tests.Measurement.Bench.Sockets;

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
        var budget = new BenchBudget(TimeSpan.FromHours(1));
        using var set = new FilledSockets(10, TimeSpan.FromHours(1), budget, TestContext.Current.CancellationToken);
        using var lazy = new LazyMode(set);
        using var inTurn = new SequentialMode(set);

        Assert.Equal(
            "of 20 datagrams 20 were sent and 0 arrived",
            Assert.Throws<BenchException>(() => new SocketsCell(set, lazy, 2, SizeBytes).Measure()).Message);
        Assert.True(new SocketsCell(set, inTurn, 1, SizeBytes).Measure() > 0);
    }

    [Fact]
    public void Finish_WaitWithoutADatagram_EndsAndLeavesNothing()
    {
        var budget = new BenchBudget(TimeSpan.FromHours(1));
        using var set = new FilledSockets(10, TimeSpan.FromHours(1), budget, TestContext.Current.CancellationToken);
        using var awaitable = new AwaitableMode(set, SizeBytes);
        set.Fill(1, SizeBytes);
        Assert.Equal(ReceiveStatus.Received, set.Sockets[0].TryReceive(set.CreateBatch()));

        Assert.Equal(9, awaitable.Drain(10));
        awaitable.Finish();
        set.Discard();

        Assert.True(new SocketsCell(set, awaitable, 1, SizeBytes).Measure() > 0);
    }

    /// <summary>A mode that stops before its datagrams have arrived.</summary>
    private sealed class LazyMode(FilledSockets set) : SocketsMode(set)
    {
        public override string Name => "lazy";

        public override long Drain(long count) => 0;
    }
}
