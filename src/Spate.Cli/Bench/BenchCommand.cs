using System.CommandLine;
using Spate.Cli.Bench.Designs;
using Spate.Cli.Bench.PingPong;
using Spate.Cli.Bench.Relay;
using Spate.Cli.Bench.Sessions;
using Spate.Cli.Bench.Sockets;
using Spate.Cli.Bench.Sweep;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Bench;

/// <summary><c>spate bench</c>: compares all ways to move datagrams, with both ends in this process.</summary>
internal static class BenchCommand
{
    public static Command Create(Streams streams)
    {
        var command = new Command(
            "bench", "Compare the ways to move datagrams on this machine: both ends inside, over the loopback.");
        var options = new BenchOptionSet(
            "CPUs of the sender and the receiver, such as 0,1, or auto, which says why. Default: those of auto.",
            "64,1380",
            takesSizes: true,
            new BenchTimes(BenchOptions.DefaultBudget, BenchOptions.QuickBudget),
            new ReportOptionSet(static () => BenchJson.Default.BenchReport));
        Option<string?> rows = BenchOptionSet.CreateRows();
        Option<bool> peers = OptionText.CreateFlag("--peers", "Also iperf3, nuttcp and sockperf where installed.");
        command.Add(rows);
        command.Add(peers);
        var sweep = new BenchSweep();
        sweep.AddTo(command);
        options.AddTo(command);
        command.Add(BenchDrainCommand.Create(streams));
        command.Add(BenchSessionsCommand.Create(streams));
        command.Add(BenchSocketsCommand.Create(streams));
        command.Add(BenchPingPongCommand.Create(streams));
        command.Add(BenchRelayCommand.Create(streams));
        command.Add(BenchDesignsCommand.Create(streams));
        command.SetAction(parsed =>
        {
            if (sweep.IsAsked(parsed, "--cpu", peers.Name))
            {
                return BenchSweep.Run(parsed, streams, options, ReadSweepRow(parsed, rows), SweepRun.OfThroughput);
            }

            (int? first, int? second) = options.Cpu.ReadPair(parsed, streams);
            var settings = new BenchOptions
            {
                SizesBytes = options.ReadSizes(parsed),
                Budget = options.ReadBudget(parsed),
                RowNames = BenchOptionSet.ReadRows(parsed, rows, BenchRun.RowNames),
                WithPeerPrograms = parsed.GetValue(peers),
                SenderCpu = first,
                ReceiverCpu = second,
            };
            return BenchRunner.Run(
                options.ReadReport(parsed), streams, settings, BenchRun.Execute, ThroughputText.Write);
        });
        ExampleHelp.AddTo(
            command,
            "spate bench --quick --size 1380  one size, in under 15 s",
            "spate bench --peers --json bench.json",
            "spate bench drain                the low-noise figure per datagram",
            "spate bench --sweep cpu          which CPUs for sender and receiver, where that is proven",
            "spate bench --size 64 --fail-if 'rows[spate-mmsg].lostPercent > 1'");
        return command;
    }

    private static string? ReadSweepRow(ParseResult parsed, Option<string?> rows) =>
        BenchOptionSet.ReadRows(parsed, rows, BenchRun.RowNames) switch
        {
            null => null,
            [var one] => one,
            _ => throw OptionText.Wrong(rows, parsed.GetValue(rows)!, "one row with --sweep"),
        };
}
