using System.CommandLine;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Traffic;
using Spate.HostTuning.Reading.Interfaces;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Cli.Serve;

/// <summary><c>spate serve</c>: runs a server of any design and measures each of its threads.</summary>
internal static class ServeCommand
{
    public static Command Create(Streams streams)
    {
        var command = new Command(
            "serve", "Serve datagrams with several threads, and report the load of each thread.");
        var options = new ServeOptionSet();
        options.AddTo(command);
        command.SetAction(parsed => Run(options.Read(parsed), streams));
        ExampleHelp.AddTo(
            command,
            "spate serve                              count at port 9999, one thread per CPU, until Ctrl-C",
            "spate serve --design adaptive --work 500 --once --json -",
            "spate serve 127.0.0.1:7000 [::1]:7000 --app echo --threads 2 --cpu 0,1",
            "spate serve --app relay --to 127.0.0.1:5000 --to 127.0.0.1:5001",
            "spate serve --once --fail-if 'processedPercent < 99.9'");
        return command;
    }

    private static int Run(ServeRunOptions settings, Streams streams)
    {
        if (settings.Serve.Design.UnavailableReason is { } reason)
        {
            throw CommandException.Refused(reason, DocsAnchor.NotSupported);
        }

        using var output = ReportOutput.Open(settings.Traffic.Report, streams);
        using var stop = new StopSignal(streams);
        ServeOptions options = settings.Serve with
        {
            Cpus = TrafficSetup.ChooseCpus(
                settings.Traffic.Cpus,
                settings.Serve.AllThreadCount,
                [.. settings.Serve.LocalEndPoints.Select(static end => end.ToIPEndPoint())],
                isReceiver: true,
                streams),
            PlacesBesidePeer = !settings.Traffic.Cpus.IsAny,
        };
        using ServeRun run = ServeRun.Start(options);
        TellStart(run, options, streams);
        using var text = new ServeText(
            streams.PageBeside(output), options.ShowsAllCores, settings.Traffic.IsVerbose);
        ServeReport report = run.Run(text.WriteInterval, stop.Token);
        text.WriteSummary(report);
        if (run.LastFault is { } fault)
        {
            streams.Warn($"a handler failed: {fault.Exception.Message}", DocsAnchor.HandlerFaults);
        }

        if (run.HasMetClosedPort)
        {
            streams.Warn(
                "ICMP errors arrived: probably no program listens on the port of one of the destinations",
                DocsAnchor.ClosedPort);
        }

        return output.Finish(report);
    }

    private static void TellStart(ServeRun run, ServeOptions options, Streams streams)
    {
        UdpServer server = run.Server;
        string offload = server.CoalescedReceive ? " with GRO" : "";
        streams.Notice($"serving at {string.Join(' ', server.LocalEndPoints)}, "
            + $"{NameText.Of(options.App)}, {options.Design.Name} with "
            + $"{server.ThreadCount} thread(s), "
            + $"backend {BackendText.NameOf(server.Backend)}{offload}, "
            + $"buffer {Units.Bytes(server.ReceiveBufferBytes)}");
        TrafficSetup.TellBuffer(options.Transport, server.ReceiveBufferBytes, isReceiver: true, streams);
        TrafficSetup.TellFallback(options.Transport.Backend, streams);
        if (run.WorkNanosecondsPerRound is { } nanoseconds)
        {
            streams.Notice($"{options.WorkRounds} rounds of work per datagram: {nanoseconds:0.00} ns "
                + $"each here, {options.WorkRounds * nanoseconds / 1000:0.00} us in total");
        }

        TellRelay(run, options, streams);
        if (options.App == ServeApp.Echo && !options.LowersTimeToLive)
        {
            streams.Notice(
                $"answers of the {BackendText.NameOf(server.Backend)} backend do not have a lower TTL than "
                + "their requests, so only --answers-per-peer ends a loop with another echo server");
        }
    }

    private static void TellRelay(ServeRun run, ServeOptions options, Streams streams)
    {
        if (options.App != ServeApp.Relay) return;

        string destinations = string.Join(' ', options.Destinations);
        string order = run.KeepsPeers ? "in order per peer" : "without a fixed order, because threads share peers";
        streams.Notice($"forwarding to {destinations}, {order}; nothing is routed back");
        if (!options.Destinations.All(static destination => LocalAddresses.Contains(destination.Address.ToIPAddress())))
        {
            streams.Notice("a destination is another machine: it gets the full arrival rate");
        }
    }
}
