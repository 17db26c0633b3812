using System.CommandLine;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Bench.Sessions;

/// <summary><c>spate bench sessions</c>: measures what the lookup of a peer's session costs per datagram.</summary>
internal static class BenchSessionsCommand
{
    private const string DefaultPeers = "1k,100k,1m";

    private static readonly TimeSpan QuickBudget = TimeSpan.FromSeconds(6);

    public static Command Create(Streams streams)
    {
        var command = new Command(
            "sessions",
            "Fill a socket, then time the draining with a session looked up for every datagram. Loopback has one peer "
            + "per socket, so each datagram stands for a peer of a prepared sequence: runs of 64, or all scattered.");
        var options = new BenchOptionSet(
            "CPU of the one thread, such as 1, or auto, which says why. Default: the CPU of auto.",
            "64,1380",
            takesSizes: true,
            new BenchTimes(new SessionsOptions().Budget, QuickBudget),
            new ReportOptionSet(static () => BenchJson.Default.SessionsReport));
        Option<string?> peers = OptionText.Create(
            "--peers", "LIST", $"Sessions in the table, one or several numbers. Default: {DefaultPeers}.");
        command.Add(peers);
        options.AddTo(command);
        command.SetAction(parsed =>
        {
            var defaults = new SessionsOptions();
            var settings = new SessionsOptions
            {
                PeerCounts = NumberList.ReadCounts(
                    parsed, peers, 1, SessionsOptions.MaxPeerCount, DefaultPeers, SessionsOptions.MaxPeerCounts)
                    ?? defaults.PeerCounts,
                SizesBytes = options.ReadSizes(parsed),
                Budget = options.ReadBudget(parsed),
                Cpu = options.Cpu.ReadOne(parsed, streams),
            };
            return BenchRunner.Run(
                options.ReadReport(parsed), streams, settings, SessionsRun.Execute, SessionsText.Write);
        });
        ExampleHelp.AddTo(
            command,
            "spate bench sessions",
            "spate bench sessions --peers 10k,1m --size 64",
            "spate bench sessions --quick --json -",
            "spate bench sessions --fail-if 'rows[scattered].timesOneSession > 3'");
        return command;
    }
}
