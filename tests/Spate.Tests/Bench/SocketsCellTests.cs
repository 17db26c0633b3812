using Spate.Measurement.Bench;
using Spate.Measurement.Bench.Sockets;

namespace Spate.Tests.Bench;

public sealed class SocketsCellTests
{
    private const int SizeBytes = 64;

    [Fact]
    public void Run_AfterARowThatLeftDatagramsBehind_CountsItsOwn()
    {
        var pace = new BenchPace(TimeSpan.FromHours(1), TestContext.Current.CancellationToken);
        using var set = new SocketSet(10, TimeSpan.FromHours(1), pace, TestContext.Current.CancellationToken);
        using var lazy = new LazyMode(set, SizeBytes);
        using var inTurn = new InTurnMode(set, SizeBytes);

        Assert.Equal(
            "of 20 datagrams 20 were sent and 0 arrived",
            new SocketsCell(set, lazy, 2).Run(SizeBytes, isWarmUp: false));
        Assert.Null(new SocketsCell(set, inTurn, 1).Run(SizeBytes, isWarmUp: false));
    }

    [Fact]
    public void Finish_WaitWithoutADatagram_EndsAndLeavesNothing()
    {
        var pace = new BenchPace(TimeSpan.FromHours(1), TestContext.Current.CancellationToken);
        using var set = new SocketSet(10, TimeSpan.FromHours(1), pace, TestContext.Current.CancellationToken);
        using var awaitable = new AwaitableMode(set, SizeBytes);
        set.Fill(1, SizeBytes);
        Assert.Equal(ReceiveStatus.Received, set.Sockets[0].TryReceive(set.CreateBatch(SizeBytes)));

        Assert.Equal(9, awaitable.Drain(10));
        awaitable.Finish();
        set.Discard();

        Assert.Null(new SocketsCell(set, awaitable, 1).Run(SizeBytes, isWarmUp: false));
    }

    /// <summary>Stands for a row that gave up before its datagrams came.</summary>
    private sealed class LazyMode(SocketSet set, int sizeBytes) : SocketsMode(set, sizeBytes)
    {
        public override string Name => "lazy";

        public override long Drain(long count) => 0;
    }
}
