using System.Globalization;
using System.Net;
using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Interrupts;
using Spate.HostTuning.Reading.Usage;

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

/// <summary>The sockets of the other end of a test where that end runs on this machine.</summary>
/// <param name="SocketCount">UDP sockets bound to the port, or connected to it.</param>
/// <param name="BoundTo">Of the first that is bound to the port; null for none.</param>
/// <param name="PinnedCpus">Empty for no pinned thread, or where the process may not be looked at.</param>
internal sealed record LocalEnd(int SocketCount, IPAddress? BoundTo, IReadOnlyList<int> PinnedCpus)
{
    // A test has one socket per flow; more sockets than this are not of one test.
    private const int MaxSockets = 1024;
    private const int MaxThreads = 1024;

    /// <summary>
    /// From <c>/proc/net/udp</c>, <c>udp6</c> and <c>/proc</c>; nothing on other systems, and nothing for port 0, which
    /// the system has yet to choose. <c>findReceiver</c>: bound to the port, or else connected to it.
    /// </summary>
    public static LocalEnd Find(int port, bool findReceiver, string rootPath = "/")
    {
        var files = new HostFiles(rootPath);
        var inodes = new HashSet<long>();
        IPAddress? boundTo = null;
        foreach (string path in port == 0 ? [] : (string[])["proc/net/udp", "proc/net/udp6"])
        {
            foreach (string line in files.ReadLines(path))
            {
                // sl local_address rem_address st queues timer retransmits uid timeout inode ...
                string[] words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
                if (words.Length > 9 && inodes.Count < MaxSockets
                    && TryParse(words[findReceiver ? 1 : 2], out IPAddress? address, out int found) && found == port
                    && long.TryParse(words[9], CultureInfo.InvariantCulture, out long inode))
                {
                    inodes.Add(inode);
                    boundTo ??= findReceiver ? address : null;
                }
            }
        }

        return new LocalEnd(inodes.Count, boundTo, inodes.Count == 0 ? [] : FindPinned(files, inodes));
    }

    // "0100007F:270F": the address as 32-bit words in the machine's own byte order, the port as a number.
    private static bool TryParse(string text, out IPAddress? address, out int port)
    {
        address = null;
        port = 0;
        int colon = text.IndexOf(':', StringComparison.Ordinal);
        if (colon is not (8 or 32) || !FileText.TryParseHex(text.AsSpan(colon + 1), out uint number) || number > 65_535)
        {
            return false;
        }

        Span<uint> words = stackalloc uint[4];
        int count = colon / 8;
        for (int i = 0; i < count; i++)
        {
            if (!FileText.TryParseHex(text.AsSpan(i * 8, 8), out words[i])) return false;
        }

        address = new IPAddress(MemoryMarshal.AsBytes(words[..count]));
        port = (int)number;
        return true;
    }

    // The threads that may run on one CPU only, in the processes that own these sockets.
    private static List<int> FindPinned(HostFiles files, IReadOnlySet<long> inodes)
    {
        var cpus = new List<int>();
        foreach (string process in SocketOwners.Find(files, inodes)
            .Select(static one => one.Process)
            .Distinct(StringComparer.Ordinal))
        {
            AddPinned(files, process, cpus);
        }

        return CpuList.Distinct(cpus);
    }

    private static void AddPinned(HostFiles files, string process, List<int> cpus)
    {
        string tasks = $"proc/{process}/task";
        foreach (string thread in files.ListNames(tasks, MaxThreads))
        {
            if (CpuFacts.ReadAllowed(files, $"{tasks}/{thread}/status") is [int only]) cpus.Add(only);
        }
    }
}
