using System.Globalization;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Queues;

/// <summary>How many packets, and for how long, a CPU takes from cards before it lets others run.</summary>
internal sealed class BudgetCheck : HostCheck
{
    // Ten times the default of packets, and of microseconds where a jiffy is 1 ms (netdev_budget, net/core/dev.c).
    private const long MaxPackets = 3000;
    private const long MaxMicroseconds = 20_000;

    public override string Id => "netdev-budget";

    public override string Subject => "budget of the CPUs for arrivals";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        var packets = new SysctlSetting("net.core.netdev_budget");
        var microseconds = new SysctlSetting("net.core.netdev_budget_usecs");
        long squeezed = host.Growth.Softnet.Squeezed ?? 0;
        string why = $"{CheckText.Count(squeezed)} times a CPU stopped taking packets while more waited, since its "
            + "budget was used up (/proc/net/softnet_stat, column 3).";
        if (Read(packets, host) is not { } packetBudget || Read(microseconds, host) is not { } timeBudget)
        {
            yield return squeezed > 0
                ? Problem("unknown", "larger budgets, set on the host", why, squeezed)
                : Unknown($"{packets.Name} is not shown here: it belongs to the host, not to the container.");
            yield break;
        }

        string found = Text(packetBudget, timeBudget);
        if (squeezed == 0)
        {
            yield return Ok(found, "No CPU used its budget up while this looked (/proc/net/softnet_stat, column 3).");
            yield break;
        }

        long morePackets = Math.Max(packetBudget, Math.Min(2 * packetBudget, MaxPackets));
        long moreTime = Math.Max(timeBudget, Math.Min(2 * timeBudget, MaxMicroseconds));
        bool isChanged = morePackets > packetBudget || moreTime > timeBudget;
        string wanted = isChanged ? Text(morePackets, moreTime) : "the load on more CPUs";
        yield return Problem(found, wanted, why, squeezed)
            .With([.. Change(packets, packetBudget, morePackets), .. Change(microseconds, timeBudget, moreTime)]);
    }

    private static long? Read(SysctlSetting setting, HostReadings host) =>
        long.TryParse(setting.Read(host.Request.RootPath), CultureInfo.InvariantCulture, out long value)
        && value is > 0 and <= int.MaxValue
            ? value
            : null;

    private static string Text(long packets, long microseconds) =>
        $"{CheckText.Count(packets)} packets, {CheckText.Count(microseconds)} microseconds";

    private static IEnumerable<HostChange> Change(SysctlSetting setting, long from, long to)
    {
        if (to > from)
        {
            yield return new HostChange(
                setting, from.ToString(CultureInfo.InvariantCulture), to.ToString(CultureInfo.InvariantCulture));
        }
    }
}
