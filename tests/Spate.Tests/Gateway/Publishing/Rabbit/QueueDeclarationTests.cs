using Spate.Gateway;
using Spate.Gateway.Format;
using Spate.Gateway.Publishing.Rabbit;

namespace Spate.Tests.Gateway.Publishing.Rabbit;

public sealed class QueueDeclarationTests
{
    [Theory]
    [InlineData(2_000_000_000, 100_000_000)]
    [InlineData(200_000_000_000, 100_000_000)]
    [InlineData(40_000_000, 2_000_000)]
    [InlineData(1_000_000, 1_000_000)]
    public void ArgumentsOf_Stream_SegmentsAreATwentiethWithinBounds(long bytes, long segmentBytes)
    {
        Dictionary<string, object?> arguments = QueueDeclaration.ArgumentsOf(GatewayQueueKind.Stream, bytes);

        Assert.Equal("stream", arguments["x-queue-type"]);
        Assert.Equal(bytes, arguments["x-max-length-bytes"]);
        Assert.Equal(segmentBytes, arguments["x-stream-max-segment-size-bytes"]);
        Assert.Equal(3, arguments.Count);
    }

    [Fact]
    public void ArgumentsOf_Queue_NeverDropsWhatItConfirmed()
    {
        Dictionary<string, object?> arguments = QueueDeclaration.ArgumentsOf(GatewayQueueKind.Queue, 1000);

        Assert.Equal("quorum", arguments["x-queue-type"]);
        Assert.Equal("reject-publish", arguments["x-overflow"]);
        Assert.Equal(1000L, arguments["x-max-length-bytes"]);
    }

    [Fact]
    public void Of_SeveralPartitions_AreNumberedAndOneIsNot()
    {
        Assert.Equal(["logs"], PartitionNames.Of("logs", 1));
        Assert.Equal(["logs-0", "logs-1", "logs-2"], PartitionNames.Of("logs", 3));
    }
}
