using System.CommandLine;
using System.CommandLine.Parsing;
using Spate.Cli.Bench;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Compare;
using Spate.Cli.Doctor;
using Spate.Cli.Explain;
using Spate.Cli.Gateway;
using Spate.Cli.Info;
using Spate.Cli.Iperf.Iperf2;
using Spate.Cli.Iperf.Iperf3;
using Spate.Cli.Plan;
using Spate.Cli.Receive;
using Spate.Cli.Send;
using Spate.Cli.Serve;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Completion;
using Spate.Cli.Shell.Man;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Test;
using Spate.Cli.Tune;
using Spate.Cli.Watch;

namespace Spate.Cli;

/// <summary>Parses a command line, runs the command, and turns every fault into one line and an exit code.</summary>
internal static class CommandLine
{
    public static int Run(string[] args, Streams streams)
    {
        try
        {
            // These commands read their line as the programs do whose protocol they speak.
            string[] line = [.. args.SkipWhile(static arg => arg is Streams.NoColorOption)];
            switch (line.FirstOrDefault())
            {
                case Iperf3Command.CommandName: return new Iperf3Command(streams).Run(line[1..]);
                case Iperf2Command.CommandName: return new Iperf2Command(streams).Run(line[1..]);
            }

            ParseResult parsed = Parse(args, streams);
            if (ParseErrors.Find(parsed) is { } mistake) throw CommandException.WrongUse(mistake);

            return parsed.Invoke(new InvocationConfiguration
            {
                EnableDefaultExceptionHandler = false,
                ProcessTerminationTimeout = null,
                Output = streams.Output,
                Error = streams.Error,
            });
        }
        catch (Exception fault)
        {
            CommandException refusal = ErrorMapper.Of(fault);
            streams.Notice(refusal.Message);
            return refusal.ExitCode;
        }
    }

    internal static ParseResult Parse(IReadOnlyList<string> args, Streams streams)
    {
        RootCommand root = SpateCommand.Create(streams);

        // By default the parser reads "@file" as a response file, which users of a tool for addresses do not expect.
        return CommandLineParser.Parse(
            root, args, new ParserConfiguration { EnablePosixBundling = false, ResponseFileTokenReplacer = null });
    }
}

/// <summary>The root command, which holds all others.</summary>
internal static class SpateCommand
{
    public static RootCommand Create(Streams streams)
    {
        var root = new RootCommand("Measure, send and receive UDP at the speed of the machine.");
        root.Directives.Clear();
        Option<bool> noColor = OptionText.CreateFlag(
            Streams.NoColorOption, "Disable colours and bold text, like NO_COLOR in the environment.");
        noColor.Recursive = true;
        root.Add(noColor);
        root.Add(BenchCommand.Create(streams));
        root.Add(SendCommand.Create(streams));
        root.Add(ReceiveCommand.Create(streams));
        root.Add(TestCommand.Create(streams));
        root.Add(new Iperf3Command(streams));
        root.Add(new Iperf2Command(streams));
        root.Add(ServeCommand.Create(streams));
        root.Add(GatewayCommand.Create(streams));
        root.Add(CompareCommand.Create(streams, ReportKinds.Reader));
        root.Add(PlanCommand.Create(
            streams, ReportKinds.Reader, (sizeBytes, time) => MeasureReceiving(sizeBytes, time, streams)));
        root.Add(DoctorCommand.Create(streams));
        root.Add(WatchCommand.Create(streams));
        root.Add(TuneCommand.Create(streams));
        root.Add(InfoCommand.Create(streams));
        root.Add(ExplainCommand.Create(streams));
        root.Add(ManCommand.Create(root, streams));
        root.Add(CompletionCommand.Create(root, streams));
        root.SetAction(parsed => ExampleHelp.Show(root, parsed));
        ExampleHelp.AddTo(
            root,
            "spate bench --quick                 the datagram rates of this machine, in 15 s",
            "spate receive                       count datagrams at port 9999",
            "spate send localhost --seconds 5    send datagrams to it",
            "spate info                          CPUs, limits and fast paths of this host").Notes =
            ["Exit codes: 0 success, 1 a check (--fail-if) failed, 2 usage error, 3 could not run."];
        return root;
    }

    private static BenchReport MeasureReceiving(int sizeBytes, TimeSpan time, Streams streams)
    {
        using var stop = new StopSignal(streams);
        using var progress = new StepProgress<BenchStep>(streams.ErrorPage, streams.Time);
        var options = new ThroughputOptions
        {
            SizesBytes = [sizeBytes],
            Budget = time,
            RowNames = RoundsCapacity.RowNames,
        };
        return ThroughputBench.Define().Run(options, progress, stop.Token);
    }
}
