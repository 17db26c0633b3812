using System.Globalization;
using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf3.Clients;
using Spate.Cli.Iperf.Iperf3.Flows;
using Spate.Cli.Iperf.Iperf3.Options;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Servers;
using Spate.Cli.Iperf.Iperf3.Text;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Getopt;
using Spate.Cli.Shell.Output;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3;

/// <summary><c>spate iperf3</c>: a test by iperf3's protocol, with its command line.</summary>
internal sealed class Iperf3Command : GetoptCommand
{
    public const string CommandName = "iperf3";

    public Iperf3Command(Streams streams)
        : base(
            CommandName,
            "A UDP test with iperf3's protocol, with iperf3 or spate at the other end: exact loss and its location. "
            + "Options as in iperf3.",
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

        new Iperf3ServerRun(settings, output, Streams, stop.Token).Run();

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
        IIperfObserver observer = Iperf3Observers.Create(settings, output.WriteLine, streams.Time);
        if (settings.UnknownHost is { } unknownHost)
        {
            observer.Tell(new IperfMessage(unknownHost));
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

/// <summary>The server of <c>spate iperf3 -s</c>, which numbers its tests as iperf3 does.</summary>
internal sealed class Iperf3ServerRun(
    Iperf3RunOptions settings, Iperf3Output output, Streams streams, CancellationToken stop)
{
    private const string Rule = "-----------------------------------------------------------";

    private readonly Iperf3ServerOptions _options = settings.Server!;
    private int _port;
    private int _tests;

    private bool IsParallel => _options.ParallelTests > 1;

    public void Run()
    {
        Iperf3WarmUp.Run(new Iperf3Parameters(), _options.Transport);
        using Iperf3Server server = Iperf3Server.Open(_options);
        _port = server.LocalEndPoint.Port;
        WriteListening(1);
        server.Run(NewObserver, streams.Notice, stop);
    }

    private IIperfObserver NewObserver()
    {
        int number = Interlocked.Increment(ref _tests);
        string prefix = IsParallel ? $"test {number}: " : "";
        IIperfObserver observer = Iperf3Observers.Create(settings, output.WriteLine, streams.Time, prefix);
        return new TestObserver(observer, news => Follow(news, number));
    }

    private void Follow(IperfEvent news, int number)
    {
        if (news is IperfMessage message) streams.Notice(message.Text);
        if (news is not (IperfMessage or Iperf3Outcome)) return;

        // Tests that run at once would each announce a next one.
        bool isLast = _options.EndsAfterOne || stop.IsCancellationRequested;
        if (!IsParallel && !isLast) WriteListening(number + 1);
    }

    private void WriteListening(int number)
    {
        if (settings.Output.IsJson || settings.Output.IsJsonStream) return;

        var lines = new Iperf3Lines(output.WriteLine, settings.Output, streams.Time);
        if (number == 1 && settings.Output.IsVerbose)
        {
            lines.Add(ToolVersion.Line);
            lines.Add(SystemText.Line);
        }

        lines.Add(Rule);
        lines.Add($"Server listening on {_port} (test #{number})");
        lines.Add(Rule);
    }

    private sealed class TestObserver(IIperfObserver inner, Action<IperfEvent> follow) : IIperfObserver
    {
        public string? OutputText => inner.OutputText;

        public string? OutputJson => inner.OutputJson;

        public void Tell(IperfEvent news)
        {
            inner.Tell(news);
            follow(news);
        }
    }
}

/// <summary>Runs a test on loopback for a moment, so that nothing is compiled while datagrams are counted.</summary>
internal static class Iperf3WarmUp
{
    // Groups of datagrams with pauses between them, in which the compiler's own thread gets a CPU.
    private const long BitsPerSecond = 500_000_000;

    // The compiler begins to count calls after 30 ms in the tool.
    private static readonly TimeSpan Time = TimeSpan.FromMilliseconds(200);

    private static int _isDone;

    /// <summary>Warms up, once in a process. It throws nothing, and does nothing where loopback is down.</summary>
    public static void Run(Iperf3Parameters parameters, TransportOptions transport)
    {
        if (Interlocked.Exchange(ref _isDone, 1) != 0) return;

        try
        {
            Send(
                parameters with
                {
                    LengthBytes = parameters.LengthBytes > 0
                        ? parameters.LengthBytes
                        : Iperf3Parameters.DefaultLengthBytes,
                    BitsPerSecond = BitsPerSecond,
                    BurstDatagrams = 0,
                    Reverse = false,
                    Bidirectional = false,
                },
                transport);
        }
        catch (Exception fault) when (fault is SocketException or TrafficException or PlatformNotSupportedException)
        {
            // The test meets the same fault, and reports it.
        }
    }

    private static void Send(Iperf3Parameters parameters, TransportOptions transport)
    {
        var settings = new Iperf3EndOptions { Interval = TimeSpan.Zero, Transport = transport };
        UdpSocket target = UdpSocket.Bind(UdpEndPoint.Loopback(0), transport.ToSocketOptions());
        StreamLink[] into = [new StreamLink(Id: 1, Sends: false, target)];
        using var receiving = new Iperf3Traffic(parameters, isClient: false, into, settings, TimeProvider.System);
        UdpSocket source = UdpSocket.Connect(target.LocalEndPoint, options: transport.ToSocketOptions());
        StreamLink[] from = [new StreamLink(Id: 1, Sends: true, source)];
        using var sending = new Iperf3Traffic(parameters, isClient: false, from, settings, TimeProvider.System);
        receiving.StartReceiving(onInterval: null);
        sending.StartSending(onInterval: null);
        Thread.Sleep(Time);
        sending.StopSending();
        _ = sending.Report();
        receiving.StopReceiving();
        _ = receiving.Report();
    }
}

/// <summary>A file with the number of this process, removed at the end.</summary>
internal sealed class ProcessFile : IDisposable
{
    private readonly string _path;

    private ProcessFile(string path) => _path = path;

    public static ProcessFile? Create(string? path)
    {
        if (path is null) return null;

        try
        {
            File.WriteAllText(path, Environment.ProcessId.ToString(CultureInfo.InvariantCulture) + "\n");
            return new ProcessFile(path);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw CommandException.Refused(
                $"cannot write to '{path}': {FileFault.ReasonOf(path, fault)}; use another file for -I",
                DocsAnchor.Output,
                fault);
        }
    }

    public void Dispose()
    {
        try
        {
            File.Delete(_path);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // Somebody else has removed or taken the file meanwhile. The test is over, and its result stands.
        }
    }
}
