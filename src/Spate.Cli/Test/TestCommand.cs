using System.CommandLine;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Traffic;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Test;

/// <summary><c>spate test</c>: runs a test between two hosts that both run this tool.</summary>
internal static class TestCommand
{
    public static Command Create(Streams streams)
    {
        var command = new Command(
            "test",
            "A test between two spate hosts, with a verdict: which datagrams were lost, and where. One host runs it "
            + "with -s, the other one with -c.");
        var options = new TestOptionSet();
        options.AddTo(command);
        command.SetAction(parsed => options.IsServer(parsed)
            ? Serve(options.ReadServer(parsed), streams)
            : Run(options.ReadClient(parsed), streams));
        ExampleHelp.AddTo(
            command,
            "spate test -s                                      at one host: wait for clients at port 9999",
            "spate test -c hosta                                at the other one: send to it for 10 s",
            "spate test -c hosta -R --rate max --flows 4        let it send as fast as it can",
            "spate test -c hosta --bidir --rate 1Gbit --remote-cpu 3 --json report.json",
            "spate test -c hosta --fail-if 'directions[*].lostPercent > 0.1'");
        return command;
    }

    private static int Serve(TestServerRunOptions settings, Streams streams)
    {
        using var stop = new StopSignal(streams);
        TestServerOptions options = settings.Options with
        {
            AutomaticCpus = settings.Cpus.IsAutomatic,
            OnPlan = plan => TrafficSetup.Explain(plan, streams),
            Cpus = settings.Cpus.IsAutomatic ? [] : TrafficSetup.ChooseCpus(
                settings.Cpus, Math.Max(1, settings.Cpus.Numbers.Count), [settings.Local], isReceiver: true, streams),
            PlacesBesidePeer = !settings.Cpus.IsAny,
        };
        WarmUp(options.Transport, sends: true, receives: true);
        using TestServer server = TestServer.Open(options);
        streams.Notice($"waiting for tests at {server.LocalEndPoint}");
        TrafficSetup.TellFallback(options.Transport.Backend, streams);
        server.Run(streams.Notice, stop.Token);
        return ExitCode.Done;
    }

    private static int Run(TestClientRunOptions settings, Streams streams)
    {
        using var output = ReportOutput.Open(settings.Traffic.Report, streams);
        using var stop = new StopSignal(streams);
        foreach (string notice in settings.Notices)
        {
            streams.Notice(notice);
        }

        TestClientOptions options = settings.Options with
        {
            Cpus = TrafficSetup.ChooseCpus(
                settings.Traffic.Cpus,
                settings.Traffic.FlowCount,
                settings.Servers.Select(static server => TrafficSetup.OwnEnd(server.EndPoint)),
                isReceiver: settings.Options.Direction == TestDirection.Reverse,
                streams,
                ownsPort: false),
            PlacesBesidePeer = !settings.Traffic.Cpus.IsAny,
        };
        WarmUp(
            options.Transport,
            sends: options.Direction != TestDirection.Reverse,
            receives: options.Direction != TestDirection.Forward);
        using TestClient client = Connect(options, stop.Token);
        Describe(client, options, streams);
        var text = new TestText(streams.PageBeside(output), options.ShowsAllCores, settings.Traffic.IsVerbose);
        TestReport report = client.Run(text.WriteInterval, stop.Token);
        text.WriteSummary(report);
        return output.Finish(report);
    }

    private static TestClient Connect(TestClientOptions options, CancellationToken stop)
    {
        try
        {
            return TestClient.Connect(options, cancellationToken: stop);
        }
        catch (OperationCanceledException fault)
        {
            throw CommandException.Refused("stopped before the test began", DocsAnchor.None, fault);
        }
    }

    private static void Describe(TestClient client, TestClientOptions options, Streams streams)
    {
        bool receives = options.Direction == TestDirection.Reverse;
        TrafficSetup.Describe(
            client.FirstSocket,
            options.Transport,
            receives,
            $"test with {string.Join(' ', options.Servers)}",
            streams);
        TrafficSetup.TellFallback(options.Transport.Backend, streams);
        if (client.GrantedDatagramsPerSecond < options.DatagramsPerSecond)
        {
            streams.Notice($"the server allows {Units.PerSecond(client.GrantedDatagramsPerSecond.Value)} datagrams/s");
        }

        if (client.GrantedDuration < options.Duration)
        {
            streams.Notice($"the server allows {client.GrantedDuration.TotalSeconds:0.###} s");
        }
    }

    private static void WarmUp(TransportOptions transport, bool sends, bool receives)
    {
        var nothing = new TrafficText(TerminalWriter.None, isReceiver: false);
        if (sends)
        {
            var options = new TrafficSenderOptions { Targets = [UdpEndPoint.Loopback(9)], Transport = transport };
            TrafficWarmUp.Send(options, nothing.WriteInterval);
        }

        if (receives)
        {
            var options = new TrafficReceiverOptions { Transport = transport };
            TrafficWarmUp.Receive(options, nothing.WriteInterval);
        }
    }
}
