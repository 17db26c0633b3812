using Spate.Cli.Shell.Terminal;
using Spate.Measurement.Reports;

namespace Spate.Cli.Doctor;

/// <summary>The text of <c>spate doctor</c>.</summary>
internal static class DoctorText
{
    /// <summary>The page that has a heading for each check.</summary>
    public const string Guide = "docs/tuning.md";

    public static void Write(DoctorReport report, bool showsAll, TerminalWriter writer)
    {
        string interfaces = report.Interfaces.Length > 0 ? string.Join(", ", report.Interfaces) : "none";
        writer.Line($"{report.Kernel}, profile {report.Profile}, interfaces: {interfaces}, "
            + $"counters watched for {report.Seconds:0.0} s");
        foreach (DoctorCheck check in report.Checks)
        {
            if (!showsAll && !IsToDo(check)) continue;

            writer.Line();
            Write(check, writer);
        }

        writer.Line();
        WriteSummary(report, showsAll, writer);
    }

    /// <summary>Writes one finding: what was found and is wanted, why, and the commands.</summary>
    public static void Write(DoctorCheck check, TerminalWriter writer)
    {
        string wanted = check.Wanted.Length > 0 ? $"; wanted: {check.Wanted}" : "";
        string found = check.Status is "unknown" && check.Found is "unknown" ? "" : $": {check.Found}{wanted}";
        writer.Line($"{check.Status}: {NameOf(check)}{found}");
        writer.Line($"  {check.Reason}");
        if (check.Command is { } command) WriteCommand("do:  ", command, writer);
        if (check.Undo is { } undo) WriteCommand("undo:", undo, writer);
        if (IsToDo(check)) writer.Line($"  more: {Guide}#{check.Id}");
    }

    /// <summary>Writes what to do first.</summary>
    public static void WriteFirst(DoctorCheck first, TerminalWriter writer)
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

    /// <summary>The name of a check, with the interface that it is about.</summary>
    public static string NameOf(DoctorCheck check) =>
        check.Interface is { } name ? $"{check.Id} on {name}" : check.Id;

    /// <summary>A count of things.</summary>
    public static string Count(int count, string one) => count == 1 ? $"1 {one}" : $"{count} {one}s";

    private static bool ShowsAll() => Environment.IsPrivilegedProcess || !OperatingSystem.IsLinux();

    private static bool IsToDo(DoctorCheck check) => check.Status is "problem" or "advice";

    // A command is pasted, so it is one line on any terminal: it is neither broken nor cut.
    private static void WriteCommand(string title, string command, TerminalWriter writer)
    {
        string text = command.Length <= PrintableText.MaxPageLength
            ? PrintableText.ForTerminal(command, PrintableText.MaxPageLength)
            : "too long for a line: see --json -, or spate tune";
        writer.Raw($"  {title} {text}{Environment.NewLine}");
    }

    private static void WriteSummary(DoctorReport report, bool showsAll, TerminalWriter writer)
    {
        string[] unknown = [.. report.Checks.Where(static one => one.Status is "unknown").Select(NameOf)];
        int ok = report.Checks.Length - report.Problems - report.Advices - unknown.Length;
        if (!showsAll && unknown.Length > 0)
        {
            writer.Line($"unknown: {string.Join(", ", unknown.Distinct(StringComparer.Ordinal))}"
                + (ShowsAll() ? "" : "; some of it is shown to root only"));
        }

        if (report.LeftOut.Length > 0)
        {
            writer.Line($"not looked at: {Count(report.LeftOut.Length, "check")} of what only Linux has");
        }

        writer.Line($"{Count(report.Problems, "problem")}, {report.Advices} advised, {unknown.Length} unknown, "
            + $"{ok} ok" + (showsAll ? "" : "; --all shows every check and why"));
        if (Array.Find(report.Checks, IsToDo) is { } first) WriteFirst(first, writer);
        else writer.Line("Nothing is known to limit UDP here. Look again while your program runs: --seconds 30");
    }
}
