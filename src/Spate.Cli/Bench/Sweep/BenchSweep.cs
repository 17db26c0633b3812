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

    /// <summary>Refuses what is asked for besides and has no effect on a sweep.</summary>
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

    /// <summary>Sweeps a row, null for the default, and writes table, sentence and JSON.</summary>
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
