using Spate.Cli.Terminal;
using Spate.Measurement.Tuning;

namespace Spate.Cli.Tune;

/// <summary>The text of <c>spate tune</c>.</summary>
internal static class TuneText
{
    private static readonly Table<TuneSetting> Settings = new(
        new("check", Align.Left, 1, static one => one.Check ?? ""),
        new("setting", Align.Left, 0, static one => one.Setting),
        new("from", Align.Left, 0, static one => one.From),
        new("to", Align.Left, 0, static one => one.To),
        new("", Align.Left, 0, static one => one.State is "planned" ? "" : one.State),
        new("", Align.Wrapped, 0, static one => one.Note ?? ""));

    public static void Write(TuneReport report, Page page)
    {
        if (report.Settings.Length == 0)
        {
            page.Line(report.Action is "undo"
                ? $"nothing to take back: {report.Journal} names no change of this start of the system"
                : $"nothing to set for profile {report.Profile}: spate doctor --all shows every check");
            return;
        }

        page.Table(Settings, report.Settings);
        page.Line();
        if (report.Action is "plan") WritePlan(report, page);
        else WriteOutcome(report, page);
    }

    private static void WritePlan(TuneReport report, Page page)
    {
        page.Line("commands, as root:");
        foreach (TuneSetting setting in report.Settings) page.Line("  " + setting.Command);

        page.Line();
        page.Line($"nothing was changed: --apply sets these for profile {report.Profile} until the next start of the "
            + $"system and keeps the old values in {report.Journal}; --undo takes them back. Reasons: spate doctor");
    }

    private static void WriteOutcome(TuneReport report, Page page)
    {
        string verb = report.Action is "undo" ? "taken back" : "set";
        string left = report.Foreign > 0 ? $", {report.Foreign} left alone" : "";
        string failed = report.Failed > 0 ? $", {report.Failed} refused by the system" : "";
        page.Line($"{report.Done} of {report.Settings.Length} {verb}{left}{failed}"
            + (report.Action is "undo" ? "" : "; spate tune --undo takes them back"));
    }
}
