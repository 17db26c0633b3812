using System.CommandLine;
using Spate.Cli.Host;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Traffic;
using Spate.HostTuning.Reading.Cpus;
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
            "Test the path between two hosts, with a verdict: how many datagrams were lost, and where. One host "
            + "runs -s, the other -c.");
        var options = new TestOptionSet();
        options.AddTo(command);
        command.SetAction(parsed => options.IsServer(parsed)
            ? Serve(options.ReadServer(parsed), streams)
            : Run(options.ReadClient(parsed), streams));
        ExampleHelp.AddTo(
            command,
            "spate test -s                                      on one host: wait for clients on port 9999",
            "spate test -c hosta                                on the other host: send to it for 10 s",
            "spate test -c hosta -R --rate max --flows 4        receive from it at full speed",
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
                settings.Cpus,
                Math.Max(1, settings.Cpus.Numbers.Count),
                [settings.Options.Local.ToIPEndPoint()],
                isReceiver: true,
                streams),
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

        TestParameters parameters = settings.Options.Parameters;
        TestClientOptions options = settings.Options with
        {
            Cpus = TrafficSetup.ChooseCpus(
                settings.Traffic.Cpus,
                parameters.Flows,
                settings.Options.Servers.Select(static server => TrafficSetup.OwnEnd(server.ToIPEndPoint())),
                isReceiver: !parameters.Sends(isClient: true),
                streams,
                ownsPort: false),
            PlacesBesidePeer = !settings.Traffic.Cpus.IsAny,
        };
        WarmUp(
            parameters.TransportOf(options.Transport, isClient: true),
            sends: parameters.Sends(isClient: true),
            receives: parameters.Sends(isClient: false));
        using TestClient client = Connect(options, stop.Token);
        Describe(client, options, streams);
        var text = new TestText(streams.PageBeside(output), parameters.AllCores, settings.Traffic.IsVerbose);
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
        (TestParameters asked, TestParameters granted) = (options.Parameters, client.Granted);
        TrafficSetup.Describe(
            client.FirstSocket,
            options.Transport,
            isReceiver: !asked.Sends(isClient: true),
            $"test with {string.Join(' ', options.Servers)}",
            streams);
        if (granted.DatagramsPerSecond is { } rate && !(rate >= asked.DatagramsPerSecond))
        {
            streams.Notice($"the server allows {Units.PerSecond(rate)} datagrams/s");
        }

        if (granted.Seconds < asked.Seconds) streams.Notice($"the server allows {granted.Seconds:0.###} s");
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

/// <summary>The text of <c>spate test -c</c>: a line per interval and direction, then the summary.</summary>
internal sealed class TestText(TerminalWriter writer, bool showsAllCores = false, bool isVerbose = false)
{
    private static readonly Table<Line> Intervals = new(
    [
        new("seconds", Align.Right, 0, static line => TrafficText.TimeOf(line.Total), MinWidth: 15),
        new("this host", Align.Left, 1, static line => line.IsReceived ? "received" : "sent", MinWidth: 9),
        new("datagrams/s", Align.Right, 0, static line => Units.PerSecond(line.Total.DatagramsPerSecond), MinWidth: 12),
        new("payload", Align.Right, 3, static line => Units.BitsPerSecond(line.Total.BitsPerSecond), MinWidth: 14),
        new("CPU", Align.Right, 4, static line => $"{line.Total.CpuPercent:0} %", MinWidth: 6),
        .. HostCpuText.BusiestColumns<Line>(static line => line.Total, priority: 5),
        new("lost", Align.Right, 2, static line => Units.Count(line.Total.Lost), MinWidth: 10),
        HostCpuText.PlacesColumn<Line>(static line => line.Total, priority: 7),
    ]);

    private readonly RowByRow<Line> _lines = new(Intervals, writer);

    public void WriteInterval(TrafficInterval interval, bool isReceived)
    {
        _lines.Add(new Line(interval.Total, isReceived));
        if (showsAllCores) HostCpuText.WriteTable(interval.Total.Cores, writer);
    }

    public void WriteSummary(TestReport report)
    {
        foreach (TestDirectionReport direction in report.Directions)
        {
            bool isForward = direction.From is "client";
            writer.Line();
            writer.Line(isForward ? "this host to the server:" : "the server to this host:");
            TestEndReport sender = isForward ? report.Local : report.Remote;
            WriteEnd("sent", sender.Sent);
            if (sender.StoppedUnheard) writer.Line("the sender stopped early: no heartbeat for almost 2 s");
            TrafficReport? received = isForward ? report.Remote.Received : report.Local.Received;
            WriteEnd("received", received);
            writer.Line($"lost {Units.Count(direction.Lost)} ({direction.LostPercent:0.####} %), "
                + $"duplicated {Units.Count(received?.Duplicated)}, reordered {Units.Count(received?.Reordered)}"
                + LateOf(received) + NotSentOf(direction));
            if (received is not null) AccountingText.Write(received, writer);
            string? more = direction.Remedy is null ? DocsAnchor.None : DocsAnchor.Verdict;
            writer.Line(DocsAnchor.Append(direction.Verdict, more));
        }

        if (report.Directions.Length > 1)
        {
            writer.Line();
            writer.Line($"both directions: lost {Units.Count(report.Lost)} ({report.LostPercent:0.####} %), "
                + $"{Units.Count(report.Unexplained)} unexplained");
        }

        if (showsAllCores || isVerbose)
        {
            WriteHost("this host", report.Local);
            WriteHost("the server", report.Remote);
        }
        else
        {
            WriteLimits(("this host", report.Local), ("the server", report.Remote));
        }

        RoundTripReport roundTrip = report.RoundTrip;
        if (roundTrip.Samples == 0) return;

        writer.Line();
        writer.Line($"RTT of {Units.Count(roundTrip.Samples)} heartbeats: "
            + $"min {roundTrip.MinMicroseconds:0} us, p50 {roundTrip.MedianMicroseconds:0}, "
            + $"p99 {roundTrip.P99Microseconds:0}, max {roundTrip.MaxMicroseconds:0}");
    }

    // Where an end sent and received, both reports tell the same of its host.
    private void WriteHost(string name, TestEndReport end)
    {
        if ((end.Received ?? end.Sent) is not { } report) return;

        writer.Line();
        writer.Line($"{name}:");
        HostText.Write(report, showsAllCores, isVerbose, writer);
    }

    private void WriteLimits(params (string Name, TestEndReport End)[] ends)
    {
        bool isFirst = true;
        foreach ((string name, TestEndReport end) in ends)
        {
            if ((end.Received ?? end.Sent)?.Limit is not { } limit) continue;

            if (isFirst) writer.Line();
            isFirst = false;
            writer.Line($"{name}: {limit}");
        }
    }

    private void WriteEnd(string verb, TrafficReport? end)
    {
        if (end is null) return;

        writer.Line($"{verb} {TrafficText.TotalOf(end)}; {TrafficText.TransportOf(end)}{CpusOf(end)}");
        if (end.Refused > 0) writer.Line($"refused by the sender's system: {Units.Count(end.Refused)}");
        if (end.Pacing is { } pacing) writer.Line(TrafficText.PacingOf(pacing));
    }

    // Nobody knows whether they were first copies or second ones, so the verdict leaves as much loss unexplained.
    private static string LateOf(TrafficReport? received) =>
        received?.Late is > 0 and var late ? $", outside the tracking window {Units.Count(late)}" : "";

    // The verdict judges what was due. What was skipped is no part of the loss; what was refused is.
    private static string NotSentOf(TestDirectionReport direction) => direction.Skipped > 0
        ? $"; of {Units.Count(direction.Offered)} due, {Units.Count(direction.Skipped)} were not sent"
        : "";

    // Threads that are free to move have no CPU in the report.
    private static string CpusOf(TrafficReport end)
    {
        int[] cpus = [.. end.Threads.Select(static thread => thread.Cpu).OfType<int>().Distinct().Order()];
        return cpus.Length == 0 ? "" : $"; on CPU {CpuList.Format(cpus)}";
    }

    private readonly record struct Line(IntervalReport Total, bool IsReceived);
}
