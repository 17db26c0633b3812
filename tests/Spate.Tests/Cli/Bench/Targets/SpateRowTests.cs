using Spate.Cli.Bench.Targets;

namespace Spate.Tests.Cli.Bench.Targets;

public sealed class SpateRowTests
{
    [Fact]
    public void Open_EndThatCannotBeMade_ClosesTheSocket()
    {
        UdpSocket? opened = null;

        Assert.Throws<InvalidOperationException>(() => SpateRow.Portable.Open<BenchReceiver>(4096, socket =>
        {
            opened = socket;
            throw new InvalidOperationException();
        }));

        Assert.Equal(ReceiveStatus.Closed, opened!.TryReceiveFrom(new byte[1], out _));
    }
}
