using System.Net;
using System.Net.Sockets;
using Spate.Cli.Host;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interfaces;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Traffic;

/// <summary>Steps before a run that <c>send</c>, <c>receive</c> and <c>serve</c> share.</summary>
internal static class TrafficSetup
{
    /// <summary>
    /// Returns the CPUs to pin threads to: those that were named, or with <c>auto</c> those of a plan, which a notice
    /// explains. Warns about CPUs that share a core with interrupts or with the other end.
    /// </summary>
    /// <param name="ends">
    /// This end's own addresses, each with the receiver's port; see <see cref="OwnEnd"/>. Looked up only where needed,
    /// since that takes start time.
    /// </param>
    public static IReadOnlyList<int> ChooseCpus(
        CpuChoice choice,
        int threadCount,
        IEnumerable<IPEndPoint> ends,
        bool isReceiver,
        Streams streams,
        bool? ownsPort = null)
    {
        if (!choice.IsAutomatic && choice.Numbers.Count == 0) return [];

        CpuFacts cpus = CpuFacts.Read();
        CpuPlanOptions request = PlacementSurvey.Read(
            cpus, [.. ends], threadCount, isReceiver, InterfaceFacts.ReadAll(), ownsPort: ownsPort);
        if (!choice.IsAutomatic)
        {
            IReadOnlyList<int> named = [.. choice.Numbers.Take(threadCount)];
            foreach (string warning in CpuPlan.Review(cpus, request, named))
            {
                streams.Warn(CpuText.Warning(warning), DocsAnchor.Cpus);
            }

            return choice.Numbers;
        }

        CpuPlan plan = CpuPlan.Make(cpus, request);
        Explain(plan, streams);
        return [.. plan.Threads.Select(static thread => thread.Number)];
    }

    /// <summary>The options of a run with those that all commands share, and on the CPUs that were chosen.</summary>
    /// <param name="ends">See <see cref="ChooseCpus"/>.</param>
    public static T Complete<T>(
        T own, TrafficRunOptions shared, IEnumerable<IPEndPoint> ends, bool isReceiver, Streams streams)
        where T : TrafficOptions
    {
        TrafficOptions options = own;
        return (T)(options with
        {
            FlowCount = shared.FlowCount,
            DatagramCount = shared.DatagramCount,
            Duration = shared.Duration,
            Interval = shared.Interval,
            Cpus = ChooseCpus(shared.Cpus, shared.FlowCount, ends, isReceiver, streams),
            PlacesBesidePeer = !shared.Cpus.IsAny,
            ShowsAllCores = shared.ShowsAllCores,
            Transport = shared.Transport,
        });
    }

    /// <summary>
    /// This machine's address towards another end, with that end's port. Datagrams between addresses of this machine
    /// take the loopback.
    /// </summary>
    public static IPEndPoint OwnEnd(IPEndPoint target) => new(
        LocalAddresses.Contains(target.Address)
            ? IPAddress.Loopback
            : LocalAddresses.Toward(target) ?? IPAddress.Any,
        target.Port);

    public static void Explain(CpuPlan plan, Streams streams)
    {
        foreach (string line in CpuText.Explain(plan))
        {
            streams.Notice(line);
        }
    }

    /// <summary>Notices why the automatic choice took a slower backend than the system could have.</summary>
    public static void TellFallback(UdpBackend asked, Streams streams)
    {
        if (asked == UdpBackend.Automatic && UdpCapabilities.Current.FallbackReason is { } reason)
        {
            streams.Warn($"a slower backend is used: {reason}", DocsAnchor.SlowerBackend);
        }
    }

    /// <summary>Notices how datagrams will be moved, and what of it is less than was asked for.</summary>
    public static void Describe(
        UdpSocket socket, TransportOptions transport, bool isReceiver, string what, Streams streams)
    {
        int grantedBytes = isReceiver ? socket.ReceiveBufferBytes : socket.SendBufferBytes;
        string offload = isReceiver
            ? socket.CoalescedReceive ? " with GRO" : ""
            : socket.SegmentedSend ? " with GSO" : "";
        streams.Notice($"{what}, backend {BackendText.NameOf(socket.Backend)}{offload}, "
            + $"buffer {Units.Bytes(grantedBytes)}");
        TellBuffer(transport, grantedBytes, isReceiver, streams);
        TellFallback(transport.Backend, streams);
    }

    /// <summary>
    /// Notices how to get the buffer of a transport, where the system granted less. Less than a receiver's default is
    /// noticed only below the library's, which is enough for most rates.
    /// </summary>
    public static void TellBuffer(TransportOptions transport, int grantedBytes, bool isReceiver, Streams streams)
    {
        if (grantedBytes >= (transport.BufferBytes ?? UdpSocketOptions.DefaultBufferBytes)) return;
        int askedBytes = isReceiver ? transport.ReceiveBufferBytes : transport.SendBufferBytes;
        TellBuffer(askedBytes, grantedBytes, isReceiver ? "net.core.rmem_max" : "net.core.wmem_max", streams);
    }

    public static void TellBuffer(int askedBytes, int grantedBytes, string sysctl, Streams streams)
    {
        if (grantedBytes >= askedBytes) return;
        streams.Warn(BufferText(askedBytes, grantedBytes, sysctl, OperatingSystem.IsLinux()), DocsAnchor.Buffer);
    }

    internal static string BufferText(int askedBytes, int grantedBytes, string sysctl, bool isLinux)
    {
        string granted = $"the system granted {Units.Bytes(grantedBytes)} of the requested {Units.Bytes(askedBytes)}";
        return isLinux ? $"{granted}: as root, sysctl -w {sysctl}={askedBytes} allows it" : granted;
    }
}

/// <summary>Reads the end points that a server listens at.</summary>
internal static class LocalEndPoints
{
    private const int MaxCount = 64;

    public static UdpEndPoint[] Read(string[] texts, AddressFamily? family)
    {
        if (texts.Length == 0) return [UdpEndPoint.FromIPEndPoint(EndPointText.ParseLocal(text: null, family))];

        if (texts.Length > MaxCount)
        {
            throw CommandException.WrongUse(
                $"{texts.Length} addresses are too many: expected at most {MaxCount}");
        }

        var locals = new List<UdpEndPoint>(texts.Length);
        foreach (string text in texts)
        {
            UdpEndPoint local = UdpEndPoint.FromIPEndPoint(EndPointText.ParseLocal(text, family));
            if (local.Address.IsMulticast)
            {
                throw CommandException.WrongUse(
                    $"{text} is a multicast group, which spate serve does not join: use spate receive {text}");
            }

            if (local.Port != 0 && locals.Contains(local))
            {
                throw CommandException.WrongUse($"{local} is given twice: give it once");
            }

            locals.Add(local);
        }

        return [.. locals];
    }
}
