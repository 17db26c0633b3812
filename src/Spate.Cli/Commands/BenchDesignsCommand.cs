using System.CommandLine;
using Spate.Cli.Options;
using Spate.Cli.Output;
using Spate.Measurement;
using Spate.Measurement.Bench.Designs;

namespace Spate.Cli.Commands;

/// <summary><c>spate bench designs</c>: every way to divide a server's work among threads.</summary>
internal static class BenchDesignsCommand
{
    public static Command Create(Streams streams)
    {
        var command = new Command(
            "designs",
            "Compare server designs: the same generator and count for each. About 3 minutes; fewer rounds when slow.");
        var options = new DesignOptionSet();
        options.AddTo(command);
        command.SetAction(parsed => Run(options.Read(parsed), parsed.GetValue(options.Json), streams));
        ExampleHelp.AddTo(
            command,
            "spate bench designs",
            "spate bench designs --quick --work 0 --threads 1,8",
            "spate bench designs --designs one-by-one,ring,adaptive --count 2m --cpu 0,1",
            "spate bench designs --json designs.json");
        return command;
    }

    private static int Run(DesignOptions settings, string? jsonPath, Streams streams)
    {
        using var stop = new StopSignal();
        using JsonOutput? json = JsonOutput.Open(jsonPath, streams);
        DesignResult result;
        using (var progress = new BenchProgress(streams))
        {
            result = BenchFaults.Guard(() => DesignRun.Execute(settings, progress, stop.Token));
        }

        BenchFaults.TellSkipped(result.Skipped, streams);
        DesignsReport report = DesignReports.Of(result);
        if (json?.IsStandardOutput != true)
        {
            DesignText.Write(result, report, streams);
        }

        json?.Write(ReportJson.Serialize(report));
        return ExitCode.Done;
    }
}
