namespace Spate.HostTuning.Checks.Cards;

/// <summary>The checks of cards and their drivers.</summary>
internal static class CardChecks
{
    public static IReadOnlyList<HostCheck> All { get; } =
    [
        new CardDropCheck(),
        new RingCheck(),
        new AllowanceCheck(),
        new FlowHashCheck(),
        new QueueCountCheck(),
        new OffloadCheck(),
        new UdpSegmentationCheck(),
        new UdpForwardingCheck(),
        new SteeringCheck(),
        new CoalesceCheck(),
        new PauseCheck(),
        new LinkSpeedCheck(),
    ];
}
