using Spate.HostTuning.Checks;
using Spate.HostTuning.Checks.Cards;
using Spate.HostTuning.Checks.Cpus;
using Spate.HostTuning.Checks.Netfilter;
using Spate.HostTuning.Checks.Paths;
using Spate.HostTuning.Checks.Protocol;
using Spate.HostTuning.Checks.Queues;
using Spate.HostTuning.Checks.Sockets;

namespace Spate.HostTuning.Examination;

/// <summary>All checks, in the order in which they matter on most hosts.</summary>
internal static class CheckCatalog
{
    public static IReadOnlyList<HostCheck> All { get; } =
    [
        // Sockets and their memory.
        new BufferLimitCheck(isReceive: true),
        new SocketDropsCheck(),
        new DefaultBufferCheck(),
        new SendBufferCheck(),
        new BufferLimitCheck(isReceive: false),
        new GrantedBufferCheck(),
        new UdpMemoryCheck(),
        new OptionMemoryCheck(),
        new MemoryPressureCheck(),
        new TcpBufferCheck(),
        new FastPathCheck(),

        // What lies between the card and the sockets.
        new BacklogCheck(),
        new BudgetCheck(),
        new QueueDropCheck(),
        new QueueLengthCheck(),
        new DefaultQueueCheck(),

        // Connection tracking and the firewall.
        new FirewallCheck(),
        new ConntrackCheck(),
        new ConntrackTimeoutCheck(),

        // What IP and UDP count.
        .. ProtocolChecks.All,

        // Cards and their drivers.
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

        // The CPUs, and the machine that has them.
        new StealCheck(),
        new QuotaCheck(),
        new InterruptCpuCheck(),
        new NodeCheck(),
        new PcieLinkCheck(),
        new GovernorCheck(),
        new IdleStateCheck(),
        new IrqBalanceCheck(),
        new ClockSourceCheck(),
        new IommuCheck(),
        new SmtCheck(),
        new ContainerCheck(),
        new MitigationCheck(),

        // The way to another host.
        new PathMtuCheck(),
        new JumboCheck(),
        new EcmpCheck(),
        new EcnCheck(),
    ];
}
