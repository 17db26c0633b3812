using Spate.Cli.Options;
using Spate.Cli.Output;
using Spate.HostTuning;

namespace Spate.Cli.Commands;

/// <summary>What <c>send</c> and <c>receive</c> do alike around a run.</summary>
internal static class TrafficSetup
{
    /// <summary>A line beside the results: on stderr, cleaned.</summary>
    public static void Notice(Streams streams, string text) =>
        streams.Error.WriteLine("spate: " + SafeText.Clean(text, maximumLength: 500));

    /// <summary>The CPUs to pin to; explains an automatic choice.</summary>
    public static IReadOnlyList<int> ChooseCpus(TrafficSettings settings, bool isReceiver, Streams streams)
    {
        if (!settings.Cpus.IsAutomatic)
        {
            return settings.Cpus.Numbers;
        }

        IReadOnlyList<int> usable = CpuFacts.Read().UsableNumbers;
        IReadOnlyList<int> chosen = settings.Cpus.Resolve(settings.FlowCount, isReceiver, usable);
        string order = isReceiver ? "receivers begin at the last" : "senders begin at the first";
        Notice(streams, $"--cpu auto chose {string.Join(',', chosen)}: {order} of {CpuList.Format(usable)}, "
            + "so that both ends on one machine do not meet");
        return chosen;
    }

    /// <summary>Says which backend runs, and what would grant the buffer that was asked for.</summary>
    public static void Describe(UdpSocket socket, bool isReceiver, string what, Streams streams)
    {
        UdpCounters counters = socket.GetCounters();
        int askedBytes = isReceiver ? counters.ReceiveBufferAskedBytes : counters.SendBufferAskedBytes;
        int grantedBytes = isReceiver ? counters.ReceiveBufferGrantedBytes : counters.SendBufferGrantedBytes;
        string offload = isReceiver
            ? socket.CoalescedReceive ? " with GRO" : ""
            : socket.SegmentedSend ? " with GSO" : "";
        Notice(streams, $"{what}, backend {BackendText.NameOf(socket.Backend)}{offload}, "
            + $"buffer {Units.Bytes(grantedBytes)}");
        if (grantedBytes < askedBytes)
        {
            string sysctl = isReceiver ? "net.core.rmem_max" : "net.core.wmem_max";
            Notice(streams, $"the system granted {Units.Bytes(grantedBytes)} of the {Units.Bytes(askedBytes)} "
                + $"asked for: as root, sysctl -w {sysctl}={askedBytes} allows it");
        }
    }
}
