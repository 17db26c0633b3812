using System.CommandLine;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Bench.Designs;

/// <summary><c>spate bench designs</c>: compares the ways to divide a server's work among threads.</summary>
internal static class BenchDesignsCommand
{
    public static Command Create(Streams streams)
    {
        var command = new Command(
            "designs",
            "Compare server designs: the same generator and count for each. About 3 minutes; fewer rounds when slow.");
        var options = new DesignOptionSet();
        options.AddTo(command);
        command.SetAction(parsed =>
        {
            DesignOptions settings = options.Read(parsed, streams);
            return BenchRunner.Run(
                options.ReadReport(parsed), streams, settings, DesignRun.Execute, DesignText.Write);
        });
        ExampleHelp.AddTo(
            command,
            "spate bench designs",
            "spate bench designs --quick --work 0 --threads 1,8",
            "spate bench designs --rows one-by-one,ring,adaptive --count 2m --cpu 0,1",
            "spate bench designs --json designs.json",
            "spate bench designs --fail-if 'rows[adaptive].processedPercent < 100'");
        return command;
    }
}
