using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Protocol;

/// <summary>Datagrams that were not put together again, or that needed fragmenting and were not allowed it.</summary>
internal sealed class FragmentCheck() : CounterCheck(
    "ip-fragments",
    "fragments",
    "datagrams that fit into the MTU",
    "A datagram of several fragments is lost with any of them, and fragments wait in memory that is limited (RFC 8900; "
        + "ip-sysctl, ipfrag_high_thresh).",
    ("IpReasmFails", static one => one.Ip4.ReasmFails),
    ("IpFragFails", static one => one.Ip4.FragFails),
    ("Ip6ReasmFails", static one => one.Ip6.ReasmFails),
    ("Ip6FragFails", static one => one.Ip6.FragFails))
{
    // What the README of OB-UDPST, the tool of the Broadband Forum, sets.
    private const long EnoughBytes = 104_857_600;

    protected override CheckFinding Mend(HostReadings host, CheckFinding problem) => problem.With(
    [
        .. Change(host, host.Growth.Ip4.ReasmFails, "net.ipv4.ipfrag_high_thresh"),
        .. Change(host, host.Growth.Ip6.ReasmFails, "net.ipv6.ip6frag_high_thresh"),
    ]);

    private static IEnumerable<HostChange> Change(HostReadings host, long? failed, string key)
    {
        var setting = new SysctlSetting(key);
        if (failed > 0 && host.Files.ReadNumber(setting.Path) is >= 0 and < EnoughBytes and var bytes)
        {
            yield return HostChange.Of(setting, bytes, EnoughBytes);
        }
    }
}
