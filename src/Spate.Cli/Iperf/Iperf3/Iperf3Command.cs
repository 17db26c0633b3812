using System.CommandLine;
using Spate.Cli.Iperf.Iperf3.Options;
using Spate.Cli.Iperf.Iperf3.Text;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Getopt;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Iperf.Iperf3;

/// <summary>
/// <c>spate iperf3</c>: a test by iperf3's protocol, with a command line that is read as iperf3 reads it.
/// </summary>
internal static class Iperf3Command
{
    /// <summary>The name of the command.</summary>
    public const string Name = "iperf3";

    /// <summary>The command in the list of commands. What follows its name is read by <see cref="Run"/>.</summary>
    public static Command Create(Streams streams)
    {
        var command = new Command(
            Name,
            "A UDP test by iperf3's protocol, with iperf3 or with spate at the other end: exact loss, and where it was "
            + "lost. Options as of iperf3.");
        command.SetAction(_ => Run([], streams));
        return command;
    }

    /// <summary>Runs the command.</summary>
    /// <param name="args">The arguments behind the command's name.</param>
    /// <param name="streams">The streams of the process.</param>
    public static int Run(IReadOnlyList<string> args, Streams streams)
    {
        GetoptLine line = Iperf3OptionTable.All.Parse(args);
        if (line.Last(GetoptOption.Help) is not null)
        {
            streams.Output.WriteLine(Iperf3Help.Text);
            return ExitCode.Done;
        }

        if (line.Last(GetoptOption.Version) is not null)
        {
            streams.Output.WriteLine(Iperf3Version.Text);
            return ExitCode.Done;
        }

        Iperf3RunOptions settings = Iperf3Arguments.Read(line);
        foreach (string notice in settings.Notices) streams.Notice(notice);

        using var pidFile = ProcessFile.Create(settings.PidFile);
        using var output = Iperf3Output.Open(settings.Output.LogFile, streams);
        using var stop = new StopSignal(streams);
        if (settings.Client is { } client) return RunClient(client, settings, output, streams, stop.Token);

        Iperf3ServerRun.Run(settings, output, streams, stop.Token);

        output.Check();
        return ExitCode.Done;
    }

    private static int RunClient(
        Iperf3ClientOptions client,
        Iperf3RunOptions settings,
        Iperf3Output output,
        Streams streams,
        CancellationToken stop)
    {
        IIperf3Observer observer = Iperf3Observers.Create(settings, output.WriteLine, streams.Time);
        if (settings.UnknownHost is { } unknownHost)
        {
            observer.Fail(unknownHost);
            throw CommandException.Refused(unknownHost, DocsAnchor.None);
        }

        Iperf3WarmUp.Run(client.Parameters, client.Transport);
        try
        {
            Iperf3Client.Run(client, observer, cancellationToken: stop);
        }
        catch (Iperf3Exception) when (streams.OutputFailed.IsCancellationRequested)
        {
            // It was stopped since nobody can read it, which is told once the command is over.
            return ExitCode.CouldNotRun;
        }

        output.Check();
        return ExitCode.Done;
    }
}
