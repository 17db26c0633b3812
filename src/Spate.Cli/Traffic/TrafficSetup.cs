using System.Net;
using Spate.Cli.Options;
using Spate.Cli.Output;
using Spate.Cli.Terminal;
using Spate.HostTuning.Cpus;
using Spate.HostTuning.Interfaces;
using Spate.HostTuning.Placement;

namespace Spate.Cli.Traffic;

/// <summary>What <c>send</c>, <c>receive</c> and <c>serve</c> do alike before a run.</summary>
internal static class TrafficSetup
{
    /// <summary>
    /// The CPUs to pin to, one a thread: as named, or chosen for <c>auto</c> and then explained. Warns about CPUs that
    /// share a core with interrupts or with the other end.
    /// </summary>
    /// <param name="choice">The value of <c>--cpu</c>. Without one nothing is read, and nothing is said.</param>
    /// <param name="threadCount">How many threads there will be.</param>
    /// <param name="ends">A receiver's own end points, or those that a sender sends to.</param>
    /// <param name="isReceiver">Whether the threads receive.</param>
    /// <param name="streams">Where the explanation goes.</param>
    public static IReadOnlyList<int> ChooseCpus(
        CpuChoice choice, int threadCount, IReadOnlyList<IPEndPoint> ends, bool isReceiver, Streams streams)
    {
        if (!choice.IsAutomatic && choice.Numbers.Count == 0) return [];

        CpuFacts cpus = CpuFacts.Read();
        IPEndPoint[] local = isReceiver ? [.. ends] : [.. ends.Select(FromHere)];
        CpuPlanRequest request = PlacementSurvey.Read(
            cpus, local, threadCount, isReceiver, InterfaceFacts.ReadAll());
        if (!choice.IsAutomatic)
        {
            IReadOnlyList<int> named = [.. choice.Numbers.Take(threadCount)];
            WriteLines(CpuPlan.Review(cpus, request, named).Select(CpuText.Warning), streams);
            return choice.Numbers;
        }

        CpuPlan plan = CpuPlan.Make(cpus, request);
        WriteLines(CpuText.Explain(plan), streams);
        return [.. plan.Threads.Select(static thread => thread.Number)];
    }

    // Where a sender's datagrams start out. Those to one of this machine's own addresses take the loopback.
    private static IPEndPoint FromHere(IPEndPoint target) => new(
        LocalAddresses.Contains(target.Address)
            ? IPAddress.Loopback
            : LocalAddresses.Toward(target) ?? IPAddress.Any,
        target.Port);

    private static void WriteLines(IEnumerable<string> lines, Streams streams)
    {
        foreach (string line in lines)
        {
            streams.Notice(line);
        }
    }

    /// <summary>Says why a backend that nobody named is a slower one than this system could have.</summary>
    public static void TellFallback(UdpBackend asked, Streams streams)
    {
        if (asked == UdpBackend.Automatic && UdpCapabilities.Current.Fallback is { } reason)
        {
            streams.Notice($"a slower backend is used: {reason}");
        }
    }

    /// <summary>Says which backend runs, and what would grant the buffer that was asked for.</summary>
    public static void Describe(UdpSocket socket, int askedBytes, bool isReceiver, string what, Streams streams)
    {
        int grantedBytes = isReceiver ? socket.ReceiveBufferBytes : socket.SendBufferBytes;
        string offload = isReceiver
            ? socket.CoalescedReceive ? " with GRO" : ""
            : socket.SegmentedSend ? " with GSO" : "";
        streams.Notice($"{what}, backend {BackendText.NameOf(socket.Backend)}{offload}, "
            + $"buffer {Units.Bytes(grantedBytes)}");
        TellBuffer(askedBytes, grantedBytes, isReceiver ? "net.core.rmem_max" : "net.core.wmem_max", streams);
    }

    /// <summary>Says what would grant the buffer that was asked for; nothing where it was granted.</summary>
    public static void TellBuffer(int askedBytes, int grantedBytes, string sysctl, Streams streams)
    {
        if (grantedBytes < askedBytes)
        {
            streams.Notice($"the system granted {Units.Bytes(grantedBytes)} of the {Units.Bytes(askedBytes)} "
                + $"asked for: as root, sysctl -w {sysctl}={askedBytes} allows it");
        }
    }
}
