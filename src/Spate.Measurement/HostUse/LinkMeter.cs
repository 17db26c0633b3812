using System.Net;
using Spate.HostTuning.Counters;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Interrupts;
using Spate.Measurement.Reports;

namespace Spate.Measurement.HostUse;

/// <summary>The interfaces of a run: their links, their interrupts, and which of their queues were used.</summary>
internal sealed class LinkMeter
{
    private readonly string _rootPath;
    private readonly IReadOnlyList<InterfaceFacts> _interfaces;
    private readonly IReadOnlyList<InterfaceInterrupts> _interrupts;
    private readonly IReadOnlyDictionary<int, long> _countsBefore;

    public LinkMeter(IReadOnlyList<InterfaceFacts> interfaces, string rootPath = "/")
    {
        _rootPath = rootPath;
        _interfaces = interfaces;
        _interrupts = InterfaceInterrupts.ReadAll([.. interfaces.Select(static one => one.Name)], rootPath);
        _countsBefore = HasInterrupts ? InterruptTable.ReadCounts(rootPath) : new Dictionary<int, long>();
    }

    private bool HasInterrupts => _interrupts.Any(static one => one.Interrupts.Count > 0);

    /// <summary>Without a remote end, everything that reaches the local address counts.</summary>
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

    public LinkReport[] Report()
    {
        IReadOnlyDictionary<int, long> counts = HasInterrupts ? InterruptTable.ReadCounts(_rootPath) : _countsBefore;
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

/// <summary>The link of an interface that a run used. A value is null where the system does not tell.</summary>
internal sealed record LinkReport
{
    public string Interface { get; set; } = "";

    public int? MtuBytes { get; set; }

    /// <summary>A bond's is the sum of its sending members. Null for a loopback and most virtual ones.</summary>
    public long? SpeedBitsPerSecond { get; set; }

    /// <summary>
    /// Itself for a card, those below for a bond, bridge or VLAN: the rest is of these together. Empty for a loopback
    /// or veth, whose queues are its own.
    /// </summary>
    public string[] Devices { get; set; } = [];

    public int? ReceiveQueues { get; set; }

    /// <summary>Of these, the ones whose interrupts came during the run; null without interrupts of its own.</summary>
    public int? ReceiveQueuesInUse { get; set; }

    public int? SendQueues { get; set; }

    /// <summary>The NUMA node of the devices; null where it is not told, and where they are on several.</summary>
    public int? Node { get; set; }

    public string InterruptCpuList { get; set; } = "";

    /// <summary>What decides how fast it is, as a part of a setting.</summary>
    internal string SettingText => $"{Interface} mtu {ReportSetting.Text(MtuBytes)} speed "
        + $"{ReportSetting.Text(SpeedBitsPerSecond)} queues {ReportSetting.Text(ReceiveQueues)}";

    public override string ToString() => RecordText.Of(nameof(LinkReport), PrintMembers, (nameof(Devices), Devices));
}

/// <summary>Tells which interfaces a socket's datagrams take.</summary>
internal static class FlowInterfaces
{
    /// <summary>None if unknown. Without a peer, everything that reaches the local address counts.</summary>
    public static InterfaceFacts[] Find(IPAddress local, UdpEndPoint remote, IReadOnlyList<InterfaceFacts> all)
    {
        if (remote.IsDefault)
        {
            var serving = ServingInterfaces.Find(local, all);
            return [.. all.Where(one =>
                serving.IsLoopback ? one.IsLoopback : serving.Names.Contains(one.Name, StringComparer.Ordinal))];
        }

        // What goes to one of the host's own addresses takes the loopback.
        if (LocalAddresses.Contains(remote.Address.ToIPAddress())) return [.. all.Where(static one => one.IsLoopback)];

        // The route may use another interface than the one that has the socket's address. The address of a service is
        // often the loopback's, which carries none of its datagrams.
        IPAddress routed = LocalAddresses.Toward(remote.ToIPEndPoint()) ?? local;
        return [.. all.Where(one =>
            !one.IsLoopback && (one.Addresses.Contains(local) || one.Addresses.Contains(routed)))];
    }
}

/// <summary>What the host has counted for all programs of its maker's namespace. One thread at a time.</summary>
internal sealed class HostMeter : IDisposable
{
    private readonly NetworkCounterReader _reader = new();
    private readonly NetworkCounters _before;

    public HostMeter() => _before = _reader.Read();

    /// <summary>What the namespace has counted; null where it cannot be told from another one.</summary>
    public NetworkCounters? ReadCounters()
    {
        NetworkCounters counters = _reader.Read() - _before;
        return counters.NamespaceId.Length > 0 ? counters : null;
    }

    public void Dispose() => _reader.Dispose();
}
