using Spate.Cli.Serve;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Cli.Serve;

public sealed class RelayLoopTests
{
    [Theory]
    [InlineData("127.0.0.1:5000", "127.0.0.1:5000")]
    [InlineData("0.0.0.0:5000", "127.0.0.1:5000")]
    [InlineData("0.0.0.0:5000", "127.1.2.3:5000")]
    [InlineData("127.0.0.1:5000", "0.0.0.0:5000")]
    [InlineData("[::]:5000", "127.0.0.1:5000")]
    [InlineData("[::]:5000", "[::1]:5000")]
    [InlineData("[::1]:5000", "[::]:5000")]
    public void Find_OwnAddress_IsFound(string local, string destination) =>
        Assert.Equal(UdpEndPoint.Parse(destination), Find(local, destination));

    [Theory]
    [InlineData("127.0.0.1:5000", "127.0.0.1:5001")]
    [InlineData("127.0.0.1:5000", "127.0.0.2:5000")]
    [InlineData("0.0.0.0:5000", "192.0.2.1:5000")]
    [InlineData("0.0.0.0:5000", "[::1]:5000")]
    [InlineData("[::1]:5000", "127.0.0.1:5000")]
    [InlineData("127.0.0.1:0", "127.0.0.1:5000")]
    public void Find_OtherAddressOrPort_IsNone(string local, string destination) =>
        Assert.Null(Find(local, destination));

    [Fact]
    public void Find_SecondOfSeveral_IsFound() => Assert.Equal(
        UdpEndPoint.Loopback(5001),
        RelayLoop.Find(
            [UdpEndPoint.Loopback(5000), UdpEndPoint.Any(5001)],
            [UdpEndPoint.Loopback(6000), UdpEndPoint.Loopback(5001)]));

    [Fact]
    public void Start_RelayToItself_ThrowsAndFreesThePort()
    {
        using var probe = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        UdpEndPoint own = probe.LocalEndPoint;
        probe.Dispose();
        var options = new ServeOptions { LocalEndPoints = [own], App = ServeApp.Relay, Destinations = [own] };

        TrafficException fault = Assert.Throws<TrafficException>(() => ServeRun.Start(options));

        Assert.Contains("would send to itself", fault.Message, StringComparison.Ordinal);
        using var again = UdpSocket.Bind(own);
    }

    private static UdpEndPoint? Find(string local, string destination) =>
        RelayLoop.Find([UdpEndPoint.Parse(local)], [UdpEndPoint.Parse(destination)]);
}
