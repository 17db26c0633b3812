using System.Net.Sockets;
using Spate.HostTuning.Reading.Probing;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Paths;

/// <summary>Whether this host has several ways to the target, and what flows are shared out by.</summary>
internal sealed class EcmpCheck : HostCheck
{
    // ip-sysctl.rst, fib_multipath_hash_policy: 0 is the addresses, 1 the ports too.
    private const string Addresses = "0";
    private const string Ports = "1";

    public override string Id => "ecmp";

    public override string Subject => "ways to the target";

    public override IEnumerable<CheckFinding> Examine(HostReadings host) =>
        host.Paths.Where(static path => path.KnownBytes is not null)
            .Select(path => OfPath(host, path) with { Interface = path.Interface?.Name });

    private CheckFinding OfPath(HostReadings host, PathReading path)
    {
        string family = CheckText.Family(path.Family);
        if (path.Route is not { } route) return Unknown($"The system does not tell its route over {family}.");

        string found = $"{CheckText.Plural(route.NextHopCount, "next hop")} over {family}";
        if (route.NextHopCount == 1)
        {
            return Ok(found, "All flows leave by one way; routers behind it may share them out by their ports.");
        }

        string version = path.Family == AddressFamily.InterNetworkV6 ? "ipv6" : "ipv4";
        var policy = new SysctlSetting($"net.{version}.fib_multipath_hash_policy");
        return policy.Read(host.Request.RootPath) is Addresses
            ? Advice(
                found,
                "flows shared out by their ports",
                "All flows between two hosts take one of the ways, because it is chosen by the addresses alone "
                    + "(ip-sysctl.rst, fib_multipath_hash_policy).").With(new HostChange(policy, Addresses, Ports))
            : Ok(
                found,
                "Each flow takes one of the ways, so flows differ in loss and delay: compare runs with several flows.");
    }
}
