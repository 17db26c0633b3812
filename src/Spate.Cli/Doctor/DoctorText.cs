using Spate.Cli.Host;
using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Doctor;

/// <summary>The text of <c>spate doctor</c>.</summary>
internal static class DoctorText
{
    public static void Write(DoctorReport report, bool showsAll, TerminalWriter writer)
    {
        string interfaces = report.Interfaces.Length > 0 ? string.Join(", ", report.Interfaces) : "none";
        writer.Line($"{report.Kernel}, profile {report.Profile}, interfaces: {interfaces}, "
            + $"counters watched for {report.Seconds:0.0} s");
        foreach (FindingReport finding in report.Checks)
        {
            if (!showsAll && !FindingText.IsToDo(finding)) continue;

            writer.Line();
            FindingText.Write(finding, writer);
        }

        writer.Line();
        WriteSummary(report, showsAll, writer);
    }

    private static bool ShowsAll() => Environment.IsPrivilegedProcess || !OperatingSystem.IsLinux();

    private static void WriteSummary(DoctorReport report, bool showsAll, TerminalWriter writer)
    {
        string[] unknown =
            [.. report.Checks.Where(static one => one.Status is "unknown").Select(FindingText.NameOf)];
        int ok = report.Checks.Length - report.Problems - report.Advices - unknown.Length;
        if (!showsAll && unknown.Length > 0)
        {
            writer.Line($"unknown: {string.Join(", ", unknown.Distinct(StringComparer.Ordinal))}"
                + (ShowsAll() ? "" : "; some of it is shown to root only"));
        }

        if (report.LeftOut.Length > 0)
        {
            writer.Line($"not looked at: {FindingText.Count(report.LeftOut.Length, "check")} of what only Linux has");
        }

        writer.Line($"{FindingText.Count(report.Problems, "problem")}, {report.Advices} advised, "
            + $"{unknown.Length} unknown, {ok} ok" + (showsAll ? "" : "; --all shows every check and why"));
        if (Array.Find(report.Checks, FindingText.IsToDo) is { } first) FindingText.WriteFirst(first, writer);
        else writer.Line("Nothing is known to limit UDP here. Look again while your program runs: --seconds 30");
    }
}
