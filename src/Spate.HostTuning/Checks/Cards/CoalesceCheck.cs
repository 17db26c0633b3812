using System.Globalization;
using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Cards;

/// <summary>How long a card waits before it tells of arrivals.</summary>
internal sealed class CoalesceCheck : InterfaceCheck
{
    // Less than what a wakeup of a reader takes.
    private const uint MaxLatencyMicroseconds = 8;
    private const uint MaxMicroseconds = 1_000_000;

    // Drivers that can choose the time by the rate, and whether they can for what was sent too. The request does not
    // tell it, and others refuse it (supported_coalesce_params of the drivers).
    private static readonly (string Driver, bool HasSending)[] AdaptiveDrivers =
    [
        ("mlx5_core", true), ("mlx4_en", false), ("ice", true), ("i40e", true), ("iavf", true), ("bnxt_en", false),
        ("ena", false), ("hns3", true), ("ionic", true), ("sfc", false), ("be2net", false), ("enic", false),
    ];

    public override string Id => "coalescing";

    public override string Subject => "interrupt coalescing of a card";

    protected override CheckFinding? Examine(HostReadings host, HostInterface one)
    {
        if (one.Card.Coalesce is not { } coalesce) return null;
        if (coalesce.rx_coalesce_usecs > MaxMicroseconds) return Unknown("The driver tells of too long a time.");

        string found = coalesce.use_adaptive_rx_coalesce != 0
            ? "adaptive"
            : $"{coalesce.rx_coalesce_usecs} microseconds";
        if (host.Needs.Profile == HostProfile.Latency) return ForLatency(one, coalesce, found);

        string? name = CardQueues.DriverOf(host, one);
        int driver = Array.FindIndex(
            AdaptiveDrivers, known => string.Equals(known.Driver, name, StringComparison.Ordinal));
        if (!host.Needs.IsFast || coalesce.use_adaptive_rx_coalesce != 0 || driver < 0)
        {
            return Ok(found, "Fewer interrupts save time of the CPU, each one later (ethtool -c).");
        }

        bool setsSending = AdaptiveDrivers[driver].HasSending && coalesce.use_adaptive_tx_coalesce == 0;
        return Advice(
            found,
            "adaptive",
            "A driver that chooses the time by the rate interrupts less under load (ESnet's guide for 100 Gbit/s).")
            .With(
            [
                Switch(one, CardNumber.AdaptiveRx, isOn: true),
                .. setsSending ? [Switch(one, CardNumber.AdaptiveTx, isOn: true)] : Array.Empty<HostChange>(),
            ]);
    }

    private static HostChange Switch(HostInterface one, CardNumber number, bool isOn) => new(
        new CardNumberSetting(one.Name, number), SwitchText.Of(!isOn), SwitchText.Of(isOn));

    private CheckFinding ForLatency(HostInterface one, ethtool_coalesce coalesce, string found)
    {
        bool isAdaptive = coalesce.use_adaptive_rx_coalesce != 0;
        uint microseconds = coalesce.rx_coalesce_usecs;
        const string Why = "The card holds arrivals back for this time before it interrupts (ethtool -c).";
        if (!isAdaptive && microseconds <= MaxLatencyMicroseconds) return Ok(found, Why);

        return BelowNeed(found, "0 microseconds, not adaptive", Why).With(
        [
            .. isAdaptive ? [Switch(one, CardNumber.AdaptiveRx, isOn: false)] : Array.Empty<HostChange>(),
            .. microseconds > 0
                ? [new HostChange(
                    new CardNumberSetting(one.Name, CardNumber.RxMicroseconds),
                    microseconds.ToString(CultureInfo.InvariantCulture),
                    "0")]
                : Array.Empty<HostChange>(),
        ]);
    }
}
