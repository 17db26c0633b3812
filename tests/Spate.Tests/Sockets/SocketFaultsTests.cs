using System.Net;
using Spate.Sockets;

namespace Spate.Tests.Sockets;

public sealed class SocketFaultsTests
{
    [Theory]
    [InlineData("127.0.0.1", "at 127.0.0.1:9: another", "'netsh interface ipv4 show excludedportrange udp'")]
    [InlineData("::1", "at [::1]:9: another", "'netsh interface ipv6 show excludedportrange udp'")]
    public void PortExcluded_Address_NamesItAndTheListOfItsFamily(string address, string named, string command)
    {
        string text = SocketFaults.PortExcluded(new UdpEndPoint(IPAddress.Parse(address), 9));

        Assert.Contains(named, text, StringComparison.Ordinal);
        Assert.Contains(command, text, StringComparison.Ordinal);
    }
}
