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
    private const double MinSeconds = 0.1;

    private readonly ReportOptions _report = new(typeof(DoctorReport));

    private readonly Option<string?> _interface = OptionText.Create(
        "--interface", "NAME", "The interface to look at. Default: those that have a default route.");

    private readonly Option<string?> _profile = OptionText.Create(
        "--profile", "NAME", "What the host is to be fit for: 1g, 10g, 40g, 100g or latency. Default: by the link.");

    private readonly Option<string?> _seconds = OptionText.Create(
        "--seconds", "S", "How long the counters are watched. Default: 2.");

    private readonly Option<bool> _all = OptionText.CreateFlag(
        "--all", "Show also what is well and what is unknown.");

    private DoctorCommand()
    {
    }

    public static Command Create(Streams streams)
    {
        var options = new DoctorCommand();
        var command = new Command("doctor", "Say what on this host limits UDP, with evidence and the way to mend it.");
        command.Add(options._interface);
        command.Add(options._profile);
        command.Add(options._seconds);
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
        var request = new CheckRequest
        {
            Interface = parsed.GetValue(_interface),
            Profile = ReadProfile(parsed),
            Duration = SecondsText.Read(parsed, _seconds, MinSeconds) ?? TimeSpan.FromSeconds(2),
        };
        using var output = ReportOutput.Open(_report.Read(parsed), streams);
        using var stop = new StopSignal(streams);
        HostExamination examination;
        try
        {
            examination = await HostExamination.RunAsync(request, TimeProvider.System, stop.Token)
                .ConfigureAwait(false);
        }
        catch (ArgumentException fault)
        {
            throw CommandException.WrongUse(fault.Message);
        }

        DoctorReport report = DoctorReport.Of(examination, HostFacts.ReadKernel(), ToolVersion.Text);
        if (!output.TakesStandardOutput) DoctorText.Write(report, parsed.GetValue(_all), streams.OutputPage);

        return output.Finish(report);
    }

    private HostProfile? ReadProfile(ParseResult parsed)
    {
        if (parsed.GetValue(_profile) is not { } text) return null;

        return HostProfileText.Parse(text)
            ?? throw OptionText.Wrong(_profile, text, string.Join(", ", HostProfileText.All));
    }
}
