using System.CommandLine;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.Sweep;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Bench;

/// <summary><c>spate bench drain</c>: fills a socket and times the draining, per datagram.</summary>
internal static class BenchDrainCommand
{
    private static readonly TimeSpan QuickBudget = TimeSpan.FromSeconds(6);

    public static Command Create(Streams streams)
    {
        var command = new Command(
            "drain", "Fill a socket, then time the draining and the filling per datagram: the low-noise figure.");
        var options = new BenchOptionSet(
            "CPU of the one thread, such as 1, or auto, which says why. Default: the CPU of auto.",
            "64,1380",
            takesSizes: true,
            new BenchTimes(new DrainOptions().Budget, QuickBudget),
            new ReportOptionSet(static () => BenchJson.Default.DrainReport));
        var sweep = new BenchSweep();
        sweep.AddTo(command);
        options.AddTo(command);
        command.SetAction(parsed =>
        {
            if (sweep.IsAsked(parsed, "--cpu"))
            {
                return BenchSweep.Run(parsed, streams, options, row: null, SweepRun.OfDrain);
            }

            var settings = new DrainOptions
            {
                SizesBytes = options.ReadSizes(parsed),
                Budget = options.ReadBudget(parsed),
                Cpu = options.Cpu.ReadOne(parsed, streams),
            };
            return BenchRunner.Run(
                options.ReadReport(parsed), streams, settings, DrainRun.Execute, DrainText.Write);
        });
        ExampleHelp.AddTo(
            command,
            "spate bench drain",
            "spate bench drain --size 64,1380,8972 --cpu 1",
            "spate bench drain --quick --json -",
            "spate bench drain --sweep cpu",
            "spate bench drain --fail-if 'rows[spate-mmsg, sizeBytes=64].receiveNanosecondsPerDatagram > 900'");
        return command;
    }
}
