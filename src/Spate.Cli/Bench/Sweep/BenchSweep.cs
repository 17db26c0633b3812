using System.CommandLine;
using System.CommandLine.Parsing;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Bench.Sweep;

/// <summary>The option <c>--sweep</c> of the benches that take it, and the run that it asks for.</summary>
/// <param name="execute">Sweeps a row of the bench.</param>
/// <param name="useless">The options that have no effect on a sweep.</param>
internal sealed class BenchSweep(
    Func<SweepOptions, IProgress<BenchStep>?, CancellationToken, SweepReport> execute, params string[] useless)
{
    private const string Cpu = "cpu";

    private readonly Option<string?> _option = OptionText.Create(
        "--sweep",
        Cpu,
        "Measure one row on several CPUs, and show those that two runs prove better than the default "
            + $"(no comparison of rows). Takes one --size (default {SweepOptions.DefaultSizeBytes}).");

    /// <summary>
    /// The rows that <c>--rows</c> may name, none in a bench without that option. Read only when a sweep begins: the
    /// rows name types of System.Net, which every start of the tool would load.
    /// </summary>
    public Func<IReadOnlyList<string>> RowNames { get; init; } = static () => [];

    public void AddTo(Command command) => command.Add(_option);

    /// <summary>Refuses what is asked for besides and has no effect on a sweep.</summary>
    public bool IsAsked(ParseResult parsed)
    {
        if (parsed.GetValue(_option) is not { } text) return false;

        if (!text.Equals(Cpu, StringComparison.OrdinalIgnoreCase)) throw OptionText.Wrong(_option, text, Cpu);

        foreach (string name in useless)
        {
            if (parsed.GetResult(name) is OptionResult { Implicit: false })
            {
                throw CommandException.WrongUse($"{name} has no effect with --sweep {Cpu}: leave it out");
            }
        }

        return true;
    }

    /// <summary>Sweeps a row, and writes table, sentence and JSON.</summary>
    public int Run(ParseResult parsed, Streams streams, BenchOptionSet common)
    {
        string? row = ReadRow(parsed);
        var options = new SweepOptions
        {
            SizeBytes = common.ReadSweepSize(parsed),
            RowName = row,
            Budget = common.ReadBudget(parsed),
        };
        return BenchRunner.Run(
            common.ReadReport(parsed, isSweep: true), streams,
            (progress, token) => execute(options, progress, token), SweepReport.Write);
    }

    // The row that is named; null for the default.
    private string? ReadRow(ParseResult parsed)
    {
        if (RowNames().Count == 0 || parsed.GetResult("--rows") is not OptionResult { Option: Option<string?> rows })
        {
            return null;
        }

        return BenchOptionSet.ReadRows(parsed, rows, RowNames()) switch
        {
            null => null,
            [var one] => one,
            _ => throw OptionText.Wrong(rows, parsed.GetValue(rows)!, "one row with --sweep"),
        };
    }
}
