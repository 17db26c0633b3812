using Spate.HostTuning.Reading.Cards;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Cards;

/// <summary>Whether flows of UDP between two hosts are spread over the queues of a card.</summary>
internal sealed class FlowHashCheck : InterfaceCheck
{
    public override string Id => "flow-hash";

    public override string Subject => "how a card spreads flows";

    protected override CheckFinding? Examine(HostReadings host, HostInterface one)
    {
        (string Kind, long? Bits)[] kinds =
            [(FlowHashSetting.Udp4, one.Card.Udp4FlowHash), (FlowHashSetting.Udp6, one.Card.Udp6FlowHash)];
        if (CardQueues.CountOf(one) <= 1) return null;
        if (Array.TrueForAll(kinds, static kind => kind.Bits is null))
        {
            return Unknown("The driver does not tell what it chooses the queue of a datagram by.");
        }

        string found = string.Join(", ", kinds
            .Where(static kind => kind.Bits is not null)
            .Select(static kind => $"{kind.Kind} {Letters(kind.Bits!.Value)}"));
        (string Kind, long Bits)[] wrong =
        [
            .. kinds.Where(static kind => kind.Bits is { } bits && !FlowHash.HasPorts(bits))
                .Select(static kind => (kind.Kind, kind.Bits!.Value)),
        ];
        if (wrong.Length == 0) return Ok(found, "The ports count, so flows use several queues (ethtool -n).");

        CheckFinding finding = Advice(
            found,
            string.Join(", ", wrong.Select(static kind => $"{kind.Kind} {FlowHash.Ports}")),
            "Without the ports all flows between two hosts share one queue and one CPU (ethtool -n, rx-flow-hash). "
                + "Fragments have no ports, so that they overtake others once the ports count.")
            with
        { IsBelowNeed = host.Needs.IsFast };
        return finding.With(
        [
            .. wrong.Where(static kind => FlowHash.Format(kind.Bits) is not null)
                .Select(kind => new HostChange(
                    new FlowHashSetting(one.Name, kind.Kind), FlowHash.Format(kind.Bits)!, WithPorts(kind.Bits))),
        ]);
    }

    private static string Letters(long bits) => FlowHash.Format(bits) ?? (bits == 0 ? "nothing" : "unknown fields");

    private static string WithPorts(long bits) => FlowHash.Format(bits | FlowHash.Parse(FlowHash.Ports)!.Value)!;
}
