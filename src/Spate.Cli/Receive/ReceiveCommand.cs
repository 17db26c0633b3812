using System.CommandLine;
using System.Net;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Traffic;
using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Receive;

/// <summary><c>spate receive</c>: counts datagrams and, of those from <c>spate send</c>, the lost ones.</summary>
internal static class ReceiveCommand
{
    public static Command Create(Streams streams)
    {
        var command = new Command(
            "receive",
            "Receive datagrams from any program, and report count, rate and packet loss. A build that is not "
            + "native code first warms up over loopback for at most 0.3 s.");
        var options = new ReceiveOptionSet();
        options.AddTo(command);
        command.SetAction(parsed => Run(options.Read(parsed), streams));
        ExampleHelp.AddTo(
            command,
            "spate receive                            port 9999, until Ctrl-C",
            "spate receive 127.0.0.1:5000 --seconds 10 --json -",
            "spate receive [::]:9999 --flows 2 --cpu 2,3 --buffer 64M",
            "spate receive --count 1000 --interval 0  end after 1000 datagrams, summary only",
            "spate receive --seconds 10 --fail-if 'lostPercent > 0.1'");
        return command;
    }

    private static int Run(ReceiveRunOptions settings, Streams streams)
    {
        using var output = ReportOutput.Open(settings.Traffic.Report, streams);
        using var stop = new StopSignal(streams);
        using TrafficReceiver receiver = Open(settings, streams);
        TrafficSetup.Describe(
            receiver.FirstSocket,
            settings.Traffic.Transport,
            isReceiver: true,
            $"receiving at {receiver.LocalEndPoint}",
            streams);
        var text = new TrafficText(
            streams.PageBeside(output), isReceiver: true, settings.Traffic.ShowsAllCores, settings.Traffic.IsVerbose);
        TrafficReport report = receiver.Run(text.WriteInterval, stop.Token);
        text.WriteSummary(report);
        return output.Finish(report);
    }

    private static TrafficReceiver Open(ReceiveRunOptions settings, Streams streams)
    {
        TrafficReceiverOptions options = TrafficSetup.Complete(
            new TrafficReceiverOptions
            {
                Local = UdpEndPoint.FromIPEndPoint(settings.Local),
                Accounting = settings.Accounting,
            },
            settings.Traffic,
            [settings.Local],
            isReceiver: true,
            streams);
        TrafficWarmUp.Receive(options, new TrafficText(TerminalWriter.None, isReceiver: true).WriteInterval);
        return TrafficReceiver.Open(options);
    }
}

/// <summary>The options of <c>spate receive</c>.</summary>
internal sealed class ReceiveOptionSet
{
    private readonly Argument<string?> _local = new("local")
    {
        HelpName = "ADDRESS:PORT",
        Description = "Address to listen on, IPv6 as [ADDRESS]:PORT; joins a multicast group. Default: 0.0.0.0:9999, "
            + "with -6 [::]:9999.",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<bool> _noAccounting = OptionText.CreateFlag(
        "--no-accounting", "Read only the peer, length and first byte of each datagram; no loss is reported.");

    private readonly AccountingOptionSet _accounting = new();
    private readonly TrafficOptionSet _traffic = new(
        "received", new ReportOptionSet(static () => TrafficJson.Default.TrafficReport), useless: "--no-gso");

    public void AddTo(Command command)
    {
        command.Add(_local);
        _accounting.AddTo(command);
        command.Add(_noAccounting);
        _traffic.AddTo(command);
    }

    public ReceiveRunOptions Read(ParseResult parsed)
    {
        string? text = parsed.GetValue(_local);
        TrafficRunOptions traffic = _traffic.Read(parsed);
        IPEndPoint local = EndPointText.ParseLocal(text, traffic.Family);
        return traffic.FlowCount == 1 || !UdpAddress.FromIPAddress(local.Address).IsMulticast
            ? new ReceiveRunOptions(traffic, local, ReadAccounting(parsed))
            : throw CommandException.WrongUse(
                $"--flows {traffic.FlowCount} cannot share the group {local.Address}: each socket would get all "
                + "its datagrams: leave --flows out");
    }

    private AccountingOptions? ReadAccounting(ParseResult parsed)
    {
        AccountingOptions accounting = _accounting.Read(parsed);
        if (!parsed.GetValue(_noAccounting)) return accounting;
        return accounting == new AccountingOptions()
            ? null
            : throw CommandException.WrongUse(
                "--no-accounting excludes --deadline and --verify: leave it out, or those");
    }
}

/// <summary>The request to <c>spate receive</c>, checked. Null accounting: test data is not counted.</summary>
internal sealed record ReceiveRunOptions(TrafficRunOptions Traffic, IPEndPoint Local, AccountingOptions? Accounting);
