using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Cards;

/// <summary>Whether a card and the switch may stop each other for a moment.</summary>
internal sealed class PauseCheck : InterfaceCheck
{
    public override string Id => "pause";

    public override string Subject => "flow control on the link";

    protected override CheckFinding? Examine(HostReadings host, HostInterface one)
    {
        if (one.Card.Pause is not { } pause) return null;

        (CardNumber Number, bool IsOn)[] both =
            [(CardNumber.PauseRx, pause.rx_pause != 0), (CardNumber.PauseTx, pause.tx_pause != 0)];
        string found = string.Join(", ", both.Select(static one => $"{one.Number.Argument} {SwitchText.Of(one.IsOn)}"));
        bool isOn = Array.TrueForAll(both, static one => one.IsOn);
        bool isNeeded = host.Needs.Profile == HostProfile.HundredGigabit
            || (host.Needs.IsFast && CardLosses.WithoutBuffer(host, one) > 0);
        return isOn || !isNeeded
            ? Ok(found, "Flow control makes the other end wait while a ring is full (ethtool -a).")
            : Advice(
                found,
                "rx on, tx on",
                "Flow control makes the other end wait while a ring is full; setting it takes the link down for a "
                    + "moment (ESnet's guide for 100 Gbit/s).")
                .With(
                [
                    .. both.Where(static one => !one.IsOn).Select(which => new HostChange(
                        new CardNumberSetting(one.Name, which.Number), SwitchText.Of(false), SwitchText.Of(true))),
                ]);
    }
}
