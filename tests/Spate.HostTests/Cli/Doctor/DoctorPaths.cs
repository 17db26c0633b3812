using System.Text.Json;

namespace Spate.HostTests.Cli.Doctor;

/// <summary>
/// <c>spate doctor --target</c> in network namespaces that last for one script: a, a router, and b behind it. The link
/// between the router and b carries packets of 1400 bytes, the others 1500. The script changes the path from one run to
/// the next, since namespaces and addresses take longer to make than a run.
/// </summary>
public sealed class DoctorPaths
{
    private const string Paths = """
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
        see() {
            to="FOLDER/$1"; target=$2; shift 2
            "$@" doctor --seconds 0.1 --profile 1g --json "$to" --target "$target" > /dev/null
        }
        see IPv4 10.9.1.2 "$@"
        see IPv6 fd09:1::2 "$@"

        # The router sends no message about its limit.
        if at $r sh -c 'command -v nft' > /dev/null && at $r nft add table ip t; then
            at $r nft 'add chain ip t o { type filter hook output priority 0; }'
            at $r nft add rule ip t o icmp type destination-unreachable drop
            see silent 10.9.1.2 "$@"
            at $r nft delete table ip t
        fi

        if at $r ip addr add 10.9.0.3/24 dev r0 \
            && ip route change 10.9.1.0/24 nexthop via 10.9.0.2 nexthop via 10.9.0.3; then
            see hops 10.9.1.2 "$@"
            ip route change 10.9.1.0/24 via 10.9.0.2
        fi

        at $r ip link set r1 mtu 1500; at $b ip link set end1 mtu 1500
        at $b ip route change default via 10.9.1.1 mtu lock 1300
        see narrow 10.9.1.2 "$@"

        at $b sh -c 'echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all' || exit 9
        see unanswered 10.9.1.2 "$@"
        """;

    private const int RunCount = 6;

    private static readonly string[] Targets = ["10.9.1.2", "fd09:1::2"];

    private readonly Lazy<Task<Dictionary<string, string>>> _reports = new(RunAsync);

    /// <summary>The checks of one run, by their names.</summary>
    /// <param name="run">The word by which the script names it.</param>
    /// <param name="missing">Why there can be no such run.</param>
    public async Task<Dictionary<string, JsonElement>> ChecksAsync(
        string run, string missing = "the path cannot be set")
    {
        Dictionary<string, string> reports = await _reports.Value;
        NativeTool.Count();
        Assert.SkipUnless(reports.TryGetValue(run, out string? json), missing);

        // A report never names its target.
        Assert.All(Targets, target => Assert.DoesNotContain(target, json, StringComparison.Ordinal));
        using JsonDocument document = JsonDocument.Parse(json);
        return document.RootElement.GetProperty("checks").EnumerateArray()
            .GroupBy(static check => check.GetProperty("id").GetString()!, StringComparer.Ordinal)
            .ToDictionary(static group => group.Key, static group => group.First().Clone(), StringComparer.Ordinal);
    }

    private static async Task<Dictionary<string, string>> RunAsync()
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("spate-doctor-");
        try
        {
            ToolResult result = await ToolProcess.RunInOwnNetworkAsync(
                Paths.Replace("FOLDER", folder.FullName, StringComparison.Ordinal), RunCount);

            Assert.Equal((0, "", ""), (result.ExitCode, result.Output, result.Error));
            return folder.GetFiles().ToDictionary(
                static file => file.Name, static file => File.ReadAllText(file.FullName), StringComparer.Ordinal);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
