using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf2.Ends;
using Spate.Cli.Iperf.Iperf2.Options;
using Spate.Cli.Iperf.Iperf2.Results;
using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Getopt;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Traffic;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf2;

/// <summary><c>spate iperf2</c>: a test by iperf 2's protocol, with its command line.</summary>
internal sealed class Iperf2Command : GetoptCommand
{
    public const string CommandName = "iperf2";

    public Iperf2Command(Streams streams)
        : base(
            CommandName,
            "A UDP test with iperf 2's protocol, with iperf 2 or spate at the other end, and exact loss. Options as "
            + "in iperf 2.",
            streams)
    {
    }

    public override IReadOnlyList<GetoptOption> Offered => Iperf2OptionTable.All.Offered;

    public override string HelpText => Iperf2Help.Text;

    protected override GetoptLine Parse(IReadOnlyList<string> args) => Iperf2OptionTable.All.Parse(args);

    protected override int Run(GetoptLine line)
    {
        Iperf2Options draft = Iperf2Arguments.Read(line);
        foreach (string notice in draft.Notices) Streams.Notice(notice);

        using var stop = new StopSignal(Streams);
        var text = new Iperf2Text(Streams.Output.WriteLine, draft.Format);
        return draft.IsServer ? Serve(draft, text, stop.Token) : Send(draft, text, stop.Token);
    }

    private static int Serve(Iperf2Options draft, Iperf2Text text, CancellationToken stop)
    {
        Iperf2ServerOptions options = Iperf2Arguments.ServerOf(draft);
        using var end = CancellationTokenSource.CreateLinkedTokenSource(stop);
        WarmUpReceiving(options.Transport);
        if (options.AllowReverse) WarmUpSending(options.Transport);
        using Iperf2Server server = Iperf2Server.Open(options);
        text.Describe(server);
        if (draft.Duration is { } duration) end.CancelAfter(duration);
        server.Run(text, end.Token);
        return ExitCode.Done;
    }

    private static int Send(Iperf2Options draft, Iperf2Text text, CancellationToken stop)
    {
        Iperf2ClientOptions options = Iperf2Arguments.ClientOf(draft);
        WarmUpSending(options.Transport);
        if (options.Reverse != Iperf2Reverse.None) WarmUpReceiving(options.Transport);
        using Iperf2Client client = Open(options);
        text.Describe(client, options);
        IReadOnlyList<Iperf2Sent> flows = client.Run(text, stop);
        if (!flows.Any(static sent => sent.Report is not null)) return ExitCode.CouldNotRun;
        if (options.Reverse == Iperf2Reverse.None || client.FlowsBack == options.FlowCount) return ExitCode.Done;

        if (client.FlowsBack > 0)
        {
            text.Tell(new IperfMessage(
                $"{client.FlowsBack} of {options.FlowCount} flows came back: spate sends at most 4 back"));
            return ExitCode.Done;
        }

        text.Tell(new IperfMessage(DocsAnchor.Append(
            "no datagram came back: spate at the server needs --allow-reverse, or a firewall drops them",
            DocsAnchor.NothingArrives)));
        return ExitCode.CouldNotRun;
    }

    private static Iperf2Client Open(Iperf2ClientOptions options)
    {
        try
        {
            return Iperf2Client.Open(options);
        }
        catch (SocketException fault) when (fault.SocketErrorCode == SocketError.AddressAlreadyInUse
            && options is { Reverse: not Iperf2Reverse.None, ListenPort: null })
        {
            // As of iperf 2, it is the number of the server's port, which on the same host is the server's.
            throw CommandException.Refused(
                $"{fault.Message.TrimEnd('.')}. -d and -r listen there unless -L sets another port",
                DocsAnchor.BusyPort,
                fault);
        }
    }

    private static void WarmUpSending(TransportOptions transport)
    {
        var nothing = new TrafficText(TerminalWriter.None, isReceiver: false);
        TrafficWarmUp.Send(
            new TrafficSenderOptions { Targets = [UdpEndPoint.Loopback(9)], Transport = transport },
            nothing.WriteInterval);
    }

    private static void WarmUpReceiving(TransportOptions transport)
    {
        var nothing = new TrafficText(TerminalWriter.None, isReceiver: true);
        TrafficWarmUp.Receive(new TrafficReceiverOptions { Transport = transport }, nothing.WriteInterval);
    }
}
