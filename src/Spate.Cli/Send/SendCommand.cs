using System.CommandLine;
using System.Net;
using System.Net.Sockets;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Traffic;
using Spate.HostTuning.Reading.Interfaces;
using Spate.Measurement.Counting;
using Spate.Measurement.Pacing;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Send;

/// <summary><c>spate send</c>: sends numbered datagrams to one or several targets.</summary>
internal static class SendCommand
{
    public static Command Create(Streams streams)
    {
        var command = new Command(
            "send",
            "Send numbered datagrams, so that spate receive can count the loss. A build that is not native "
            + "code first warms up over loopback for at most 0.3 s. Pacing uses part of a CPU per flow "
            + "(measured: 2 % at 1000/s, 11 % at 50k/s), and a whole CPU from 2M/s on or with --pace spin: "
            + $"see {DocsAnchor.SendRate}.");
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
        TrafficSetup.Describe(
            sender.FirstSocket, settings.Traffic.Transport, isReceiver: false, $"sending to {targets}", streams);
        var text = new TrafficText(
            streams.PageBeside(output), isReceiver: false, settings.Traffic.ShowsAllCores, settings.Traffic.IsVerbose);
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
            string where = settings.Targets.Count == 1 ? "on that port" : "on the port of one of the targets";
            streams.Warn($"ICMP errors arrived: probably no program listens {where}", DocsAnchor.ClosedPort);
        }

        return output.Finish(report, report is { Datagrams: 0, Refused: > 0 } ? ExitCode.CouldNotRun : ExitCode.Done);
    }

    private static TrafficSender Open(SendOptions settings, Streams streams)
    {
        TrafficSenderOptions options = TrafficSetup.Complete(
            settings.Sender,
            settings.Traffic,
            settings.Targets.Select(static target => TrafficSetup.OwnEnd(target.EndPoint)),
            isReceiver: false,
            streams);
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

/// <summary>The options of <c>spate send</c>.</summary>
internal sealed class SendOptionSet
{
    private const int MaxTargetCount = 256;

    private readonly Argument<string[]> _targets = new("targets")
    {
        HelpName = "HOST[:PORT]",
        Description = "The target: a name or an address, IPv6 as [ADDRESS]:PORT. Default port: 9999. "
            + "Several targets share the load.",
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Option<bool> _verify = OptionText.CreateFlag(
        "--verify", "Add a checksum to every datagram, for spate receive --verify.");

    private readonly SendLoad _load = new(minSizeBytes: 0);
    private readonly TrafficOptionSet _traffic = new(
        "sent", new ReportOptionSet(static () => TrafficJson.Default.TrafficReport), useless: "--no-gro");

    public void AddTo(Command command)
    {
        command.Add(_targets);
        _load.AddTo(command);
        command.Add(_verify);
        _traffic.AddTo(command);
    }

    public SendOptions Read(ParseResult parsed)
    {
        TrafficRunOptions traffic = _traffic.Read(parsed);
        List<Target> targets = ReadTargets(parsed.GetValue(_targets) ?? [], traffic.Family);

        var notices = new List<string>();
        (int sizeBytes, Rate rate, PaceMode? pace) = _load.Read(parsed, targets, notices);

        // Without an end of its own, a forgotten run could flood a network for ever.
        bool isEndless = traffic is { Duration: null, DatagramCount: null };
        return new SendOptions(
            isEndless ? traffic with { Duration = SendLoad.DefaultDuration } : traffic,
            targets,
            new TrafficSenderOptions
            {
                Targets = [.. targets.Select(static target => UdpEndPoint.FromIPEndPoint(target.EndPoint))],
                SizeBytes = sizeBytes,
                Checksums = ReadChecksums(parsed, sizeBytes),
                DatagramsPerSecond = rate.ForSize(sizeBytes) ?? double.PositiveInfinity,
                Pace = pace,
            },
            notices);
    }

    private bool ReadChecksums(ParseResult parsed, int sizeBytes)
    {
        if (!parsed.GetValue(_verify)) return false;
        return sizeBytes >= TestDatagram.ChecksummedHeaderBytes
            ? true
            : throw CommandException.WrongUse($"--verify needs room for the checksum, and --size is {sizeBytes}: "
                + $"expected at least {TestDatagram.ChecksummedHeaderBytes} bytes");
    }

    private static List<Target> ReadTargets(string[] texts, AddressFamily? family)
    {
        if (texts.Length > MaxTargetCount)
        {
            throw CommandException.WrongUse(
                $"{texts.Length} targets are too many: expected at most {MaxTargetCount}");
        }

        var targets = new List<Target>(texts.Length);
        foreach (string text in texts)
        {
            IPEndPoint endPoint = EndPointText.ParseTarget(text, family);
            targets.Add(new Target(text, endPoint, LocalAddresses.Contains(endPoint.Address)));
        }

        return targets;
    }
}

/// <summary>The request to <c>spate send</c>, checked, with all names resolved.</summary>
/// <param name="Sender">Without the options of <paramref name="Traffic"/>; its CPUs are chosen later.</param>
internal sealed record SendOptions(
    TrafficRunOptions Traffic,
    IReadOnlyList<Target> Targets,
    TrafficSenderOptions Sender,
    IReadOnlyList<string> Notices);
