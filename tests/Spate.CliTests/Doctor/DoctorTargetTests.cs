using System.Text.Json;

namespace Spate.CliTests.Doctor;

/// <summary>
/// <c>spate doctor --target</c> in network namespaces that last as long as the test: a, a router, and b behind it. The
/// link between the router and b carries packets of 1400 bytes, the others 1500.
/// </summary>
public sealed class DoctorTargetTests
{
    private const string Path = """
        set -e
        command -v ip > /dev/null && command -v nsenter > /dev/null || exit 9
        at() { nsenter -n -t "$@"; }
        unshare -n sleep 100 > /dev/null 2>&1 & r=$!
        unshare -n sleep 100 > /dev/null 2>&1 & b=$!
        trap 'kill $r $b' EXIT
        own=$(readlink /proc/self/ns/net)
        for p in $r $b; do
            n=0
            while [ "$(readlink /proc/$p/ns/net)" = "$own" ]; do n=$((n+1)); [ $n -lt 1000 ] || exit 9; sleep 0.01; done
        done
        ip link set lo up
        ip link add end0 type veth peer name r0 netns $r || exit 9
        ip addr add 10.9.0.1/24 dev end0; ip -6 addr add fd09::1/64 dev end0 nodad; ip link set end0 up
        at $r ip addr add 10.9.0.2/24 dev r0; at $r ip -6 addr add fd09::2/64 dev r0 nodad; at $r ip link set r0 up
        at $r ip link add r1 type veth peer name end1 netns $b
        at $r ip link set r1 mtu 1400; at $b ip link set end1 mtu 1400
        at $r ip addr add 10.9.1.1/24 dev r1; at $r ip -6 addr add fd09:1::1/64 dev r1 nodad; at $r ip link set r1 up
        at $b ip addr add 10.9.1.2/24 dev end1; at $b ip -6 addr add fd09:1::2/64 dev end1 nodad
        at $b ip link set end1 up
        at $r sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward; echo 1 > /proc/sys/net/ipv6/conf/all/forwarding' || exit 9
        ip route add 10.9.1.0/24 via 10.9.0.2; ip -6 route add fd09:1::/64 via fd09::2
        at $b ip route add default via 10.9.1.1; at $b ip -6 route add default via fd09:1::1

        """;

    [Theory]
    [InlineData("10.9.1.2", "1,400 bytes over IPv4", "payloads of at most 1,372 bytes")]
    [InlineData("fd09:1::2", "1,400 bytes over IPv6", "payloads of at most 1,352 bytes")]
    public async Task Doctor_RouterWithASmallerMtu_FindsItToTheByte(string target, string found, string wanted)
    {
        Dictionary<string, JsonElement> checks = await RunAsync(Path + "\"$@\"", target);

        Assert.Equal(("advice", found, wanted), (
            Text(checks["path-mtu"], "status"), Text(checks["path-mtu"], "found"), Text(checks["path-mtu"], "wanted")));
        Assert.Equal("ok", Text(checks["ecn"], "status"));
        Assert.Equal("ok", Text(checks["ecmp"], "status"));
        Assert.Equal("end0", Text(checks["path-mtu"], "interface"));
    }

    [Fact]
    public async Task Doctor_RouterThatTellsNothing_FindsTheMtuNevertheless()
    {
        const string Silent = "at $r sh -c 'command -v nft > /dev/null' || exit 9\n"
            + "at $r nft add table ip t; at $r nft 'add chain ip t o { type filter hook output priority 0; }'\n"
            + "at $r nft add rule ip t o icmp type destination-unreachable drop || exit 9\n\"$@\"";

        Dictionary<string, JsonElement> checks = await RunAsync(Path + Silent, "10.9.1.2");

        Assert.Equal("1,400 bytes over IPv4", Text(checks["path-mtu"], "found"));
    }

    [Fact]
    public async Task Doctor_WayBackThatIsNarrower_IsToldByTheFragments()
    {
        const string Narrow = "at $r ip link set r1 mtu 1500; at $b ip link set end1 mtu 1500\n"
            + "at $b ip route change default via 10.9.1.1 mtu lock 1300\n\"$@\"";

        Dictionary<string, JsonElement> checks = await RunAsync(Path + Narrow, "10.9.1.2");

        Assert.Equal("advice", Text(checks["path-mtu"], "status"));
        Assert.Matches(
            "^1,500 bytes over IPv4, 1,(300|29[0-9]) bytes on the way back$", Text(checks["path-mtu"], "found"));
    }

    [Fact]
    public async Task Doctor_TwoNextHops_AdvisesToShareFlowsOutByPort()
    {
        const string Two = "at $r ip addr add 10.9.0.3/24 dev r0\n"
            + "ip route change 10.9.1.0/24 nexthop via 10.9.0.2 nexthop via 10.9.0.3 || exit 9\n\"$@\"";

        Dictionary<string, JsonElement> checks = await RunAsync(Path + Two, "10.9.1.2");

        Assert.Equal("2 next hops over IPv4", Text(checks["ecmp"], "found"));
        Assert.Equal("sysctl -w net.ipv4.fib_multipath_hash_policy=1", Text(checks["ecmp"], "command"));
    }

    [Fact]
    public async Task Doctor_ClearedMarksOrNoAnswer_IsUnknown()
    {
        const string Silent = "at $b sh -c 'echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all' || exit 9\n\"$@\"";

        Dictionary<string, JsonElement> checks = await RunAsync(Path + Silent, "10.9.1.2");

        Assert.Equal("unknown", Text(checks["path-mtu"], "status"));
        Assert.Contains("answered no probe", Text(checks["path-mtu"], "reason"), StringComparison.Ordinal);
        Assert.False(checks.ContainsKey("ecn"));
    }

    [Fact]
    public async Task Doctor_WithoutPrivileges_SaysWhatProbesNeed()
    {
        const string Nobody = "ip link set lo up || exit 9\n"
            + "exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all \"$@\"";

        ToolResult result = await ToolProcess.RunInOwnNetworkAsync(
            Nobody, "doctor", "--seconds", "0.1", "--target", "127.0.0.1", "--all");
        Assert.SkipWhen(result.ExitCode is 126 or 127 or 9 || result.Error.Contains("setpriv", StringComparison.Ordinal)
            || result.Error.Contains("does not exist", StringComparison.Ordinal), "nobody cannot run the tool here");

        Assert.Equal(0, result.ExitCode);
        Assert.Contains("net.ipv4.ping_group_range", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Doctor_Loopback_PassesTheLargestPacket()
    {
        Dictionary<string, JsonElement> checks = await RunAsync("ip link set lo up || exit 9\n\"$@\"", "localhost");

        Assert.Equal(("ok", "65,535 bytes over IPv4"), (
            Text(checks["path-mtu"], "status"), Text(checks["path-mtu"], "found")));
    }

    private static async Task<Dictionary<string, JsonElement>> RunAsync(string script, string target)
    {
        ToolResult result = await ToolProcess.RunInOwnNetworkAsync(
            script, "doctor", "--seconds", "0.1", "--profile", "1g", "--target", target, "--json", "-");

        Assert.Equal((0, ""), (result.ExitCode, result.Error));
        Assert.DoesNotContain(target, result.Output, StringComparison.Ordinal);
        using JsonDocument document = JsonDocument.Parse(result.Output);
        return document.RootElement.GetProperty("checks").EnumerateArray()
            .GroupBy(static check => Text(check, "id"), StringComparer.Ordinal)
            .ToDictionary(static group => group.Key, static group => group.First().Clone(), StringComparer.Ordinal);
    }

    private static string Text(JsonElement check, string field) => check.GetProperty(field).GetString()!;
}
