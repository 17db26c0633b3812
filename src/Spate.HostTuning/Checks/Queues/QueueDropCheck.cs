using Spate.HostTuning.Counters;

namespace Spate.HostTuning.Checks.Queues;

/// <summary>What the queueing discipline of an interface drops.</summary>
internal sealed class QueueDropCheck : InterfaceCheck
{
    private const long MaxLength = 100_000;

    public override string Id => "qdisc-drops";

    public override string Subject => "drops of the queue to an interface";

    protected override CheckFinding? Examine(HostReadings host, HostInterface one)
    {
        QueueCounters? root = host.Growth.Queues.FirstOrDefault(
            queue => queue.IsRoot && string.Equals(queue.Interface, one.ShownName, StringComparison.Ordinal));
        if (root?.Drops is not { } drops) return null;
        if (drops == 0) return Ok(root.Kind, $"It dropped nothing {Meanwhile} (tc -s qdisc).");

        string why = $"It dropped {CheckText.Count(drops)} packets {Meanwhile} (tc -s qdisc): more was sent than it "
            + "lets through.";
        if (QueueLength.Of(host, one) is { } length && length.IsUsed)
        {
            long more = Math.Clamp(2 * length.Packets, QueueLength.MinPackets, MaxLength);
            CheckFinding longer = Problem(
                $"{root.Kind} for {CheckText.Count(length.Packets)} packets",
                $"{CheckText.Count(more)} packets",
                why,
                drops);
            return more > length.Packets ? longer.With(length.To(more)) : longer;
        }

        bool isShared = root.Kind is "fq" or "fq_codel" or "mq" or "cake";
        return Problem(
            root.Kind,
            isShared ? "senders that keep to the rate of the link" : "a higher rate or limit, or no such discipline",
            isShared
                ? why + " It drops to keep the queue short, so a longer one is no remedy."
                : why + " Somebody gave it options that spate tune could not restore, so that it does not touch it.",
            drops);
    }
}
