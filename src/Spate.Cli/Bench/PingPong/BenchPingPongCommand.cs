using System.CommandLine;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Bench.PingPong;

/// <summary><c>spate bench pingpong</c>: measures round-trip times, one datagram at a time.</summary>
internal static class BenchPingPongCommand
{
    private const int QuickPingCount = 2000;
    private const int QuickRoundCount = 3;
    private static readonly TimeSpan QuickBudget = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan QuickIdle = TimeSpan.FromMilliseconds(250);

    public static Command Create(Streams streams)
    {
        var command = new Command(
            "pingpong", "Round trips, one datagram at a time, in every way of waiting; and what idle servers cost.");
        var options = new BenchOptionSet(
            "CPUs of the client and the server, such as 0,1, or auto, which says why. Default: those of auto.",
            "64",
            takesSizes: false,
            new BenchTimes(new PingPongOptions().Budget, QuickBudget),
            new ReportOptionSet(static () => BenchJson.Default.PingPongReport));
        Option<string?> count = OptionText.Create(
            "--count", "N", "Pings per row and round. Default: 10000; with --quick 2000.");
        command.Add(count);
        options.AddTo(command);
        command.SetAction(parsed =>
        {
            (int? first, int? second) = options.Cpu.ReadPair(parsed, streams);
            bool isQuick = options.IsQuick(parsed);
            var whole = new PingPongOptions();
            var settings = new PingPongOptions
            {
                SizeBytes = options.ReadSize(parsed),
                PingCount = (int)(UnitText.ReadCount(parsed, count, 1, PingPongOptions.MaxPingCount)
                    ?? (isQuick ? QuickPingCount : whole.PingCount)),
                Budget = options.ReadBudget(parsed),
                RoundCount = isQuick ? QuickRoundCount : whole.RoundCount,
                IdleDuration = isQuick ? QuickIdle : whole.IdleDuration,
                ClientCpu = first,
                ServerCpu = second,
            };
            return BenchRunner.Run(
                options.ReadReport(parsed), streams, settings, PingPongRun.Execute, PingPongText.Write);
        });
        ExampleHelp.AddTo(
            command,
            "spate bench pingpong",
            "spate bench pingpong --size 1200 --cpu 0,1",
            "spate bench pingpong --quick --json -",
            "spate bench pingpong --fail-if 'rows[blocking].p99Microseconds > 100'");
        return command;
    }
}
