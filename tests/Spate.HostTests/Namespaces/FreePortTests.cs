using System.Net.Sockets;
using Spate.Serving;

namespace Spate.HostTests.Namespaces;

/// <summary>Port 0 where the kernel has one port to give: it must not put a socket into a group.</summary>
public sealed class FreePortTests : IDisposable
{
    private const int OnlyPort = 40_000;

    private static readonly UdpSocketOptions Sharing = new() { ReusePort = true };

    private readonly NetworkNamespace _network = new();

    public FreePortTests() => _network.Enter(() =>
    {
        File.WriteAllText("/proc/sys/net/ipv4/ip_local_port_range", $"{OnlyPort} {OnlyPort}");
        return 0;
    });

    [Theory]
    [InlineData("127.0.0.1", "127.0.0.1")]
    [InlineData("0.0.0.0", "127.0.0.1")]
    [InlineData("127.0.0.1", "0.0.0.0")]
    [InlineData("[::1]", "[::1]")]
    [InlineData("[::]", "0.0.0.0")]
    public void Bind_PortZeroAndTheOnlyPortHasAGroup_RefusedAndByNameJoined(string first, string second)
    {
        using UdpSocket socket = _network.Bind($"{first}:0", Sharing);
        Assert.Equal(OnlyPort, socket.LocalEndPoint.Port);

        var refused = Assert.Throws<InvalidOperationException>(() => _network.Bind($"{second}:0", Sharing));

        var fault = Assert.IsType<SocketException>(refused.InnerException);
        Assert.Equal(SocketError.AddressAlreadyInUse, fault.SocketErrorCode);
        using UdpSocket member = _network.Bind($"{second}:{OnlyPort}", Sharing);
        Assert.Equal(OnlyPort, member.LocalEndPoint.Port);
    }

    [Fact]
    public void Connect_PortZeroAndTheOnlyPortHasAGroup_Refused()
    {
        var peer = UdpEndPoint.Parse("127.0.0.1:9");
        using UdpSocket socket = _network.Enter(() => UdpSocket.Connect(peer, options: Sharing));
        Assert.Equal(OnlyPort, socket.LocalEndPoint.Port);
        Assert.Throws<InvalidOperationException>(() => _network.Enter(() => UdpSocket.Connect(peer, options: Sharing)));
    }

    [Theory]
    [InlineData(UdpSteering.FlowHash)]
    [InlineData(UdpSteering.Kernel)]
    public void Start_PortZeroAndTheOnlyPortHasAServer_Refused(UdpSteering steering)
    {
        using UdpServer server = Start(steering);
        Assert.Equal(OnlyPort, Assert.Single(server.LocalEndPoints).Port);
        Assert.All(server.Shards, shard => Assert.Equal(server.LocalEndPoints, shard.LocalEndPoints));
        var refused = Assert.Throws<InvalidOperationException>(() => Start(steering));
        Assert.Equal(
            SocketError.AddressAlreadyInUse, Assert.IsType<SocketException>(refused.InnerException).SocketErrorCode);
    }

    public void Dispose() => _network.Dispose();

    private UdpServer Start(UdpSteering steering) => _network.Enter(() => UdpServer.Start(
        new UdpServerOptions
        {
            LocalEndPoints = [UdpEndPoint.Loopback(0)],
            ThreadCount = 3,
            Steering = steering,
            Socket = new UdpSocketOptions { Backend = UdpBackend.Mmsg },
        },
        _ => new SilentHandler()));

    private sealed class SilentHandler : UdpHandler
    {
        public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
        {
        }
    }
}
