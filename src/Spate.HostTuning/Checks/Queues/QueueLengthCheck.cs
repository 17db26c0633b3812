namespace Spate.HostTuning.Checks.Queues;

/// <summary>How many packets may wait for an interface.</summary>
internal sealed class QueueLengthCheck : InterfaceCheck
{
    public override string Id => "tx-queue-len";

    public override string Subject => "length of the queue to an interface";

    protected override CheckFinding? Examine(HostReadings host, HostInterface one)
    {
        if (QueueLength.Of(host, one) is not { } length) return null;

        string found = $"{CheckText.Count(length.Packets)} packets";
        if (!length.IsUsed) return Ok(found, "The queueing discipline has a limit of its own.");
        if (!host.Needs.IsFast || length.Packets >= QueueLength.MinPackets)
        {
            return Ok(found, "The profile needs no longer queue, as long as qdisc-drops sees no drops.");
        }

        return BelowNeed(
            found,
            $"{CheckText.Count(QueueLength.MinPackets)} packets",
            "Bursts fill a short pfifo_fast within a millisecond (ESnet advises 10,000 from 10 Gbit/s on).")
            .With(length.To(QueueLength.MinPackets));
    }
}
