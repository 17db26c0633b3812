using System.Net;
using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf2.Ends;
using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Getopt;
using Spate.Cli.Shell.Options;
using Spate.Measurement.Traffic;

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
            throw Iperf2OptionTable.All.Wrong("-d and -r exclude each other: use one of them");
        }

        Reverse = reverse;
    }
}

/// <summary>Turns a command line into the options of a server or a client, and says what is wrong with it.</summary>
internal static class Iperf2Arguments
{
    public static Iperf2Options Read(GetoptLine line)
    {
        Iperf2Options draft = Iperf2OptionTable.All.Read(line);
        if (!draft.IsUdp) throw Wrong("only UDP is supported: add -u, or use iperf for TCP");

        if (draft is { IsServer: false, ListenPort: not null, Reverse: Iperf2Reverse.None })
        {
            throw Wrong("-L is the port on which -d and -r listen: add one of them");
        }

        if (draft is { ReverseLimit: not null, AllowsReverse: false })
        {
            throw Wrong("--reverse-limit needs --allow-reverse: add it");
        }

        if (draft is { IsServer: true, SizeBytes: not null })
        {
            draft.Notices.Add("-l has no effect with -s: datagrams of every length are read");
        }

        return draft;
    }

    public static Iperf2ServerOptions ServerOf(Iperf2Options draft)
    {
        UdpEndPoint local = draft.Bind is { } bind ? Resolve(bind, draft, draft.Port)
            : draft.IsIPv6 ? UdpEndPoint.IPv6Any(draft.Port)
            : UdpEndPoint.Any(draft.Port);
        var options = new Iperf2ServerOptions
        {
            Local = local,
            Interval = draft.Interval,
            AllowReverse = draft.AllowsReverse,
            Transport = TransportOf(draft),
        };
        if (draft.ReverseLimit is { } limit) options = options with { MaxReverseBitsPerSecond = limit };
        return draft.MaxFlows is { } most ? options with { MaxFlows = most } : options;
    }

    public static Iperf2ClientOptions ClientOf(Iperf2Options draft)
    {
        var options = new Iperf2ClientOptions
        {
            Server = Resolve(draft.Host!, draft, draft.Port),
            Local = draft.Bind is { } bind ? Resolve(bind, draft, port: 0) : default,
            SizeBytes = draft.SizeBytes,
            ByteCount = draft.Bytes,
            FlowCount = draft.FlowCount,
            Reverse = draft.Reverse,
            ListenPort = draft.ListenPort,
            Interval = draft.Interval,
            TimeToLive = draft.TimeToLive,
            Transport = TransportOf(draft),
        };
        if (options.Local is { IsDefault: false, Port: > 0 } && options.FlowCount > 1)
        {
            throw Wrong("-B sets a port, which only one flow can use: leave out the port or -P");
        }

        if (options.Reverse != Iperf2Reverse.None && options.Size < Iperf2Settings.Bytes)
        {
            throw Wrong(
                $"-d and -r need datagrams of at least {Iperf2Settings.Bytes} bytes, to carry the port: raise -l");
        }

        return options with
        {
            Duration = draft.Duration ?? options.Duration,
            DatagramsPerSecond = draft.Rate?.DatagramsPerSecond(options.Size),
        };
    }

    private static CommandException Wrong(string message) => Iperf2OptionTable.All.Wrong(message);

    private static TransportOptions TransportOf(Iperf2Options draft) =>
        new() { TrafficClass = draft.TrafficClass, BufferBytes = draft.BufferBytes };

    private static UdpEndPoint Resolve(string text, Iperf2Options draft, int port)
    {
        HostPort host = HostPort.Parse(text);
        bool isAddress = IPAddress.TryParse(host.Host, out IPAddress? given);
        AddressFamily family = isAddress ? given!.AddressFamily : draft.Family;
        var end = new UdpEndPoint(HostResolver.Resolve(host.Host, family), host.Port ?? port);
        return end.Address.IsMulticast
            ? throw Wrong($"'{text}' is a multicast group, which is not supported: use spate send and spate receive")
            : end;
    }
}
