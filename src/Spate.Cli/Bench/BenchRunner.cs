using System.Net;
using System.Net.Sockets;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench;

/// <summary>The steps around the measurement that all benches share: stop signal, progress, faults, results.</summary>
internal static class BenchRunner
{
    /// <summary>Measures, names the rows that could not run, and writes table and JSON.</summary>
    public static int Run<TReport>(
        ReportOptions request,
        Streams streams,
        Func<IProgress<BenchStep>, CancellationToken, TReport> execute,
        Action<TReport, TerminalWriter> write)
        where TReport : RoundsReport
    {
        using var output = ReportOutput.Open(request, streams);
        using var stop = new StopSignal(streams);
        TReport report;
        try
        {
            using var progress = new StepProgress<BenchStep>(streams.ErrorPage, streams.Time);
            report = execute(progress, stop.Token);
        }
        catch (OperationCanceledException fault)
        {
            throw CommandException.Refused(
                "interrupted before the end of the first round: nothing to report", DocsAnchor.None, fault);
        }

        if (report.Interrupted) streams.Notice(BenchText.Interruption);

        // Rows with the same reason share one line.
        foreach (BenchSkippedRow rows in BenchSkippedRow.Join(report.Skipped))
        {
            streams.Warn($"{rows.Name} did not run: {rows.Reason}", DocsAnchor.SkippedRows);
        }

        if (!request.ShowsAllCores) report.OmitIdleCores();
        if (!output.TakesStandardOutput)
        {
            write(report, streams.OutputPage);
            LimitText.Write(report, request.ShowsAllCores, streams.OutputPage);
        }

        return output.Finish(report);
    }
}

/// <summary>Checks the loopback interface, over which every bench measures.</summary>
internal static class BenchLoopback
{
    private const int MaxWaitMilliseconds = 1000;

    private static readonly string FewDescriptors =
        "The limit of open files is too low for a bench"
        + (OperatingSystem.IsWindows() ? "" : ": raise it with ulimit -n 1024");

    /// <summary>Sends a datagram from a socket to itself, and throws if it does not arrive.</summary>
    public static void Require()
    {
        try
        {
            using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
            {
                ReceiveTimeout = MaxWaitMilliseconds,
            };
            socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            _ = socket.SendTo(new byte[1], socket.LocalEndPoint!);
            _ = socket.Receive(new byte[1]);
        }
        catch (SocketException e) when (e.SocketErrorCode == SocketError.TooManyOpenSockets)
        {
            throw new BenchException(FewDescriptors, e);
        }
        catch (SocketException e)
        {
            throw new BenchException(
                $"No datagram arrives over the loopback interface ({PrintableText.OneLine(e.Message)}): "
                + (OperatingSystem.IsLinux() ? "bring it up with: ip link set lo up" : "a firewall may drop them"),
                e);
        }
    }
}
