using Spate.Cli.Iperf.Iperf3.Clients;
using Spate.Cli.Iperf.Iperf3.Options;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Text;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Getopt;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Iperf.Iperf3;

/// <summary><c>spate iperf3</c>: a test by iperf3's protocol, with its command line.</summary>
internal sealed class Iperf3Command : GetoptCommand
{
    public const string CommandName = "iperf3";

    public Iperf3Command(Streams streams)
        : base(
            CommandName,
            "A UDP test by iperf3's protocol, with iperf3 or with spate at the other end: exact loss, and where it was "
            + "lost. Options as of iperf3.",
            streams)
    {
    }

    public override IReadOnlyList<GetoptOption> Offered => Iperf3OptionTable.All.Offered;

    public override string HelpText => Iperf3Help.Text;

    protected override GetoptLine Parse(IReadOnlyList<string> args) => Iperf3OptionTable.All.Parse(args);

    protected override int Run(GetoptLine line)
    {
        Iperf3RunOptions settings = Iperf3Arguments.Read(line);
        foreach (string notice in settings.Notices) Streams.Notice(notice);

        using var pidFile = ProcessFile.Create(settings.PidFile);
        using var output = Iperf3Output.Open(settings.Output.LogFile, Streams);
        using var stop = new StopSignal(Streams);
        if (settings.Client is { } client) return RunClient(client, settings, output, Streams, stop.Token);

        Iperf3ServerRun.Run(settings, output, Streams, stop.Token);

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
