using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf2.Ends;
using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.Cli.Shell.Getopt;

namespace Spate.Cli.Iperf.Iperf2.Options;

/// <summary>What the options of <c>spate iperf2</c> have set.</summary>
internal sealed class Iperf2Options : GetoptOptions
{
    public Iperf2Options() => Port = Iperf2ClientOptions.DefaultPort;

    public bool IsIPv6 { get; set; }

    public TimeSpan? Duration { get; set; }

    public long? Bytes { get; set; }

    public int? SizeBytes { get; set; }

    public Iperf2Rate? Rate { get; set; }

    public int FlowCount { get; set; } = 1;

    public int? MaxFlows { get; set; }

    public int? BufferBytes { get; set; }

    public int? TrafficClass { get; set; }

    public int? TimeToLive { get; set; }

    public Iperf2Reverse Reverse { get; private set; }

    public int? ListenPort { get; set; }

    public bool AllowsReverse { get; set; }

    public long? ReverseLimit { get; set; }

    public char Format { get; set; } = 'a';

    public AddressFamily Family => IsIPv6 ? AddressFamily.InterNetworkV6 : AddressFamily.InterNetwork;

    /// <summary>Takes -d or -r, of which there can be one.</summary>
    public void AddReverse(Iperf2Reverse reverse)
    {
        if (Reverse != Iperf2Reverse.None && Reverse != reverse)
        {
            throw Iperf2OptionTable.All.Wrong("-d and -r contradict each other: give one of them");
        }

        Reverse = reverse;
    }
}
