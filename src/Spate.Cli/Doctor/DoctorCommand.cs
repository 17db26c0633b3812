using System.CommandLine;
using Spate.Cli.Options;
using Spate.Cli.Output;
using Spate.HostTuning;
using Spate.HostTuning.Checks;
using Spate.Measurement.Checks;

namespace Spate.Cli.Doctor;

/// <summary><c>spate doctor</c>: says what on this host limits UDP, and what would help.</summary>
internal sealed class DoctorCommand
{
    private readonly ExamineOptions _examine = new();
    private readonly ReportOptions _report = new(typeof(DoctorReport));

    private readonly Option<bool> _all = OptionText.CreateFlag(
        "--all", "Show also what is well and what is unknown.");

    private DoctorCommand()
    {
    }

    public static Command Create(Streams streams)
    {
        var options = new DoctorCommand();
        var command = new Command("doctor", "Say what on this host limits UDP, with evidence and the way to mend it.");
        options._examine.AddTo(command);
        command.Add(options._all);
        options._report.AddTo(command);
        command.SetAction((parsed, _) => options.RunAsync(parsed, streams));
        ExampleHelp.AddTo(
            command,
            "spate doctor",
            "spate doctor --all --profile 10g      every check, against the needs of 10 Gbit/s",
            "spate doctor --fail-if 'problems > 0'");
        return command;
    }

    private async Task<int> RunAsync(ParseResult parsed, Streams streams)
    {
        using var output = ReportOutput.Open(_report.Read(parsed), streams);
        using var stop = new StopSignal(streams);
        HostExamination examination = await _examine.RunAsync(parsed, stop.Token).ConfigureAwait(false);
        DoctorReport report = DoctorReport.Of(examination, HostFacts.ReadKernel(), ToolVersion.Text);
        if (!output.TakesStandardOutput) DoctorText.Write(report, parsed.GetValue(_all), streams.OutputPage);

        return output.Finish(report);
    }
}
