using System.Net.Sockets;

namespace Spate.HostTests.Namespaces;

/// <summary>What a connect says where the machine's own network refuses the peer.</summary>
[NamespaceLoad("it loads network namespaces and counts their loss")]
public sealed class RefusedRouteTests : IDisposable
{
    private readonly NetworkNamespace _network = new();

    public void Dispose() => _network.Dispose();

    [Fact]
    public void Connect_BlackholeRoute_SaysSoAndNamesThePeerOnce()
    {
        _network.Ip("route add blackhole 10.78.0.0/16");

        AssertSays("The route to 10.78.0.1:9 is a dead end (such as a blackhole): ", "10.78.0.1:9");
    }

    [Theory, InlineData(true), InlineData(false)]
    public void Connect_ProhibitedRoute_TalksOfBroadcastOnlyWhereItMayBeThat(bool mayBroadcast)
    {
        _network.Ip("route add prohibit 10.78.0.0/16");

        string text = AssertSays("No permission to send to 10.78.0.1:9: a ", "10.78.0.1:9", mayBroadcast);

        Assert.Equal(!mayBroadcast, text.Contains("the option EnableBroadcast", StringComparison.Ordinal));
    }

    [Fact]
    public void Connect_NoAddressOfTheFamily_SaysSoAndNamesThePeerOnce()
    {
        _network.Execute("sh -c \"echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6\"");

        AssertSays("No address of this machine can send to [::1]:9: ", "[::1]:9");
    }

    private string AssertSays(string text, string peer, bool mayBroadcast = false)
    {
        var options = new UdpSocketOptions { Backend = UdpBackend.Portable, EnableBroadcast = mayBroadcast };
        SocketException? fault = _network.Enter(() => Record.Exception(
            () => UdpSocket.Connect(UdpEndPoint.Parse(peer), options: options).Dispose())) as SocketException;

        Assert.NotNull(fault);
        Assert.StartsWith(text, fault.Message, StringComparison.Ordinal);
        Assert.Equal(2, fault.Message.Split(peer).Length);
        return fault.Message;
    }
}
