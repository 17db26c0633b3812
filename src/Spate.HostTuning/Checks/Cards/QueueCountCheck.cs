using System.Globalization;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Cards;

/// <summary>Whether a card has a queue for each CPU that is near to it.</summary>
internal sealed class QueueCountCheck : InterfaceCheck
{
    // The kernel's limit of queues is 65535 (dev->num_rx_queues); cards have some hundred.
    private const uint MaxQueues = ushort.MaxValue;
    private const string Why = "One queue is emptied by one CPU at a time, so arrivals need several (ethtool -l).";

    public override string Id => "queue-count";

    public override string Subject => "queues of a card";

    protected override CheckFinding? Examine(HostReadings host, HostInterface one)
    {
        if (one.Card.Channels is not { } channels) return null;

        bool isCombined = channels.max_combined > 0;
        uint max = isCombined ? channels.max_combined : channels.max_rx;
        uint count = isCombined ? channels.combined_count : channels.rx_count;
        if (max == 0) return null;
        if (max > MaxQueues || count > max) return Unknown("The driver tells of queues that make no sense.");

        int cpus = Math.Max(1, CardQueues.NearCpus(host, one).Count);
        uint wanted = Math.Min(max, (uint)cpus);
        bool isVirtio = CardQueues.IsVirtio(host, one);
        string found = $"{count} of {max} queues for {cpus} CPUs";
        if (count < wanted && (host.Needs.IsFast || isVirtio))
        {
            return Advice(found, $"{wanted} queues", Why) with
            {
                IsBelowNeed = host.Needs.IsFast && count == 1,
            } is var finding
                ? finding.With(Change(one, isCombined, count, wanted))
                : null;
        }

        return isVirtio && host.Needs.IsFast && max == 1 && cpus > 1
            ? Advice(found, $"{cpus} queues, granted by the hypervisor", $"{Why} This machine's hypervisor grants one.")
            : Ok(found, count < wanted ? $"This profile needs no more. {Why}" : Why);
    }

    private static HostChange Change(HostInterface one, bool isCombined, uint from, uint to) => new(
        new CardNumberSetting(one.Name, isCombined ? CardNumber.QueuesCombined : CardNumber.QueuesRx),
        from.ToString(CultureInfo.InvariantCulture),
        to.ToString(CultureInfo.InvariantCulture));
}
