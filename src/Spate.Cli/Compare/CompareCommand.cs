using System.CommandLine;
using System.CommandLine.Parsing;
using Spate.Cli.Comparison;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Measurement.Reports;

namespace Spate.Cli.Compare;

/// <summary><c>spate compare</c>: two sides of reports, figure by figure, with a verdict.</summary>
internal static class CompareCommand
{
    public static Command Create(Streams streams, ReportReader reader)
    {
        var command = new Command(
            "compare", "Compare reports, or runs of two commands, and separate real differences from chance.");
        var sides = new Argument<string[]>("A... -- B...")
        {
            Description = "The reports (--json FILE) of side A, then -- and those of side B. With "
                + "--repeat: one quoted command per side. Options come before them.",
            Arity = ArgumentArity.OneOrMore,
        };
        Option<string?> repeat = OptionText.Create(
            "--repeat", "N", "Run both commands N times, in pairs of random order, and compare their reports.");
        Option<string?> seed = OptionText.Create(
            "--seed", "N", "With --repeat: the seed of the random order. Default: a new one, which is printed.");
        Option<bool> allowsDifferent = OptionText.CreateFlag(
            "--allow-different", "Also compare reports of different machines or sizes; the differences come first.");
        var report = new ReportOptionSet(static () => CompareJson.Default.CompareReport);
        command.Add(sides);
        command.Add(repeat);
        command.Add(seed);
        command.Add(allowsDifferent);
        report.AddTo(command);
        command.SetAction(parsed =>
        {
            (string[] a, string[] b) = CompareSides.Split(parsed, parsed.GetValue(sides)!);
            int? runs = (int?)UnitText.ReadCount(parsed, repeat, 1, RepeatedRuns.MaxRuns);
            int? order = (int?)UnitText.ReadCount(parsed, seed, 0, int.MaxValue);
            if (runs is null && order is not null)
            {
                throw CommandException.WrongUse("--seed sets the order of runs: it needs --repeat");
            }

            ReportOptions request = report.Read(parsed);
            using var output = ReportOutput.Open(request, streams);
            bool allows = parsed.GetValue(allowsDifferent);
            RepeatedResult reports = runs is { } count
                ? CompareRuns.Execute(a, b, count, order, allows, reader, streams)
                : new RepeatedResult(ReadAll(a, reader), ReadAll(b, reader), Fault: null);
            if (!ReportComparison.TryCompare(
                reports.A, reports.B, allows, out CompareReport? comparison, out string? error))
            {
                throw CommandException.Refused(error, DocsAnchor.None);
            }

            (comparison.A.Sources, comparison.B.Sources) = (a, b);
            comparison.Interrupted = reports.Fault is null && reports.A.Count < runs;
            if (!output.TakesStandardOutput) CompareText.Write(comparison, streams.OutputPage);
            return output.Finish(comparison, reports.Fault is null ? ExitCode.Done : ExitCode.CouldNotRun);
        });
        ExampleHelp.AddTo(
            command,
            "spate compare before.json after.json             one report per side: its rounds are compared",
            "spate compare a1.json a2.json -- b1.json b2.json  several: each report is one sample",
            "spate compare --repeat 5 'bench drain --quick' -- '/opt/old/spate bench drain --quick'",
            "spate compare --fail-if 'rows[figure=datagramsPerSecond].verdict == \"worse\"' a.json b.json");
        return command;
    }

    private static Report[] ReadAll(string[] paths, ReportReader reader)
    {
        if (paths.Length > ReportComparison.MaxReports)
        {
            throw CommandException.WrongUse(
                $"a side has {paths.Length} reports: expected at most {ReportComparison.MaxReports}");
        }

        // Copies of one sample would make chance look small.
        string? twice = paths.Where(static path => path.Length > 0)
            .GroupBy(Path.GetFullPath, StringComparer.Ordinal)
            .FirstOrDefault(static same => same.Count() > 1)?.First();
        return twice is null
            ? [.. paths.Select(path => ReportFiles.Read(path, reader))]
            : throw CommandException.WrongUse(
                $"a side has '{twice}' twice: each report is one sample, so give it once");
    }
}

/// <summary>Splits the arguments of <c>spate compare</c> into the two sides.</summary>
internal static class CompareSides
{
    /// <summary>The arguments before and after <c>--</c>; of two arguments without it, one is on each side.</summary>
    public static (string[] A, string[] B) Split(ParseResult parsed, string[] arguments)
    {
        int border = -1;
        for (int i = 0; i < parsed.Tokens.Count && border < 0; i++)
        {
            if (parsed.Tokens[i].Type == TokenType.DoubleDash) border = i;
        }

        if (border < 0 && arguments.Length == 2) return ([arguments[0]], [arguments[1]]);

        if (border < 0)
        {
            throw CommandException.WrongUse(
                "two sides are required, with -- between them: spate compare A.json... -- B.json...");
        }

        // What follows "--" is never an option, so all of it is arguments.
        int countOfB = parsed.Tokens.Count - border - 1;
        (string[] a, string[] b) = (arguments[..^countOfB], arguments[^countOfB..]);
        if (a.Length > 0 && b.Length > 0) return (a, b);

        string side = a.Length == 0 ? "before" : "after";
        throw CommandException.WrongUse($"the side {side} -- is empty: give its reports");
    }
}
