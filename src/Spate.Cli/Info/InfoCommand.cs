using System.CommandLine;
using Spate.Cli.Options;
using Spate.Cli.Output;
using Spate.HostTuning;
using Spate.Measurement.Info;
using Spate.Measurement.Reports;

namespace Spate.Cli.Info;

/// <summary><c>spate info</c>: shows what this host and this build offer.</summary>
internal static class InfoCommand
{
    public static Command Create(Streams streams)
    {
        var command = new Command(
            "info", "Show system, CPUs, buffer limits, interfaces, and which fast paths work here.");
        Option<string?> json = OptionText.CreateJson();
        command.Add(json);
        command.SetAction(parsed => Run(parsed.GetValue(json), streams));
        ExampleHelp.AddTo(
            command,
            "spate info",
            "spate info --json -             the same for a program",
            "spate info --json host.json     both");
        return command;
    }

    private static int Run(string? jsonPath, Streams streams)
    {
        using JsonOutput? json = JsonOutput.Open(jsonPath, streams);
        InfoReport report = InfoReport.Of(HostFacts.Read(), UdpCapabilities.Current, ToolVersion.Text);
        if (json?.IsStandardOutput != true) InfoText.Write(report, streams.OutputPage);

        json?.Write(ReportJson.Serialize(report));
        return ExitCode.Done;
    }
}
