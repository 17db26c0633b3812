using Spate.HostTuning.Checks.Cards;
using Spate.HostTuning.Checks.Cpus;
using Spate.HostTuning.Checks.Netfilter;
using Spate.HostTuning.Checks.Paths;
using Spate.HostTuning.Checks.Protocol;
using Spate.HostTuning.Checks.Queues;
using Spate.HostTuning.Checks.Sockets;

namespace Spate.HostTuning.Checks;

/// <summary>All checks, in the order in which they matter on most hosts.</summary>
internal static class CheckCatalog
{
    /// <summary>Every check once.</summary>
    public static IReadOnlyList<HostCheck> All { get; } =
    [
        .. SocketChecks.All,
        .. QueueChecks.All,
        .. NetfilterChecks.All,
        .. ProtocolChecks.All,
        .. CardChecks.All,
        .. CpuChecks.All,
        .. PathChecks.All,
    ];
}
