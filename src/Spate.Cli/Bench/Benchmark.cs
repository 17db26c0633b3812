using System.CommandLine;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Sweep;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Bench;

/// <summary>The threads of a bench that are placed, whose CPUs its option <c>--cpu</c> takes.</summary>
internal enum BenchCpus
{
    /// <summary>The bench is one thread, which it begins.</summary>
    OneThread,

    TwoEnds,

    /// <summary>A generator and the threads of a server, which the bench reads itself.</summary>
    Server,
}

/// <summary>
/// The definition of a bench: its command line, its measurement, and the text of its report. A new bench is a folder
/// with such a definition, its <see cref="BenchRun{TCell,TRound,TReport}"/> and its report with a row, whose figures
/// are declared in <see cref="Metrics{TRow}"/>; the file of <see cref="BenchCommand"/> lists it.
/// </summary>
internal sealed class Benchmark<TOptions, TReport>(string name, string description)
    where TOptions : BenchOptions, new()
    where TReport : RoundsReport
{
    public required BenchCpus Cpus { get; init; }

    /// <summary>Whose CPUs <c>--cpu</c> takes, and which those are without it.</summary>
    public string CpuText { get; init; } =
        "CPU of the one thread, such as 1, or auto, which prints its reason. Default: auto.";

    /// <summary>Whether <c>--size</c> takes several.</summary>
    public bool TakesSizes { get; init; }

    /// <summary>The time with <c>--quick</c>.</summary>
    public required TimeSpan QuickBudget { get; init; }

    /// <summary>A bench with a thread of its own has hung if it takes longer than its time by this.</summary>
    public TimeSpan MaxOver { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>The least that <c>--seconds</c> takes.</summary>
    public double MinSeconds { get; init; } = 5;

    /// <summary>The options that only this bench has.</summary>
    public IReadOnlyList<Option> OwnOptions { get; init; } = [];

    /// <summary>Reads them into the options, which have their sizes by then.</summary>
    public Action<ParseResult, BenchOptionSet, TOptions> ReadOwn { get; init; } = static (_, _, _) => { };

    public required Func<TOptions, CpuPlacement, BenchCourse, TReport> Measure { get; init; }

    /// <summary>Writes the report as text.</summary>
    public required Action<TReport, TerminalWriter> Write { get; init; }

    public required string[] Examples { get; init; }

    /// <param name="sweep">Null if no row can be measured on one placement after the other.</param>
    public Command CreateCommand(
        Streams streams, BenchSweep? sweep = null, params IEnumerable<Command> subcommands)
    {
        var command = new Command(name, description);
        var common = new BenchOptionSet(
            new TOptions(), new BenchCpuOption(CpuText, streams), TakesSizes, QuickBudget, MinSeconds,
            new ReportOptionSet(static () => RoundsReport.TypeOf(typeof(TReport))));
        foreach (Option option in OwnOptions) command.Add(option);
        sweep?.AddTo(command);
        common.AddTo(command);
        foreach (Command subcommand in subcommands) command.Add(subcommand);
        command.SetAction(parsed =>
        {
            if (sweep?.IsAsked(parsed) is true) return sweep.Run(parsed, streams, common);

            TOptions options = Read(parsed, common);
            return BenchRunner.Run(
                common.ReadReport(parsed), streams, (progress, token) => Run(options, progress, token), Write);
        });
        ExampleHelp.AddTo(command, Examples);
        return command;
    }

    /// <summary>
    /// Blocks the calling thread until done. Cancelling ends the run between two steps, each of which takes two
    /// seconds at most. Only one bench may run in a process, and nothing else should run in it meanwhile.
    /// </summary>
    /// <exception cref="BenchException">The options cannot be met, or no row could run.</exception>
    public TReport Run(
        TOptions options, IProgress<BenchStep>? progress = null, CancellationToken cancellationToken = default)
    {
        BenchLoopback.Require();
        CpuPlacement placement = CpuPlacement.Choose(options.SenderCpu, options.ReceiverCpu);
        return Cpus == BenchCpus.OneThread
            ? BenchThread.Execute(name, placement.ReceiverCpu, options.Budget + MaxOver, MeasureHere)
            : MeasureHere();

        TReport MeasureHere() =>
            Measure(options, placement, new BenchCourse(options.Budget, progress, cancellationToken));
    }

    private TOptions Read(ParseResult parsed, BenchOptionSet common)
    {
        var options = new TOptions { SizesBytes = common.ReadSizes(parsed) };
        ReadOwn(parsed, common, options);

        // A wrong value is named before a pair of options that contradict each other.
        options.Budget = common.ReadBudget(parsed);
        if (Cpus == BenchCpus.OneThread) options.ReceiverCpu = common.Cpu.ReadOne(parsed);
        if (Cpus == BenchCpus.TwoEnds) (options.SenderCpu, options.ReceiverCpu) = common.Cpu.ReadPair(parsed);
        return options;
    }
}
