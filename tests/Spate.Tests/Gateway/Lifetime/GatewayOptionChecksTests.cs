using System.Net;
using Spate.Gateway;
using Spate.Gateway.Lifetime;

namespace Spate.Tests.Gateway.Lifetime;

/// <summary>Options that cannot be meant are refused with what is wrong and what to do.</summary>
public sealed class GatewayOptionChecksTests
{
    private static readonly UdpGatewayOptions Fine = GatewayCase.Options;

    public static TheoryData<UdpGatewayOptions, string> Wrong => new()
    {
        { Fine with { Target = null! }, "Target" },
        { Fine with { AllowedPrefixes = null! }, "AllowedPrefixes" },
        { Fine with { Target = GatewayTarget.Parse("amqp://localhost") }, "give the stream or queue to commit to" },
        { Fine with { Target = GatewayTarget.Parse("amqp://localhost"), QueueName = "a\nb" }, "no control characters" },
        { Fine with { PartitionCount = 0 }, "PartitionCount must be from 1 to 64" },
        { Fine with { PartitionCount = 65 }, "PartitionCount must be from 1 to 64" },
        { Fine with { ThreadCount = 257 }, "ThreadCount must be from 1 to 256" },
        { Fine with { ConfirmWindow = 0 }, "Window must be from 1 to 100" },
        { Fine with { PackBytes = 4095 }, "PackBytes must be from 4096 to 1048576" },
        { Fine with { PackCount = 0 }, "PackCount must be from 1 to" },
        { Fine with { PackWait = TimeSpan.Zero }, "PackWait must be from 1 to 1000 ms" },
        { Fine with { PackWait = TimeSpan.FromSeconds(2) }, "PackWait must be from 1 to 1000 ms" },
        { Fine with { ConnectTimeout = TimeSpan.Zero }, "ConnectTimeout must be from 100 to 600000 ms" },
        { Fine with { StalledAfter = TimeSpan.Zero }, "StalledAfter must be from 100 to 600000 ms" },
        { Fine with { DrainTimeout = TimeSpan.FromTicks(-1) }, "DrainTimeout must be from 0 to 2147483647 ms" },
        { Fine with { MaxPerSecondPerPrefix = 0 }, "MaxPerSecondPerPrefix must be from 1 to 1000000" },
        { Fine with { MaxQueueBytes = 1 }, "MaxQueueBytes must be from 1048576 to" },
        { Fine with { Id = "" }, "1 to 64 bytes" },
        { Fine with { Id = new string('x', 65) }, "1 to 64 bytes" },
        { Fine with { FullMode = (GatewayFullMode)9 }, "use one of DropArriving, DropOldest" },
        { Fine with { QueueKind = (GatewayQueueKind)9 }, "use one of Stream, Queue" },
        { Fine with { Partitioning = (GatewayPartitioning)9 }, "use one of PeerHash, RoundRobin" },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public void Check_OptionThatCannotBeMeant_RefusedWithWhatToDo(UdpGatewayOptions options, string expected)
    {
        var thrown = Assert.ThrowsAny<ArgumentException>(() => GatewayOptionChecks.Check(options, pipelineCount: 1));
        Assert.Contains(expected, thrown.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 8)]
    [InlineData(64, 64)]
    public void Check_LessMemoryThanIsNeeded_TheSmallestThatWorksIsNamed(int pipelineCount, int partitionCount)
    {
        UdpGatewayOptions options = Fine with
        {
            MemoryBytes = 1 << 20,
            PartitionCount = partitionCount,
            ConfirmWindow = 64,
        };
        var thrown = Assert.Throws<ArgumentOutOfRangeException>(
            () => GatewayOptionChecks.Check(options, pipelineCount));
        string digits = thrown.Message.Split("at least ")[1].Split(' ')[0];
        long least = long.Parse(digits, System.Globalization.CultureInfo.InvariantCulture);
        GatewayOptionChecks.Check(options with { MemoryBytes = least }, pipelineCount);
        Assert.Throws<ArgumentOutOfRangeException>(
            () => GatewayOptionChecks.Check(options with { MemoryBytes = least - pipelineCount }, pipelineCount));
    }

    [Fact]
    public void Check_Default_Accepted() => GatewayOptionChecks.Check(
        new UdpGatewayOptions
        {
            LocalEndPoints = [UdpEndPoint.Loopback(0)],
            Target = GatewayTarget.Discard,
            AllowedPrefixes = [IPNetwork.Parse("10.0.0.0/8")],
        },
        pipelineCount: 8);
}
