using Spate.Cli.Terminal;
using Spate.Measurement.Checks;

namespace Spate.Cli.Doctor;

/// <summary>The text of <c>spate doctor</c>.</summary>
internal static class DoctorText
{
    private const string Guide = "docs/tuning.md#";

    public static void Write(DoctorReport report, bool showsAll, Page page)
    {
        string interfaces = report.Interfaces.Length > 0 ? string.Join(", ", report.Interfaces) : "none";
        page.Line($"{report.Kernel}, profile {report.Profile}, interfaces: {interfaces}, "
            + $"counters watched for {report.Seconds:0.0} s");
        foreach (DoctorCheck check in report.Checks)
        {
            if (showsAll || check.Status is "problem" or "advice") Write(check, page);
        }

        int unknown = report.Checks.Count(static one => one.Status is "unknown");
        page.Line();
        page.Line($"{report.Problems} problems, {report.Advices} advices, {unknown} unknown, "
            + $"{report.Checks.Length - report.Problems - report.Advices - unknown} ok"
            + (showsAll ? "" : "; --all shows every check"));
    }

    private static void Write(DoctorCheck check, Page page)
    {
        string where = check.Interface is { } name ? $" on {name}" : "";
        string wanted = check.Wanted.Length > 0 ? $", wanted {check.Wanted}" : "";
        page.Line();
        page.Line($"{check.Status}: {check.Id}{where}: {check.Found}{wanted}");
        page.Line($"  {check.Reason} {Guide}{check.Id}");
        if (check.Command is { } command) page.Line($"  do:   {command}");
        if (check.Undo is { } undo) page.Line($"  undo: {undo}");
    }
}
