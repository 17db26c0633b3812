using Spate.Cli.Shell.Terminal;
using Spate.HostTuning.Checks;
using Spate.Measurement.Reports;

namespace Spate.Cli.Host;

/// <summary>The text of a finding of <c>spate doctor</c>.</summary>
internal static class FindingText
{
    public static void Write(FindingReport finding, TerminalWriter writer)
    {
        string wanted = finding.Wanted.Length > 0 ? $"; wanted: {finding.Wanted}" : "";
        bool isUnknown = finding is { Status: "unknown", Found: "unknown" };
        string found = isUnknown ? "" : $": {finding.Found}{wanted}";
        writer.Line($"{finding.Status}: {NameOf(finding)}{found}");
        writer.Line($"  {finding.Reason}");
        if (finding.Command is { } command) WriteCommand("do:  ", command, writer);
        if (finding.Undo is { } undo) WriteCommand("undo:", undo, writer);
        if (IsToDo(finding)) writer.Line($"  more: spate explain {finding.Id}");
    }

    public static void WriteFirst(FindingReport first, TerminalWriter writer)
    {
        if (first.Command is { } command && command.Length <= PrintableText.MaxPageLength)
        {
            writer.Line($"Do this first, as root, then measure again ({NameOf(first)}):");
            writer.Raw($"  {PrintableText.ForTerminal(command, PrintableText.MaxPageLength)}{Environment.NewLine}");
        }
        else
        {
            writer.Line($"Look at this first: {NameOf(first)}");
        }
    }

    public static string NameOf(FindingReport finding) =>
        finding.Interface is { } name ? $"{finding.Id} on {name}" : finding.Id;

    public static bool IsToDo(FindingReport finding) => finding.Status is "problem" or "advice";

    public static string Count(int count, string one) => count == 1 ? $"1 {one}" : $"{count} {one}s";

    // A command is pasted, so it is one line on any terminal: it is neither broken nor cut.
    private static void WriteCommand(string title, string command, TerminalWriter writer)
    {
        string text = command.Length <= PrintableText.MaxPageLength
            ? PrintableText.ForTerminal(command, PrintableText.MaxPageLength)
            : "too long for a line: see --json -, or spate tune";
        writer.Raw($"  {title} {text}{Environment.NewLine}");
    }
}

/// <summary>A finding in reports: <c>problem</c>, <c>advice</c>, <c>unknown</c> or <c>ok</c>.</summary>
internal sealed record FindingReport(
    string Id,
    string? Interface,
    string Status,
    string Found,
    string Wanted,
    string Reason,
    string? Command,
    string? Undo,
    long Growth)
{
    internal static FindingReport Of(CheckFinding finding) => new(
        finding.Id,
        finding.Interface,
        NameText.Of(finding.Status),
        finding.Found,
        finding.Wanted,
        finding.Reason,
        finding.Command,
        finding.Undo,
        finding.Growth);
}
