using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Interrupts;

namespace Spate.Measurement.HostUse;

/// <summary>The interfaces of a run: their links, their interrupts, and which of their queues were used.</summary>
internal sealed class LinkMeter
{
    private readonly string _rootPath;
    private readonly IReadOnlyList<InterfaceFacts> _interfaces;
    private readonly IReadOnlyList<InterfaceInterrupts> _interrupts;
    private readonly IReadOnlyDictionary<int, long> _countsBefore;

    /// <summary>Begins to watch the interfaces.</summary>
    /// <param name="interfaces">The interfaces of the run.</param>
    /// <param name="rootPath">Where the system's file tree begins; another value than <c>/</c> is for tests.</param>
    public LinkMeter(IReadOnlyList<InterfaceFacts> interfaces, string rootPath = "/")
    {
        _rootPath = rootPath;
        _interfaces = interfaces;
        _interrupts = InterfaceInterrupts.ReadAll([.. interfaces.Select(static one => one.Name)], rootPath);
        _countsBefore = HasInterrupts ? InterruptCounts.Read(rootPath) : new Dictionary<int, long>();
    }

    private bool HasInterrupts => _interrupts.Any(static one => one.Interrupts.Count > 0);

    /// <summary>The interfaces that sockets receive from and send to.</summary>
    /// <param name="ends">
    /// The local end of each socket and its peer. Without a peer (the default), everything that reaches the local
    /// address counts.
    /// </param>
    public static LinkMeter Of(IEnumerable<(UdpEndPoint Local, UdpEndPoint Remote)> ends)
    {
        IReadOnlyList<InterfaceFacts> all = InterfaceFacts.ReadAll();
        return new LinkMeter([.. all.Intersect(
            ends.Distinct().SelectMany(end => FlowInterfaces.Find(end.Local.Address.ToIPAddress(), end.Remote, all)))]);
    }

    /// <summary>Notes the CPUs that handle the interfaces' interrupts, or that packets are steered to.</summary>
    public void AddTo(CpuAttribution places)
    {
        foreach (int cpu in _interrupts.SelectMany(static one => one.CpuNumbers.Concat(one.SteeredCpuNumbers)))
        {
            places.AddRole(cpu, CpuAttribution.InterruptRole);
        }
    }

    /// <summary>The links, as they are now.</summary>
    public LinkReport[] Report()
    {
        IReadOnlyDictionary<int, long> counts = HasInterrupts ? InterruptCounts.Read(_rootPath) : _countsBefore;
        return [.. _interfaces.Select((network, i) => ReportOf(network, _interrupts[i], counts))];
    }

    // The queues that a bond or VLAN names are not those of its cards, whose interrupts are counted.
    private LinkReport ReportOf(
        InterfaceFacts network, InterfaceInterrupts interrupts, IReadOnlyDictionary<int, long> counts)
    {
        var link = LinkFacts.Read(network.Name, _rootPath);
        LinkFacts[] devices = interrupts.DeviceNames.Count == 0
            ? [link]
            : [.. interrupts.DeviceNames.Select(name => LinkFacts.Read(name, _rootPath))];
        return new LinkReport
        {
            Interface = network.Name,
            MtuBytes = network.MtuBytes,
            SpeedBitsPerSecond = link.SpeedBitsPerSecond,
            Devices = [.. interrupts.DeviceNames],
            ReceiveQueues = Sum(devices, static one => one.ReceiveQueues),
            ReceiveQueuesInUse = InUse(interrupts, counts),
            SendQueues = Sum(devices, static one => one.SendQueues),
            Node = interrupts.Node,
            InterruptCpuList = CpuList.Format(interrupts.CpuNumbers),
        };
    }

    private int? InUse(InterfaceInterrupts interrupts, IReadOnlyDictionary<int, long> counts)
    {
        InterfaceInterrupt[] ofArrivals =
            [.. interrupts.Interrupts.Where(static one => one.Direction != InterruptDirection.Send)];
        return ofArrivals.Length == 0 ? null : ofArrivals.Count(one =>
            counts.GetValueOrDefault(one.Number) != _countsBefore.GetValueOrDefault(one.Number));
    }

    // Null where one of them is not known.
    private static int? Sum(LinkFacts[] devices, Func<LinkFacts, int?> count) =>
        devices.Aggregate((int?)0, (sum, one) => sum + count(one));
}
