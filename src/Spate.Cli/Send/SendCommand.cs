using System.CommandLine;
using System.Net.Sockets;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Traffic;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Send;

/// <summary><c>spate send</c>: sends numbered datagrams to one or several targets.</summary>
internal static class SendCommand
{
    public static Command Create(Streams streams)
    {
        var command = new Command(
            "send",
            "Send datagrams, numbered so that spate receive can tell what was lost. Where the tool is not native "
            + "code, it first warms up over loopback for at most 0.3 s. Keeping a rate costs part of a CPU per flow "
            + "(2 % at 1000/s, 11 % at 50k/s where measured), from 2M/s on or with --pace spin a whole one: "
            + "docs/benchmarking.md says more.");
        var options = new SendOptionSet();
        options.AddTo(command);
        command.SetAction(parsed => Run(options.Read(parsed), streams));
        ExampleHelp.AddTo(
            command,
            "spate send localhost                              as fast as possible for 10 s",
            "spate send 192.0.2.1:9999 --rate 200k --size mtu  the largest datagrams that fit the path",
            "spate send [fe80::1%eth0]:5000 --count 1000 --size 20",
            "spate send hosta hostb --flows 2 --cpu 2,3 --rate 5Gbit --json report.json",
            "spate send 127.0.0.1 --rate 5Gbit --fail-if 'bitsPerSecond < 4.9Gbit'");
        return command;
    }

    private static int Run(SendOptions settings, Streams streams)
    {
        using var output = ReportOutput.Open(settings.Traffic.Report, streams);
        using var stop = new StopSignal(streams);
        foreach (string notice in settings.Notices)
        {
            streams.Notice(notice);
        }

        using TrafficSender sender = Open(settings, streams);
        string targets = string.Join(' ', settings.Targets.Select(static target => target.EndPoint));
        TransportOptions transport = settings.Traffic.Transport;
        TrafficSetup.Describe(
            sender.FirstSocket, transport, isReceiver: false, $"sending to {targets}", streams);
        TrafficSetup.TellFallback(transport.Backend, streams);
        var text = new TrafficText(
            streams.PageBeside(output), isReceiver: false, settings.Traffic.ShowsAllCores);
        TrafficReport report = sender.Run(text.WriteInterval, stop.Token);
        text.WriteSummary(report);
        if (report.Refused > 0)
        {
            string all = report.Datagrams == 0 ? "nothing could be sent: " : "";
            streams.Warn(
                $"{all}the system refused {report.Refused} datagrams: {Describe(sender.FirstError)}",
                DocsAnchor.SendErrors);
        }

        if (sender.ClosedPortErrors > 0 && report.Datagrams > 0)
        {
            string where = settings.Targets.Count == 1 ? "at that port" : "at the port of one of the targets";
            streams.Warn($"ICMP errors came back: probably nobody receives {where}", DocsAnchor.ClosedPort);
        }

        return output.Finish(report, report is { Datagrams: 0, Refused: > 0 } ? ExitCode.CouldNotRun : ExitCode.Done);
    }

    private static TrafficSender Open(SendOptions settings, Streams streams)
    {
        TrafficRunOptions traffic = settings.Traffic;
        var options = new TrafficSenderOptions
        {
            Targets = [.. settings.Targets.Select(static target => UdpEndPoint.FromIPEndPoint(target.EndPoint))],
            SizeBytes = settings.SizeBytes,
            Checksums = settings.Checksums,
            DatagramsPerSecond = settings.Rate.ForSize(settings.SizeBytes) ?? double.PositiveInfinity,
            Pace = settings.Pace,
            FlowCount = traffic.FlowCount,
            DatagramCount = traffic.DatagramCount,
            Duration = traffic.Duration,
            Interval = traffic.Interval,
            Cpus = TrafficSetup.ChooseCpus(
                traffic.Cpus,
                traffic.FlowCount,
                settings.Targets.Select(static target => TrafficSetup.OwnEnd(target.EndPoint)),
                isReceiver: false,
                streams),
            PlacesBesidePeer = !traffic.Cpus.IsAny,
            ShowsAllCores = traffic.ShowsAllCores,
            Transport = traffic.Transport,
        };
        TrafficWarmUp.Send(options, new TrafficText(TerminalWriter.None, isReceiver: false).WriteInterval);
        return TrafficSender.Open(options);
    }

    private static string Describe(SocketError error) => error switch
    {
        SocketError.MessageSize => "too large for the path",
        SocketError.NetworkUnreachable or SocketError.HostUnreachable => "no route",
        SocketError.AccessDenied => "not permitted (a firewall rule, or a broadcast address)",
        _ => error.ToString(),
    };
}
