using System.CommandLine;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;
using Spate.Gateway;

namespace Spate.Cli.Gateway;

/// <summary><c>spate gateway read</c>: reads what gateways have committed, and says what is missing.</summary>
internal static class GatewayReadCommand
{
    public static Command Create(Streams streams)
    {
        var command = new Command("read", "Read datagrams back from a stream, and say which are missing, and why.");
        var options = new GatewayReadOptionSet();
        options.AddTo(command);
        command.SetAction(parsed => Run(options.Read(parsed), streams));
        ExampleHelp.AddTo(
            command,
            "spate gateway read --from amqp://localhost --stream logs --verify",
            "spate gateway read --from amqp://localhost --stream logs --follow --ndjson | jq .text",
            "spate gateway read --from amqps://mq1,mq2/site --ca ca.pem --stream logs --partitions 4 --json loss.json");
        return command;
    }

    private static int Run(GatewayReadOptions settings, Streams streams)
    {
        using var output = ReportOutput.Open(settings.Report, streams);
        using var stop = new StopSignal(streams);
        var records = new RecordLines(streams.Output, settings.Reader.Follow);
        GatewayReaderOptions options = settings.Reader with { OnNotice = streams.Notice };
        GatewayRecordCallback? visit = null;
        if (settings.WritesRecords) visit = records.Write;
        GatewayFindings findings;
        try
        {
            findings = Read(options, visit, stop.Token);
        }
        finally
        {
            // What was read before a fault is the user's too.
            records.Flush();
        }

        // With the datagrams on stdout, the summary is for stderr.
        bool isBeside = settings.WritesRecords || output.TakesStandardOutput;
        GatewayReadText.Write(findings, isBeside ? streams.ErrorPage : streams.OutputPage);
        int exitCode = findings.IsInterrupted ? ExitCode.CouldNotRun
            : settings.Verifies && !findings.IsComplete ? ExitCode.CheckFailed
            : ExitCode.Done;
        return output.Finish(GatewayReadReport.Of(findings, options.Target, options.StreamName), exitCode);
    }

    private static GatewayFindings Read(
        GatewayReaderOptions options, GatewayRecordCallback? visit, CancellationToken stop)
    {
        try
        {
            return GatewayReader.ReadAsync(options, visit, stop).GetAwaiter().GetResult();
        }
        catch (ArgumentException fault)
        {
            throw GatewayCommand.WrongUse(fault);
        }
    }
}
