using System.CommandLine;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Bench.Sweep;

/// <summary>The option <c>--sweep</c> of the benches that take it, and the run that it asks for.</summary>
internal sealed class BenchSweep
{
    private const string Cpu = "cpu";

    private readonly Option<string?> _option = OptionText.Create(
        "--sweep",
        Cpu,
        "Instead of comparing rows, measure one row on several CPUs, and name those that two runs prove better than "
            + $"the default ones. It takes one --size, {SweepOptions.DefaultSizeBytes} where none is given.");

    public void AddTo(Command command) => command.Add(_option);

    /// <summary>Whether a sweep is asked for. Refuses what is asked for besides and has no effect on it.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="useless">The names of the bench's options that a sweep does not use.</param>
    public bool IsAsked(ParseResult parsed, params ReadOnlySpan<string> useless)
    {
        if (parsed.GetValue(_option) is not { } text) return false;

        if (!text.Equals(Cpu, StringComparison.OrdinalIgnoreCase)) throw OptionText.Wrong(_option, text, Cpu);

        foreach (string name in useless)
        {
            if (parsed.GetResult(name) is System.CommandLine.Parsing.OptionResult { Implicit: false })
            {
                throw CommandException.WrongUse($"{name} does nothing with --sweep {Cpu}: leave it out");
            }
        }

        return true;
    }

    /// <summary>Sweeps, and writes table, sentence and JSON.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="streams">The command's streams.</param>
    /// <param name="options">The options of the bench.</param>
    /// <param name="row">The row to measure; null for the default.</param>
    /// <param name="execute">Runs the sweep of the bench.</param>
    public static int Run(
        ParseResult parsed,
        Streams streams,
        BenchOptionSet options,
        string? row,
        Func<SweepOptions, IProgress<BenchStep>?, CancellationToken, SweepReport> execute)
    {
        var settings = new SweepOptions
        {
            SizeBytes = options.ReadSweepSize(parsed),
            RowName = row,
            Budget = options.ReadBudget(parsed),
        };
        return BenchRunner.Run(
            options.ReadReport(parsed, static () => BenchJson.Default.SweepReport), streams, settings, execute,
            SweepText.Write);
    }
}
