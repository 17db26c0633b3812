using System.CommandLine;
using Spate.Cli.Host;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Cli.Tune.Applying;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Reading;
using Spate.Measurement.Reports;

namespace Spate.Cli.Tune;

/// <summary><c>spate tune</c>: sets what <c>spate doctor</c> advises, and takes it back.</summary>
internal sealed class TuneCommand
{
    private readonly ExamineOptionSet _examine = new();
    private readonly MeasureOptionSet _measure = new();
    private readonly ReportOptionSet _report = new(static () => TuneJson.Default.TuneReport);

    private readonly Option<bool> _apply = OptionText.CreateFlag(
        "--apply", "Apply the plan, and save the old values. Needs root. Without it, nothing is changed.");

    private readonly Option<bool> _persist = OptionText.CreateFlag(
        "--persist", "With --apply: also write the sysctls to /etc/sysctl.d, so that they survive a reboot.");

    private readonly Option<bool> _undo = OptionText.CreateFlag(
        "--undo", "Restore the old values. Settings that somebody else has changed since are kept and listed.");

    private readonly Option<string?> _journal = OptionText.Create(
        "--journal", "FILE", $"The file with the old values. Default: {HostTuner.DefaultJournalPath}.");

    private TuneCommand()
    {
    }

    public static Command Create(Streams streams)
    {
        var options = new TuneCommand();
        var command = new Command("tune", "Show, apply or undo the settings that spate doctor advises for this host.");
        options._examine.AddTo(command);
        options._measure.AddTo(command);
        command.Add(options._apply);
        command.Add(options._persist);
        command.Add(options._undo);
        command.Add(options._journal);
        options._report.AddTo(command);
        command.SetAction((parsed, _) => options.RunAsync(parsed, streams));
        ExampleHelp.AddTo(
            command,
            "spate tune                           the plan and its commands",
            "sudo spate tune --apply              apply it",
            "sudo spate tune --measure            measure each change over the loopback",
            "sudo spate tune --measure --apply    and keep changes that help",
            "sudo spate tune --undo               restore all old values");
        return command;
    }

    private async Task<int> RunAsync(ParseResult parsed, Streams streams)
    {
        (bool applies, bool undoes) = (parsed.GetValue(_apply), parsed.GetValue(_undo));
        if (applies && undoes)
        {
            throw CommandException.WrongUse("--apply and --undo exclude each other: use one of them");
        }

        if (parsed.GetValue(_persist) && !applies) throw CommandException.WrongUse("--persist needs --apply");
        MeasureOptions? measure = _measure.Read(parsed);
        if (measure is not null && undoes)
        {
            throw CommandException.WrongUse("--measure and --undo exclude each other: use one of them");
        }

        if (undoes && _examine.IsUsed(parsed))
        {
            throw CommandException.WrongUse("--undo restores all old values: leave out the options of the examination");
        }

        if (parsed.GetValue(_journal) is "") throw OptionText.Wrong(_journal, "", "a file");

        ReportOptions request = _report.Read(parsed);
        if (!OperatingSystem.IsLinux())
        {
            throw CommandException.Refused(
                "spate tune needs Linux: spate doctor shows the limits of UDP on this system",
                DocsAnchor.TakeBack);
        }

        using var output = ReportOutput.Open(request, streams);
        using var stop = new StopSignal(streams);
        var tuner = new HostTuner(parsed.GetValue(_journal) ?? HostTuner.DefaultJournalPath);
        TuneReport report;
        try
        {
            report = undoes
                ? Done("undo", tuner, profile: null, [.. tuner.Undo().Select(static one => Of(one, plan: []))])
                : await ExamineAsync(parsed, measure, tuner, streams, stop.Token).ConfigureAwait(false);
        }
        catch (UnauthorizedAccessException fault)
        {
            throw CommandException.Refused($"this needs root, to change {tuner.JournalPath}", DocsAnchor.Root, fault);
        }
        catch (IOException fault)
        {
            throw CommandException.Refused(fault.Message, DocsAnchor.Output, fault);
        }

        if (!output.TakesStandardOutput) TuneText.Write(report, streams.OutputPage);

        bool isRefused = report.Failed > 0 || LacksRoot(report, applies || measure is not null);
        return output.Finish(report, isRefused ? ExitCode.CouldNotRun : ExitCode.Done);
    }

    private async Task<TuneReport> ExamineAsync(
        ParseResult parsed,
        MeasureOptions? measure,
        HostTuner tuner,
        Streams streams,
        CancellationToken stop)
    {
        if (measure is not null && Environment.IsPrivilegedProcess && tuner.HasChanges)
        {
            throw CommandException.Refused(
                $"{tuner.JournalPath} has changes of an earlier or interrupted spate tune: undo them "
                + "with spate tune --undo, then measure",
                DocsAnchor.TakeBack);
        }

        HostExamination examination = await _examine
            .RunAsync(parsed, streams, targets: [], stop)
            .ConfigureAwait(false);
        string profile = HostProfileText.Of(examination.Profile);
        IReadOnlyList<CheckFinding> findings = examination.Findings;
        if (measure is null) return ToReport(parsed, findings, tuner, profile, streams, stop);

        (TuneTrial[] trials, TuneLoad load, CheckFinding[] proven) =
            new TuneMeasurement(tuner, streams).Run(findings, measure, stop);
        bool isRoot = Environment.IsPrivilegedProcess;
        if (!isRoot) streams.Warn("measuring settings needs root: these are the commands, for root", DocsAnchor.Root);

        TuneReport report = ToReport(parsed, isRoot ? proven : findings, tuner, profile, streams, stop);
        return report with
        {
            Action = report.Action is "plan" && isRoot ? "measure" : report.Action,
            Load = load,
            Trials = trials,
        };
    }

    private TuneReport ToReport(
        ParseResult parsed,
        IReadOnlyList<CheckFinding> findings,
        HostTuner tuner,
        string profile,
        Streams streams,
        CancellationToken stop)
    {
        TuneSetting[] plan = TuneSetting.PlanOf(findings);

        // Somebody who stops the command while it looks does not expect that it sets something afterwards.
        if (parsed.GetValue(_apply) && !stop.IsCancellationRequested)
        {
            try
            {
                IReadOnlyList<SettingOutcome> outcomes = tuner.Apply(findings, parsed.GetValue(_persist));
                return Done("apply", tuner, profile, [.. outcomes.Select(outcome => Of(outcome, plan))]);
            }
            catch (UnauthorizedAccessException)
            {
                streams.Warn(
                    "--apply needs root: nothing was changed; these are the commands, for root", DocsAnchor.Root);
            }
        }

        return Done("plan", tuner, profile, plan);
    }

    private static bool LacksRoot(TuneReport report, bool wantsChanges) =>
        wantsChanges && report.Action is "plan" && report.Settings.Length > 0;

    private static TuneSetting Of(SettingOutcome outcome, TuneSetting[] plan)
    {
        TuneSetting? planned =
            Array.Find(plan, one => string.Equals(one.Setting, outcome.Setting, StringComparison.Ordinal));
        return new TuneSetting(
            planned?.Check,
            outcome.Setting,
            outcome.From,
            outcome.To,
            NameText.Of(outcome.State),
            outcome.Note,
            planned?.Command,
            planned?.Undo);
    }

    private static TuneReport Done(string action, HostTuner tuner, string? profile, TuneSetting[] settings) => new()
    {
        SpateVersion = ToolVersion.Text,
        Kernel = HostFacts.ReadKernel(),
        Action = action,
        Profile = profile,
        Journal = tuner.JournalPath,
        Done = settings.Count(static one => one.State is "done"),
        Failed = settings.Count(static one => one.State is "failed"),
        Foreign = settings.Count(static one => one.State is "foreign"),
        Settings = settings,
    };
}
