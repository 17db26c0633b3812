using Spate.Measurement.Testing;

namespace Spate.Tests.Namespaces;

/// <summary>A loss between two namespaces that neither of them counts: the verdict says so, and what helps.</summary>
[Collection(AloneCollection.Name)]
public sealed class PlacesOfThePathTests
{
    [Fact]
    public void Test_QueueOfARouterBetween_NamesThePath()
    {
        NetworkNamespace.RequireProgram("tc", "iproute2");
        using var pair = new TestPair(isJoined: false);
        using var router = new NetworkNamespace();
        NetworkNamespace.Join(router, "10.78.0.254/24", pair.Client, "10.78.0.2/24");
        router.Ip("link set veth0 down");
        router.Ip("link set veth0 name veth1");
        router.Ip("link set veth1 up");
        NetworkNamespace.Join(router, "10.77.0.254/24", pair.Server, TestPair.ServerAddress + "/24");
        router.Execute("sh -c \"echo 1 >/proc/sys/net/ipv4/ip_forward\"");
        router.Execute("tc qdisc add dev veth0 root tbf rate 10mbit burst 10000 limit 60000");
        pair.Client.Ip("route add default via 10.78.0.254");
        pair.Server.Ip("route add default via 10.77.0.254");
        TestClientOptions options = TestPair.Plain with { DatagramsPerSecond = 10_000 };

        TestDirectionReport one = pair.RunOne(options);

        TestPair.AllLostAt("path", "between the two hosts, where neither end counts", one.Remedy, one);
        pair.RunWithRemedy(options, one.Remedy);
    }
}
