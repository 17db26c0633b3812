namespace Spate.HostTuning.Checks.Netfilter;

/// <summary>The checks of connection tracking and the firewall.</summary>
internal static class NetfilterChecks
{
    public static IReadOnlyList<HostCheck> All { get; } =
    [
        new FirewallCheck(),
        new ConntrackCheck(),
        new ConntrackTimeoutCheck(),
    ];
}
