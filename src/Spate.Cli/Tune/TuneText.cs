using Spate.Cli.Shell.Terminal;
using Spate.Cli.Tune.Trials;

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

    private static readonly Table<TuneTrial> Trials = new(
        new("check", Align.Left, 0, static one => one.Check),
        new("setting", Align.Left, 1, static one => one.Setting),
        new("from", Align.Left, 2, static one => one.From),
        new("to", Align.Left, 0, static one => one.To),
        new("missing %\nbefore", Align.Right, 0, static one => Units.Number(one.MissingPercentBefore, "0.00")),
        new("missing %\nafter", Align.Right, 0, static one => Units.Number(one.MissingPercentAfter, "0.00")),
        new("arrived/s\nbefore", Align.Right, 3, static one => Units.PerSecond(one.DatagramsPerSecondBefore)),
        new("arrived/s\nafter", Align.Right, 3, static one => Units.PerSecond(one.DatagramsPerSecondAfter)),
        new("CPU ns\nbefore", Align.Right, 5, static one => Units.Number(one.CpuNanosecondsBefore, "0")),
        new("CPU ns\nafter", Align.Right, 5, static one => Units.Number(one.CpuNanosecondsAfter, "0")),
        new("evidence", Align.Left, 4, Evidence),
        new("verdict", Align.Left, 0, static one => one.Verdict),
        new("", Align.Wrapped, 0, static one => one.Note ?? ""));

    public static void Write(TuneReport report, TerminalWriter writer)
    {
        if (report.Load is not null) WriteTrials(report, writer);
        if (report.Settings.Length == 0)
        {
            if (report.Load is not null) return;

            writer.Line(report.Action is "undo"
                ? $"nothing to undo: {report.Journal} has no change since the last boot"
                : $"nothing to set for profile {report.Profile}: spate doctor --all shows every check");
            return;
        }

        writer.Table(Settings, report.Settings);
        writer.Line();
        if (report.Action is "plan" or "measure") WritePlan(report, writer);
        else WriteOutcome(report, writer);
    }

    private static void WriteTrials(TuneReport report, TerminalWriter writer)
    {
        writer.Table(Trials, report.Trials);
        writer.Line();
        TuneTrial[] helping = [.. report.Trials.Where(static one => one.Verdict is TuneTrial.Helps)];
        writer.Line(helping.Length == 0
            ? "no change is proven to help under this load, and none was kept; a higher --rate, more rounds "
                + "(--repeat) and an otherwise idle host show smaller effects"
            : $"proven by two series of {report.Load!.Repeat} measurements per side: "
                + string.Join(", ", helping.Select(static one => $"{one.Check} {one.To}")));
        foreach (TuneTrial cpus in helping.Where(static one => one.Check is PlacementCandidate.CheckName))
        {
            writer.Line($"  {cpus.Command}");
        }
    }

    private static string Evidence(TuneTrial trial) => trial switch
    {
        { ChancePercent: { } chance } => $"chance {Units.Number(chance, "0.##")} %",
        { LowPercent: { } low, HighPercent: { } high } =>
            $"{Units.Number(low, "+0.0;-0.0")} to {Units.Number(high, "+0.0;-0.0")} %",
        _ => "",
    };

    private static void WritePlan(TuneReport report, TerminalWriter writer)
    {
        writer.Line("commands, as root:");
        foreach (TuneSetting setting in report.Settings) writer.Line("  " + setting.Command);

        writer.Line();
        if (report.Action is "measure")
        {
            writer.Line("no change was kept: add --apply to keep those that help");
            return;
        }

        writer.Line($"nothing was changed: --apply sets these for profile {report.Profile} until the next "
            + $"reboot and saves the old values in {report.Journal}; --undo restores them. Reasons: spate doctor");
    }

    private static void WriteOutcome(TuneReport report, TerminalWriter writer)
    {
        string verb = report.Action is "undo" ? "undone" : "set";
        string left = report.Foreign > 0 ? $", {report.Foreign} left alone" : "";
        string failed = report.Failed > 0 ? $", {report.Failed} refused by the system" : "";
        writer.Line($"{report.Done} of {report.Settings.Length} {verb}{left}{failed}"
            + (report.Action is "undo" ? "" : "; spate tune --undo restores the old values"));
    }
}
