using Spate.HostTuning.Counters;
using Spate.HostTuning.Settings;
using static Spate.HostTuning.Checks.CheckFinding;

namespace Spate.HostTuning.Checks;

/// <summary>The firewall and the table of connections.</summary>
internal static class NetfilterChecks
{
    private const int MaxNamedRules = 3;

    /// <summary>Some 1.2 GB of kernel memory when full.</summary>
    private const long MaxConnections = 4 * 1024 * 1024;

    private const long NearlyFullPercent = 80;
    private const long MinLifetimeSeconds = 10;

    /// <summary>Rules of the firewall that drop or reject.</summary>
    public static CheckFinding Firewall(HostReadings host)
    {
        if (host.Firewall is not { } rules)
        {
            return Unknown("Only root can list the firewall rules (nft, iptables-save).");
        }

        if (host.FirewallGrowth.Count == 0)
        {
            int silent = rules.Count(static one => one.Packets is null);
            return Ok(
                $"drop or reject rules: {rules.Count}",
                $"No counted rule matched during the check; rules without a counter: {silent}.");
        }

        IEnumerable<string> named = host.FirewallGrowth.Take(MaxNamedRules).Select(static one =>
            $"{one.Place}: {CheckText.Count(one.Packets ?? 0)} packets");
        int unnamed = Math.Max(0, host.FirewallGrowth.Count - MaxNamedRules);
        return Problem(
            string.Join("; ", named) + (unnamed > 0 ? $"; and {CheckText.Plural(unnamed, "more rule")}" : ""),
            "a rule before it that accepts the port, unless the drop is intended",
            "A packet that such a rule drops never reaches the socket, and no UDP counter shows it (nft(8), verdict "
                + "statements).",
            host.FirewallGrowth.Sum(static one => one.Packets ?? 0)) with
        {
            Command = host.FirewallGrowth[0].Accept,
            Undo = host.FirewallGrowth[0].Undo,
        };
    }

    /// <summary>The table of connections, which every flow needs an entry of.</summary>
    public static CheckFinding? Connections(HostReadings host)
    {
        const string Reason = "A packet is dropped if its flow gets no entry in the connection tracking table "
            + "(nf_conntrack-sysctl); a notrack rule for their port excludes flows that need no tracking.";
        if (host.Totals.Conntrack is not { } table) return null;

        string found = table is { Count: { } count, Max: { } max }
            ? $"{CheckText.Count(count)} of {CheckText.Count(max)} connections"
            : "size not shown";
        long dropped = host.Growth.Conntrack?.Drops ?? 0;
        long clashed = host.Growth.Conntrack?.InsertFailed ?? 0;
        if (dropped > 0)
        {
            found += $"; drop {CheckText.Count(dropped)}";
            return Enlarge(host, Problem(found, "a larger table, or no tracking", Reason, dropped + clashed));
        }

        if (clashed > 0)
        {
            return Problem(
                $"{found}; insert_failed {CheckText.Count(clashed)}",
                "no tracking of the port (a notrack rule)",
                "Packets of one flow arrived at once before it had an entry, and all but one of them were dropped "
                    + "(/proc/net/stat/nf_conntrack, insert_failed).",
                clashed);
        }

        return IsNearlyFull(table)
            ? Enlarge(host, Advice(found, "a larger table, or no tracking", Reason))
            : Ok(found, Reason);
    }

    /// <summary>How long a silent flow keeps its entry in the table of connections.</summary>
    public static CheckFinding? Lifetime(HostReadings host)
    {
        const string Reason = "An entry stays this long after its flow's last packet (nf_conntrack-sysctl, "
            + "nf_conntrack_udp_timeout); a shorter time empties the table sooner, and flows with longer pauses "
            + "lose their entry.";
        if (host.Totals.Conntrack is not { } table) return null;

        var setting = new SysctlSetting("net.netfilter.nf_conntrack_udp_timeout");
        if (host.ReadNumber(setting) is not { } seconds) return Unknown($"{setting.Name} is not visible here.");

        long less = Math.Max(MinLifetimeSeconds, seconds / 2);
        return IsNearlyFull(table) && less < seconds
            ? Advice($"{seconds} s, and the table is nearly full", $"{less} s", Reason)
                .With(HostChange.Of(setting, seconds, less))
            : Ok($"{seconds} s", Reason);
    }

    private static bool IsNearlyFull(ConntrackCounters table) =>
        table is { Count: { } count, Max: > 0 and var max } && count > max / 100.0 * NearlyFullPercent;

    private static CheckFinding Enlarge(HostReadings host, CheckFinding finding)
    {
        var setting = new SysctlSetting("net.netfilter.nf_conntrack_max");
        return host.ReadNumber(setting) is > 0 and < MaxConnections and var max
            ? finding.With(HostChange.Of(setting, max, Math.Min(2 * max, MaxConnections)))
            : finding;
    }
}
