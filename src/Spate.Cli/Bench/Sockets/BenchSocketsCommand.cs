using System.CommandLine;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Bench.Sockets;

/// <summary><c>spate bench sockets</c>: measures the cost of a datagram when many sockets hold datagrams.</summary>
internal static class BenchSocketsCommand
{
    private static readonly TimeSpan QuickBudget = TimeSpan.FromSeconds(6);

    public static Command Create(Streams streams)
    {
        var command = new Command(
            "sockets", "Queue datagrams in many sockets, then time one thread that receives them all.");
        var options = new BenchOptionSet(
            "CPU of the one thread, such as 1, or auto, which says why. Default: the CPU of auto.",
            "64",
            takesSizes: false,
            new BenchTimes(new SocketsOptions().Budget, QuickBudget),
            new ReportOptionSet(static () => BenchJson.Default.SocketsReport));
        Option<string?> counts = OptionText.Create(
            "--count", "LIST", "Sockets, one or several numbers. Default: 1,100,10000.");
        Option<string?> queued = OptionText.Create(
            "--queued", "LIST", "Datagrams queued in each socket, one or several numbers. Default: 1,10.");
        command.Add(counts);
        command.Add(queued);
        options.AddTo(command);
        command.SetAction(parsed =>
        {
            var defaults = new SocketsOptions();
            var settings = new SocketsOptions
            {
                SocketCounts = NumberList.ReadCounts(
                    parsed, counts, 1, SocketsOptions.MaxSocketCount, "1,10k", BenchOptions.MaxSizeCount)
                    ?? defaults.SocketCounts,
                QueuedCounts = NumberList.ReadCounts(
                    parsed, queued, 1, SocketsOptions.MaxQueuedCount, "1,10", BenchOptions.MaxSizeCount)
                    ?? defaults.QueuedCounts,
                SizeBytes = options.ReadSize(parsed),
                Budget = options.ReadBudget(parsed),
                Cpu = options.Cpu.ReadOne(parsed, streams),
            };
            return BenchRunner.Run(
                options.ReadReport(parsed), streams, settings, SocketsRun.Execute, SocketsText.Write);
        });
        ExampleHelp.AddTo(
            command,
            "spate bench sockets",
            "spate bench sockets --count 10000 --queued 1,10,64",
            "spate bench sockets --quick --json -",
            "spate bench sockets --fail-if 'rows[poller].receiveNanosecondsPerDatagram > 2k'");
        return command;
    }
}
