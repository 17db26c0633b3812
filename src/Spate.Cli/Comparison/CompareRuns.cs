using System.CommandLine.Parsing;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.Reports;

namespace Spate.Cli.Comparison;

/// <summary>Runs the commands of <c>--repeat</c>, with progress.</summary>
internal static class CompareRuns
{
    /// <summary>Runs the commands. Without one complete pair there is nothing to compare, which is refused.</summary>
    public static RepeatedResult Execute(
        string[] a, string[] b, int runs, int? seed, bool allowsDifferent, ReportReader reader, Streams streams)
    {
        if (a.Length != 1 || b.Length != 1)
        {
            throw CommandException.WrongUse(
                "--repeat takes one command a side, in quotes: spate compare --repeat 5 'bench drain' -- "
                + "'/opt/old/spate bench drain'");
        }

        (RepeatedCommand first, RepeatedCommand second) = (CommandOf(a[0]), CommandOf(b[0]));
        int order = seed ?? Random.Shared.Next();
        streams.Notice($"{runs} run{(runs == 1 ? "" : "s")} a side, in random order (--seed {order})");
        using var stop = new StopSignal(streams);
        RepeatedResult reports;
        using (var progress = new RunProgress(streams))
        {
            reports = RepeatedRuns.Execute(first, second, runs, order, allowsDifferent, reader, progress, stop.Token);
        }

        int pairs = reports.A.Count;
        if (pairs == 0)
        {
            throw CommandException.Refused(
                reports.Fault ?? "interrupted before the first pair was complete: nothing to compare",
                DocsAnchor.None);
        }

        if (pairs < runs)
        {
            streams.Notice($"{reports.Fault ?? "interrupted"}; {pairs} of {runs} pairs are complete and compared");
        }

        return reports;
    }

    /// <summary>The program and arguments of a command as typed, with or without <c>spate</c>.</summary>
    internal static RepeatedCommand CommandOf(string text)
    {
        string[] words = [.. CommandLineParser.SplitCommandLine(text)];
        if (words.Length == 0)
        {
            throw CommandException.WrongUse("a side's command is empty: expected one such as 'bench drain --quick'");
        }

        if (words.Any(static word => word is "--json" || word.StartsWith("--json=", StringComparison.Ordinal)))
        {
            throw CommandException.WrongUse($"'{text}' names --json, which --repeat adds itself: leave it out");
        }

        bool isPath = words[0].Contains(Path.DirectorySeparatorChar) || words[0].Contains('/');
        if (isPath) return new RepeatedCommand(words[0], words[1..]);

        return Own(words[0].Equals("spate", StringComparison.Ordinal) ? words[1..] : words) with { Text = text };
    }

    internal static RepeatedCommand Own(IReadOnlyList<string> arguments)
    {
        string program = Environment.ProcessPath ?? throw CommandException.Refused(
            "the system does not tell where this program is: name a path instead of spate", DocsAnchor.Comparing);

        // Where the runtime's host runs the tool (dotnet Spate.Cli.dll), the process is not the tool's own.
        return Path.GetFileNameWithoutExtension(program).Equals("dotnet", StringComparison.OrdinalIgnoreCase)
            ? new RepeatedCommand(program, [Environment.GetCommandLineArgs()[0], .. arguments])
            : new RepeatedCommand(program, arguments);
    }

    private sealed class RunProgress(Streams streams) : IProgress<RepeatedStep>, IDisposable
    {
        private readonly ProgressLine _line = new(streams.ErrorPage, streams.Time);

        public void Report(RepeatedStep value) =>
            _line.Show(value.ToString());

        public void Dispose() => _line.Dispose();
    }
}
