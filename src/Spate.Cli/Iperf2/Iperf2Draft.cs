using System.Net.Sockets;

namespace Spate.Cli.Iperf2;

/// <summary>What the options of a command line have set, before they are checked against each other.</summary>
internal sealed class Iperf2Draft
{
    public bool IsServer { get; set; }

    public string? Host { get; set; }

    public bool IsUdp { get; set; }

    public int Port { get; set; } = Spate.Measurement.Iperf2.Iperf2ClientOptions.DefaultPort;

    public string? Bind { get; set; }

    public bool IsIPv6 { get; set; }

    public TimeSpan Interval { get; set; }

    public TimeSpan? Duration { get; set; }

    public long? Bytes { get; set; }

    public int? SizeBytes { get; set; }

    public Iperf2Rate? Rate { get; set; }

    public int FlowCount { get; set; } = 1;

    public int? MaxFlows { get; set; }

    public int? BufferBytes { get; set; }

    public int? TrafficClass { get; set; }

    public int? TimeToLive { get; set; }

    public char Format { get; set; } = 'a';

    public List<string> Notices { get; } = [];

    public AddressFamily Family => IsIPv6 ? AddressFamily.InterNetworkV6 : AddressFamily.InterNetwork;
}
