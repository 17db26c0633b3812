using System.CommandLine;
using Spate.Cli.Host;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Watch;

/// <summary><c>spate watch</c>: shows the counters of the host live, and explains those that grow.</summary>
internal sealed class WatchCommand
{
    private readonly ExamineOptionSet _examine = new("all that are up");
    private readonly ReportOptionSet _report = new(static () => WatchJson.Default.WatchReport);
    private readonly Option<string?> _interval = IntervalText.Create();
    private readonly Option<string?> _count = OptionText.Create("--count", "N", "End after N intervals.");
    private readonly Option<string?> _seconds = OptionText.Create("--seconds", "S", "End after S seconds.");

    private readonly Option<bool> _cores = OptionText.CreateFlag(
        "--cores", "Also show idle CPUs.");

    private WatchCommand()
    {
    }

    public static Command Create(Streams streams)
    {
        var options = new WatchCommand();
        var command = new Command(
            "watch", "Show the counters of this host live, per interface, CPU and socket; explain those that grow.");
        options._examine.AddRequestTo(command);
        command.Add(options._interval);
        command.Add(options._count);
        command.Add(options._seconds);
        command.Add(options._cores);
        options._report.AddTo(command);
        command.SetAction(parsed => options.Run(parsed, streams));
        ExampleHelp.AddTo(
            command,
            "spate watch                              until Ctrl-C, then a summary",
            "spate watch --interface eth0 --interval 0.2",
            "spate watch --seconds 60 | grep '!'      only counters that grew, one per line",
            "spate watch --json - | jq .problems      one object per interval, the last one for the whole time",
            "spate watch --seconds 10 --fail-if 'problems > 0'");
        return command;
    }

    private int Run(ParseResult parsed, Streams streams)
    {
        WatchOptions options = new()
        {
            Request = _examine.ReadRequest(parsed) with { IncludesAllInterfaces = true },
            Interval = IntervalText.Read(parsed, _interval),
            Duration = SecondsText.Read(parsed, _seconds, minSeconds: 0.1),
            IntervalCount = UnitText.ReadCount(parsed, _count, 1, long.MaxValue),
            ShowsAllCores = parsed.GetValue(_cores),
        };
        if (options.IntervalCount is not null && options.Interval == TimeSpan.Zero)
        {
            throw CommandException.WrongUse("--count counts intervals, and --interval 0 has none: use --seconds");
        }

        ReportOptions request = _report.Read(parsed);
        if (!OperatingSystem.IsLinux())
        {
            throw CommandException.Refused("spate watch needs Linux: on this system, --interval "
                + "of spate receive and spate serve shows the losses of their sockets",
                DocsAnchor.Watching);
        }

        using var output = ReportOutput.Open(request, streams, isSeries: true);
        using var stop = new StopSignal(streams);
        if (!Environment.IsPrivilegedProcess)
        {
            streams.Warn(
                "without root, firewall rules and the programs of other users are not shown",
                DocsAnchor.Root);
        }

        using var text = new WatchText(streams.PageBeside(output));
        WatchReport whole = WatchRun.Run(
            options,
            report =>
            {
                output.Add(report);
                text.WriteInterval(report);
            },
            TimeProvider.System,
            stop.Token);
        text.WriteSummary(whole);
        return output.Finish(whole);
    }
}
