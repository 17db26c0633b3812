using System.CommandLine;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Shell.Output;
using Spate.Measurement.Reports.Conditions;

namespace Spate.Cli.Shell.Options;

/// <summary>The options of every command that writes a report: <c>--json</c> and <c>--fail-if</c>.</summary>
/// <param name="reportType">The type of the command's report, which knows the names that a condition may use.</param>
internal sealed class ReportOptionSet(Func<JsonTypeInfo> reportType)
{
    private const int MaxConditions = 64;

    private readonly Option<string?> _json = OptionText.Create(
        "--json", "FILE|-", "Write the report as JSON to a file, or to stdout (-), which then holds nothing else.");

    private readonly Option<string[]> _failIf = new("--fail-if")
    {
        HelpName = "CONDITION",
        Description = "Exit with code 1 if this holds for the report: NAME OPERATOR VALUE, with the names of the JSON. "
            + "Several times for several.",
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
                $"--fail-if is given {texts.Length} times: expected {MaxConditions} at most");
    }

    private static ReportCondition Parse(string text, JsonTypeInfo type) =>
        ReportCondition.TryParse(type, text, out ReportCondition? condition, out string? error)
            ? condition
            : throw CommandException.WrongUse($"--fail-if '{text}' is wrong: {error}");
}
