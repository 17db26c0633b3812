using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Netfilter;

/// <summary>How long a silent flow keeps its entry in the table of connections.</summary>
internal sealed class ConntrackTimeoutCheck : HostCheck
{
    private const long MinSeconds = 10;

    private const string Reason =
        "An entry stays this long after its flow's last packet (nf_conntrack-sysctl, nf_conntrack_udp_timeout); a "
        + "shorter time empties the table sooner, and makes flows with longer pauses begin anew.";

    public override string Id => "conntrack-timeout";

    public override string Subject => "lifetime of tracked flows";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        if (host.Totals.Conntrack is not { } table) yield break;

        var setting = new SysctlSetting("net.netfilter.nf_conntrack_udp_timeout");
        if (host.Files.ReadNumber(setting.Path) is not { } seconds)
        {
            yield return Unknown($"{setting.Name} is not shown here.");
            yield break;
        }

        long less = Math.Max(MinSeconds, seconds / 2);
        yield return ConntrackCheck.IsNearlyFull(table) && less < seconds
            ? Advice($"{seconds} s, and the table is nearly full", $"{less} s", Reason)
                .With(HostChange.Of(setting, seconds, less))
            : Ok($"{seconds} s", Reason);
    }
}
