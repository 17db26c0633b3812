using System.CommandLine;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Shell.Output;
using Spate.Measurement.Reports;
using Spate.Measurement.Reports.Conditions;

namespace Spate.Cli.Shell.Options;

/// <summary>The options of every command that writes a report: <c>--json</c> and <c>--fail-if</c>.</summary>
/// <param name="reportType">The type of the command's report, which knows the names that a condition may use.</param>
internal sealed class ReportOptionSet(Func<JsonTypeInfo> reportType)
{
    private const int MaxConditions = 64;

    private readonly Option<string?> _json = OptionText.Create(
        "--json", "FILE|-", "Write the report as JSON to a file, or to stdout (-), which then has only JSON.");

    private readonly Option<string[]> _failIf = new("--fail-if")
    {
        HelpName = "CONDITION",
        Description = "Exit with code 1 if the report meets this: NAME OPERATOR VALUE, with the names in the JSON. "
            + "Repeat for more conditions.",
        Arity = ArgumentArity.OneOrMore,
    };

    public IReadOnlyList<Option> All => [_json, _failIf];

    public void AddTo(Command command)
    {
        command.Add(_json);
        command.Add(_failIf);
    }

    /// <summary>The values of the options, after a check of the conditions against the type of the report.</summary>
    /// <param name="otherType">The type of another report that this run writes; null for the command's own.</param>
    public ReportOptions Read(ParseResult parsed, Func<JsonTypeInfo>? otherType = null)
    {
        string[] texts = parsed.GetValue(_failIf) ?? [];
        Func<JsonTypeInfo> type = otherType ?? reportType;
        return texts.Length <= MaxConditions
            ? new ReportOptions(parsed.GetValue(_json), [.. texts.Select(text => Parse(text, type()))])
            : throw CommandException.WrongUse(
                $"--fail-if is given {texts.Length} times: expected at most {MaxConditions}");
    }

    private static ReportCondition Parse(string text, JsonTypeInfo type) =>
        ReportCondition.TryParse(type, text, out ReportCondition? condition, out string? error)
            ? condition
            : throw CommandException.WrongUse($"--fail-if '{text}' is wrong: {error}");
}

/// <summary>Reads the reports that a command line names.</summary>
internal static class ReportFiles
{
    /// <summary>Reads the figures of a report. A path that holds none is refused in one line that names it.</summary>
    public static Report Read(string path, ReportReader reader)
    {
        try
        {
            return ReportFile.TryRead(path, reader, out Report? report, out string? error)
                ? report
                : throw CommandException.WrongUse(
                    $"'{path}' is not a report: {error}; expected a file that --json FILE wrote");
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw CommandException.Refused(
                $"cannot read the report '{path}': {ReasonOf(fault)}", DocsAnchor.None, fault);
        }
    }

    // The messages of the other types are written for programmers, or name the path a second time.
    private static string ReasonOf(Exception fault) => fault switch
    {
        FileNotFoundException or DirectoryNotFoundException => "the file does not exist",
        UnauthorizedAccessException => "permission denied",
        EndOfStreamException => "another program truncated it during the read",
        PathTooLongException => "its name is too long",
        _ => fault.Message.TrimEnd('.'),
    };
}
