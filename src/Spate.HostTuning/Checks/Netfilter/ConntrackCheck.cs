using Spate.HostTuning.Counters;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Netfilter;

/// <summary>The table of connections, which every flow needs an entry of.</summary>
internal sealed class ConntrackCheck : HostCheck
{
    /// <summary>Some 1.2 GB of kernel memory when full.</summary>
    private const long MaxConnections = 4 * 1024 * 1024;

    private const long NearlyFullPercent = 80;

    private const string Reason =
        "A packet whose flow finds no entry in the table of connections is dropped (nf_conntrack-sysctl); flows that "
        + "need no tracking can be left out by a rule notrack for their port.";

    public override string Id => "conntrack";

    public override string Subject => "table of connections";

    public static bool IsNearlyFull(ConntrackCounters table) =>
        table is { Count: { } count, Max: > 0 and var max } && count > max / 100.0 * NearlyFullPercent;

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        if (host.Totals.Conntrack is not { } table) yield break;

        string found = table is { Count: { } count, Max: { } max }
            ? $"{CheckText.Count(count)} of {CheckText.Count(max)} connections"
            : "size not shown";
        long dropped = host.Growth.Conntrack?.Drops ?? 0;
        long clashed = host.Growth.Conntrack?.InsertFailed ?? 0;
        if (dropped > 0)
        {
            found += $"; drop {CheckText.Count(dropped)}";
            yield return Enlarge(host, Problem(found, "a larger table, or no tracking", Reason, dropped + clashed));
        }
        else if (clashed > 0)
        {
            yield return Problem(
                $"{found}; insert_failed {CheckText.Count(clashed)}",
                "no tracking of the port (a rule notrack)",
                "Packets of one flow came at once before it had an entry, and all but one of them were dropped "
                    + "(/proc/net/stat/nf_conntrack, insert_failed).",
                clashed);
        }
        else
        {
            yield return IsNearlyFull(table)
                ? Enlarge(host, Advice(found, "a larger table, or no tracking", Reason))
                : Ok(found, Reason);
        }
    }

    private static CheckFinding Enlarge(HostReadings host, CheckFinding finding)
    {
        var setting = new SysctlSetting("net.netfilter.nf_conntrack_max");
        return host.Files.ReadNumber(setting.Path) is > 0 and < MaxConnections and var max
            ? finding.With(HostChange.Of(setting, max, Math.Min(2 * max, MaxConnections)))
            : finding;
    }
}
