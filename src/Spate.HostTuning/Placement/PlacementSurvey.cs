using System.Net;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Interrupts;

namespace Spate.HostTuning.Placement;

/// <summary>Gathers for <see cref="CpuPlan"/> what this host knows about the traffic of a test.</summary>
internal static class PlacementSurvey
{
    /// <summary>
    /// Reads interfaces, interrupts, and the other end where it runs on this machine. <c>ends</c>: where the threads
    /// receive, or from where they send: this machine's address, with the receiver's port. For a sender to this machine
    /// the address is a loopback address. <c>ownsPort</c>: whether the port is this end's own, so that the other end's
    /// sockets are connected to it; null (the default) if it is the receiver's. The server of a test has the port also
    /// where it sends.
    /// </summary>
    /// <returns>The request. What cannot be read is left out.</returns>
    public static CpuPlanOptions Read(
        CpuFacts cpus,
        IReadOnlyList<IPEndPoint> ends,
        int threadCount,
        bool isReceiver,
        IReadOnlyList<InterfaceFacts> interfaces,
        string rootPath = "/",
        bool? ownsPort = null)
    {
        bool isOwnPort = ownsPort ?? isReceiver;
        CpuPlanOptions request = ReadTraffic(
            [.. ends.Select(static end => end.Address)], threadCount, isReceiver, interfaces, rootPath);
        LocalEnd[] others = [.. ends.Select(end => end.Port).Distinct()
            .Select(port => LocalEnd.Find(port, findReceiver: !isOwnPort, rootPath))];
        List<int> seen = CpuList.Distinct(others.SelectMany(static other => other.PinnedCpus));
        if (isReceiver || !request.IsLoopback || seen.Count > 0)
        {
            // A sender to another machine has its receiver there: sockets of this machine are not its other end.
            return isReceiver || request.IsLoopback ? request with { OtherEndCpus = seen } : request;
        }

        return request with
        {
            // What is connected to this end's own port includes sockets that receive no data.
            OtherEndCpus = ExpectReceiver(cpus, ends, isOwnPort ? [] : others, threadCount, interfaces, rootPath),
            OtherEndIsExpected = true,
        };
    }

    // Places a receiver that has not pinned its threads yet, or has not started. Otherwise both ends could choose the
    // same CPU, because a receiver at 0.0.0.0 avoids a card's interrupts and a sender on the loopback knows of none.
    private static List<int> ExpectReceiver(
        CpuFacts cpus,
        IReadOnlyList<IPEndPoint> ends,
        LocalEnd[] others,
        int threadCount,
        IReadOnlyList<InterfaceFacts> interfaces,
        string rootPath)
    {
        int sockets = others.Sum(static other => other.SocketCount);
        IPAddress[] bound = [.. others.Select(static other => other.BoundTo).OfType<IPAddress>()];
        CpuPlanOptions receiver = ReadTraffic(
            bound.Length > 0 ? bound : [.. ends.Select(static end => end.Address)],
            sockets > 0 ? sockets : threadCount,
            isReceiver: true,
            interfaces,
            rootPath);
        return CpuList.Distinct(CpuPlan.Make(cpus, receiver).Threads.Select(static thread => thread.Number));
    }

    private static CpuPlanOptions ReadTraffic(
        IReadOnlyList<IPAddress> addresses,
        int threadCount,
        bool isReceiver,
        IReadOnlyList<InterfaceFacts> interfaces,
        string rootPath)
    {
        ServingInterfaces[] serving =
            [.. addresses.Distinct().Select(address => ServingInterfaces.Find(address, interfaces, rootPath))];
        string[] names = [.. serving.SelectMany(static found => found.Names).Distinct(StringComparer.Ordinal)];
        return new CpuPlanOptions
        {
            ThreadCount = threadCount,
            IsReceiver = isReceiver,
            IsLoopback = serving.Length > 0 && serving.All(static found => found.IsLoopback),
            Interfaces = InterfaceInterrupts.ReadAll(names, rootPath),
        };
    }
}
