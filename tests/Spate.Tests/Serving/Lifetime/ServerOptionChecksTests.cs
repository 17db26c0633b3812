using Spate.Serving;
using Spate.Serving.Lifetime;

namespace Spate.Tests.Serving.Lifetime;

/// <summary>Options that cannot be meant are refused with what is wrong and what to do.</summary>
public sealed class ServerOptionChecksTests
{
    public static TheoryData<UdpServerOptions, string> Wrong => new()
    {
        { new() { LocalEndPoints = [] }, "1 to 64 local end points" },
        { new() { LocalEndPoints = [.. Enumerable.Range(1, 65).Select(UdpEndPoint.Any)] }, "1 to 64 local end points" },
        { new() { LocalEndPoints = [default] }, "like UdpEndPoint.Any(9999)" },
        { new() { LocalEndPoints = [UdpEndPoint.Any(9), UdpEndPoint.Any(9)] }, "0.0.0.0:9 is named twice" },
        { new() { LocalEndPoints = null! }, "LocalEndPoints" },
        { new() { CpuIndexes = null! }, "CpuIndexes" },
        { new() { Socket = null! }, "Socket" },
        { new() { Receive = null! }, "Receive" },
        { new() { Replies = null! }, "Replies" },
        { new() { ThreadCount = 0 }, "ThreadCount is 1 to 256" },
        { new() { ThreadCount = 257 }, "ThreadCount is 1 to 256" },
        { new() { CpuIndexes = [0, -1] }, "CpuIndexes is 0 to" },
        { new() { WakeThreshold = 0 }, "WakeThreshold is 1 to 1048576" },
        { new() { BatchCount = 1 }, "BatchCount is 2 to 1024" },
        { new() { BatchCount = 1025 }, "BatchCount is 2 to 1024" },
        { new() { TickInterval = TimeSpan.FromTicks(1) }, "TickInterval is 1 to 2147483647 ms" },
        { new() { TickInterval = TimeSpan.MaxValue }, "TickInterval is 1 to 2147483647 ms" },
        { new() { TickInterval = TimeSpan.FromSeconds(-1) }, "TickInterval is 1 to 2147483647 ms" },
        { new() { ReplyTimeout = TimeSpan.FromTicks(-1) }, "ReplyTimeout is 0 to 2147483647 ms" },
        { new() { ReplyTimeout = TimeSpan.MaxValue }, "ReplyTimeout is 0 to 2147483647 ms" },
        { new() { Design = (UdpServerDesign)99 }, "use one of Sharded, OneByOne" },
        { new() { Wait = (UdpServerWait)99 }, "use one of Automatic, Blocking" },
        { new() { Steering = (UdpSteering)99 }, "use one of Automatic, Kernel" },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public void Start_OptionThatCannotBeMeant_RefusedWithWhatToDo(UdpServerOptions options, string expected)
    {
        var thrown = Assert.ThrowsAny<ArgumentException>(() => UdpServer.Start(options, _ => new TestHandler()));
        Assert.Contains(expected, thrown.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Check_Default_AndTwoOfPortZero_Accepted()
    {
        ServerOptionChecks.Check(new UdpServerOptions());
        ServerOptionChecks.Check(new() { LocalEndPoints = [UdpEndPoint.Loopback(0), UdpEndPoint.Loopback(0)] });
    }
}
