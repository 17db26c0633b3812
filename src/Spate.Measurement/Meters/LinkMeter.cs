using System.Net;
using Spate.HostTuning.Cpus;
using Spate.HostTuning.Interfaces;
using Spate.HostTuning.Interrupts;
using Spate.Measurement.Cores;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Meters;

/// <summary>The interfaces of a run: their links, their interrupts, and which of their queues were used.</summary>
internal sealed class LinkMeter
{
    private readonly IReadOnlyList<InterfaceFacts> _interfaces;
    private readonly IReadOnlyList<InterfaceInterrupts> _interrupts;
    private readonly IReadOnlyDictionary<int, long> _countsBefore;

    /// <summary>Begins to watch the interfaces.</summary>
    /// <param name="interfaces">The interfaces of the run.</param>
    public LinkMeter(IReadOnlyList<InterfaceFacts> interfaces)
    {
        _interfaces = interfaces;
        _interrupts = InterfaceInterrupts.ReadAll([.. interfaces.Select(static one => one.Name)]);
        _countsBefore = HasInterrupts ? InterruptCounts.Read() : new Dictionary<int, long>();
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
        var found = new HashSet<string>(StringComparer.Ordinal);
        foreach ((UdpEndPoint local, UdpEndPoint remote) in ends.Distinct())
        {
            found.UnionWith(NamesOf(local, remote, all));
        }

        return new LinkMeter([.. all.Where(one => found.Contains(one.Name))]);
    }

    /// <summary>Notes the CPUs that handle the interfaces' interrupts, or that packets are steered to.</summary>
    public void AddTo(CorePlaces places)
    {
        foreach (int cpu in _interrupts.SelectMany(static one => one.CpuNumbers.Concat(one.SteeredCpuNumbers)))
        {
            places.AddRole(cpu, CorePlaces.InterruptRole);
        }
    }

    /// <summary>The links, as they are now.</summary>
    public LinkReport[] Report()
    {
        IReadOnlyDictionary<int, long> counts = HasInterrupts ? InterruptCounts.Read() : _countsBefore;
        return [.. _interfaces.Select((network, i) =>
        {
            var link = LinkFacts.Read(network.Name);
            return new LinkReport
            {
                Interface = network.Name,
                MtuBytes = network.MtuBytes,
                SpeedBitsPerSecond = link.SpeedBitsPerSecond,
                ReceiveQueues = link.ReceiveQueues,
                ReceiveQueuesInUse = InUse(_interrupts[i], counts),
                SendQueues = link.SendQueues,
                Node = _interrupts[i].Node,
                InterruptCpuList = CpuList.Format(_interrupts[i].CpuNumbers),
            };
        })];
    }

    private int? InUse(InterfaceInterrupts interrupts, IReadOnlyDictionary<int, long> counts)
    {
        InterfaceInterrupt[] ofArrivals =
            [.. interrupts.Interrupts.Where(static one => one.Direction != InterruptDirection.Send)];
        return ofArrivals.Length == 0 ? null : ofArrivals.Count(one =>
            counts.GetValueOrDefault(one.Number) != _countsBefore.GetValueOrDefault(one.Number));
    }

    // What goes to one of the host's own addresses takes the loopback.
    private static IEnumerable<string> NamesOf(
        UdpEndPoint local, UdpEndPoint remote, IReadOnlyList<InterfaceFacts> all)
    {
        bool isHere = remote.IsDefault
            ? IPAddress.IsLoopback(local.Address)
            : LocalAddresses.Contains(remote.Address);
        if (isHere) return all.Where(static one => one.IsLoopback).Select(static one => one.Name);

        return ServingInterfaces.Find(local.Address, all).Names;
    }
}
