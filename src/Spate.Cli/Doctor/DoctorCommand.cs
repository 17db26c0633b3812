using System.CommandLine;
using System.Net;
using System.Net.Sockets;
using Spate.Cli.Host;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Traffic;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Reading;

namespace Spate.Cli.Doctor;

/// <summary><c>spate doctor</c>: says what on this host limits UDP, and what would help.</summary>
internal sealed class DoctorCommand
{
    private const int NoteColumns = 80;

    private readonly ExamineOptionSet _examine = new();
    private readonly ReportOptionSet _report = new(static () => DoctorJson.Default.DoctorReport);

    private readonly Option<bool> _all = OptionText.CreateFlag(
        "--all", "Show all checks, including ok and unknown ones.");

    private readonly Option<string?> _target = OptionText.Create(
        "--target", "HOST", "A name or address: probe the path to it with about 40 ICMP echo packets at most.");

    private readonly AddressFamilyOptionSet _family = new();

    private DoctorCommand()
    {
    }

    public static Command Create(Streams streams)
    {
        var options = new DoctorCommand();
        var command = new Command("doctor", "Find the limits of UDP on this host, with evidence and the fix for each.");
        options._examine.AddTo(command);
        command.Add(options._target);
        options._family.AddTo(command);
        command.Add(options._all);
        options._report.AddTo(command);
        command.SetAction((parsed, _) => options.RunAsync(parsed, streams));
        ExampleHelp.AddTo(
            command,
            "spate doctor",
            "spate doctor --all --profile 10g      every check, against the needs of 10 Gbit/s",
            "spate doctor --seconds 30             while your program runs and loses datagrams",
            "spate doctor --target 192.0.2.1       and the path MTU in both directions",
            "spate doctor --fail-if 'problems > 0'").Notes =
            [
                "Checks, each explained by spate explain NAME:",
                .. TextLines.Wrap("  " + string.Join(", ", HostExamination.CheckIds), NoteColumns),
            ];
        return command;
    }

    private async Task<int> RunAsync(ParseResult parsed, Streams streams)
    {
        IPAddress[] targets = ReadTargets(parsed);
        ReportOptions request = _report.Read(parsed);
        if (targets.Length > 0 && !OperatingSystem.IsLinux())
        {
            throw CommandException.Refused("a path is probed on Linux only: leave out --target", DocsAnchor.None);
        }

        using var output = ReportOutput.Open(request, streams);
        using var stop = new StopSignal(streams);
        HostExamination examination = await _examine
            .RunAsync(parsed, streams, targets, stop.Token)
            .ConfigureAwait(false);
        DoctorReport report = DoctorReport.Of(examination, HostFacts.ReadKernel(), ToolVersion.Text);
        if (!output.TakesStandardOutput) DoctorText.Write(report, parsed.GetValue(_all), streams.OutputPage);

        return output.Finish(report);
    }

    // One address of each family: a name may have many, and each is sent probes.
    private IPAddress[] ReadTargets(ParseResult parsed)
    {
        AddressFamily? family = _family.Read(parsed);
        if (parsed.GetValue(_target) is not { } host) return [];

        IPAddress[] targets = [.. HostResolver.ResolveAll(host, family).DistinctBy(static one => one.AddressFamily)];
        foreach (IPAddress target in targets)
        {
            var endPoint = new UdpEndPoint(target, 0);
            if (endPoint.Address.IsMulticast || endPoint.Address.IsUnspecified || target.Equals(IPAddress.Broadcast))
            {
                throw OptionText.Wrong(_target, host, "one host");
            }
        }

        return targets;
    }
}
