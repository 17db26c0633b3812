using System.Diagnostics;
using System.Globalization;
using Spate.Cli.Comparison;
using Spate.Cli.Shell;
using Spate.Measurement.PathTest;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Tune.Trials;

/// <summary>
/// A client and a server of <c>spate test</c> in two network namespaces with a pair of interfaces between them: packets
/// take the way of a network, with neither a card nor the host's own addresses. The namespaces are named after this
/// process, and go when this is closed. Linux, root, and the program ip(8).
/// </summary>
internal sealed class NamespaceEnds : TrialEnds
{
    private const string ServerAddress = "192.0.2.1"; // RFC 5737: no host has it, and the namespaces have no other net
    private const string ClientAddress = "192.0.2.2";
    private const string ServerPort = "9999";
    private const string ServerReady = "waiting for tests";

    private static readonly TimeSpan MaxIpTime = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan MaxStartTime = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(20);

    private static readonly ReportReader Reader = new(TestReport.ReadableKind);

    private readonly Func<IReadOnlyList<string>, RepeatedCommand> _ownCommand;
    private readonly string _serverName;
    private readonly string _clientName;
    private ChildProcess? _server;

    /// <summary>Makes the namespaces and starts the server.</summary>
    /// <exception cref="TrafficException">They cannot be made; the message says why, and nothing is left.</exception>
    public NamespaceEnds(
        Func<IReadOnlyList<string>, RepeatedCommand> ownCommand, CancellationToken cancellationToken)
    {
        _ownCommand = ownCommand;
        string number = Environment.ProcessId.ToString(CultureInfo.InvariantCulture);
        (_serverName, _clientName) = ($"spate-{number}-server", $"spate-{number}-client");
        try
        {
            Join();
            RepeatedCommand command = In(_serverName, "test", "-s", $"{ServerAddress}:{ServerPort}", "--no-force");
            _server = new ChildProcess(command.Program, [.. command.Arguments]);
            WaitForServer(_server, cancellationToken);
        }
        catch (Exception fault)
        {
            Dispose();
            if (fault is BenchException) throw new TrafficException(fault.Message, fault);

            throw;
        }
    }

    public override string Description => "between two network namespaces";

    /// <summary>More than elsewhere, since every measurement starts a process.</summary>
    public override TimeSpan SetUpTime { get; } = TimeSpan.FromSeconds(1);

    public override TrialSample Measure(TrialLoad load, IReadOnlyList<int> cpus, CancellationToken cancellationToken)
    {
        RepeatedCommand command = In(_clientName, [.. ArgumentsOf(load, cpus)]);
        bool isDone = RepeatedRuns.TryRun(command, Reader, cancellationToken, out Report? report, out string? error);
        cancellationToken.ThrowIfCancellationRequested();
        return isDone && report is TestReport test
            ? TrialSample.Of(test)
            : throw new TrafficException(error ?? "the client of the test wrote another report");
    }

    public override void Dispose()
    {
        _server?.Interrupt();
        _ = _server?.WaitForExit(MaxIpTime);
        _server?.Dispose();
        foreach (string name in (string[])[_clientName, _serverName]) _ = TryIp(["netns", "del", name], out _);
    }

    private static string[] ArgumentsOf(TrialLoad load, IReadOnlyList<int> cpus)
    {
        string buffer = TrialLoad.BufferBytes.ToString(CultureInfo.InvariantCulture);
        string rate = double.IsPositiveInfinity(load.DatagramsPerSecond)
            ? "max"
            : load.DatagramsPerSecond.ToString("0.###", CultureInfo.InvariantCulture);
        string[] placed = cpus.Count < 2 ? [] :
        [
            "--cpu", cpus[0].ToString(CultureInfo.InvariantCulture),
            "--remote-cpu", cpus[1].ToString(CultureInfo.InvariantCulture),
        ];
        return
        [
            "test", "-c", $"{ServerAddress}:{ServerPort}", "--no-force", "--no-gso", "--interval", "0",
            "--buffer", buffer, "--remote-buffer", buffer,
            "--size", load.SizeBytes.ToString(CultureInfo.InvariantCulture),
            "--rate", rate,
            "--seconds", load.Duration.TotalSeconds.ToString("0.###", CultureInfo.InvariantCulture),
            .. placed,
        ];
    }

    private static void WaitForServer(ChildProcess server, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        while (!server.ReadOutput().Contains(ServerReady, StringComparison.Ordinal))
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (server.WaitForExit(PollInterval) || Stopwatch.GetElapsedTime(start) > MaxStartTime)
            {
                throw new TrafficException(
                    $"the server in the namespace did not start: {PrintableText.OneLine(server.ReadOutput())}");
            }
        }
    }

    private void Join()
    {
        Ip("netns", "add", _serverName);
        Ip("netns", "add", _clientName);
        Ip("-n", _serverName, "link", "add", "veth0", "type", "veth", "peer", "name", "veth0", "netns", _clientName);
        foreach ((string name, string address) in
            ((string, string)[])[(_serverName, ServerAddress), (_clientName, ClientAddress)])
        {
            Ip("-n", name, "address", "add", $"{address}/24", "dev", "veth0");
            Ip("-n", name, "link", "set", "veth0", "up");
            Ip("-n", name, "link", "set", "lo", "up");
        }
    }

    private RepeatedCommand In(string name, params string[] arguments)
    {
        RepeatedCommand own = _ownCommand(arguments);
        return new RepeatedCommand("ip", ["netns", "exec", name, own.Program, .. own.Arguments]);
    }

    private static void Ip(params string[] arguments)
    {
        if (!TryIp(arguments, out string said))
        {
            throw new TrafficException(
                $"ip {string.Join(' ', arguments)} failed: {PrintableText.OneLine(said)}; leave out --namespaces");
        }
    }

    private static bool TryIp(string[] arguments, out string said)
    {
        try
        {
            using var process = new ChildProcess("ip", arguments);
            bool isDone = process.WaitForExit(MaxIpTime);
            said = isDone ? process.ReadOutput().Trim() : "it does not end";
            return isDone && process.ExitCode == 0;
        }
        catch (BenchException fault)
        {
            said = fault.InnerException?.Message ?? fault.Message;
            return false;
        }
    }
}
