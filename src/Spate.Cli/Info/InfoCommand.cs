using System.CommandLine;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.HostTuning.Reading;

namespace Spate.Cli.Info;

/// <summary><c>spate info</c>: shows what this host and this build offer.</summary>
internal static class InfoCommand
{
    public static Command Create(Streams streams)
    {
        var command = new Command(
            "info", "Show system, CPUs, buffer limits, interfaces, and which fast paths work here.");
        var report = new ReportOptionSet(static () => InfoJson.Default.InfoReport);
        report.AddTo(command);
        command.SetAction(parsed => Run(report.Read(parsed), streams));
        ExampleHelp.AddTo(
            command,
            "spate info",
            "spate info --json -             the same as JSON",
            "spate info --json host.json     both",
            "spate info --fail-if 'capabilities[segmentedSend].available == false'");
        return command;
    }

    private static int Run(ReportOptions request, Streams streams)
    {
        using var output = ReportOutput.Open(request, streams);
        InfoReport report = InfoReport.Of(HostFacts.Read(), UdpCapabilities.Current, ToolVersion.Text);
        if (!output.TakesStandardOutput) InfoText.Write(report, streams.OutputPage);

        return output.Finish(report);
    }
}
