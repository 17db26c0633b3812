using System.Diagnostics;
using System.Globalization;
using System.Text;

namespace Spate.HostTests.Gateway.Brokers;

/// <summary>One node of RabbitMQ with ports, name and folder of its own; on the loopback alone.</summary>
internal sealed class BrokerNode : IAsyncDisposable
{
    // The longest that a node took on a busy machine with two CPUs was 40 s.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(180);

    private readonly BrokerNodeOptions _options;
    private readonly string _folder;
    private readonly StringBuilder _log = new();
    private Process? _script;
    private TaskCompletionSource _isUp = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public BrokerNode(BrokerNodeOptions options)
    {
        _options = options;
        _folder = Path.Combine(options.Folder, options.Name);
        Directory.CreateDirectory(_folder);
        WriteConfiguration();
    }

    /// <summary>The node's name in the cluster.</summary>
    public string Name => $"{_options.Name}@localhost";

    public int Port => _options.Port;

    public int TlsPort => _options.TlsPort;

    /// <summary>What the node has written, for the message of a test that fails.</summary>
    public string Log
    {
        get
        {
            lock (_log) return _log.ToString();
        }
    }

    private string PidPath => Path.Combine(_folder, "pid");

    private string DataPath => _options.DataFolder ?? Path.Combine(_folder, "data");

    /// <summary>Starts the node and waits until it serves.</summary>
    public async Task StartAsync()
    {
        File.Delete(PidPath);
        _isUp = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _script = Process.Start(StartInfo("rabbitmq-server"))!;
        _script.OutputDataReceived += (_, line) => Read(line.Data);
        _script.ErrorDataReceived += (_, line) => Read(line.Data);
        _script.BeginOutputReadLine();
        _script.BeginErrorReadLine();
        Task ended = _script.WaitForExitAsync();
        Task first = await Task.WhenAny(_isUp.Task, ended).WaitAsync(Patience);
        Assert.True(first == _isUp.Task, $"{Name} did not start:\n{Log}");
    }

    /// <summary>Ends the node at once, as a power cut does to its process. Waits until it is gone.</summary>
    public async Task KillAsync()
    {
        if (_script is null) return;
        Signal("KILL");
        await _script.WaitForExitAsync().WaitAsync(Patience);
        _script.Dispose();
        _script = null;
    }

    /// <summary>Waits until the node has ended by itself.</summary>
    public Task WaitForEndAsync() => _script!.WaitForExitAsync().WaitAsync(Patience);

    /// <summary>Stops all threads of the node: connections stay, nothing answers.</summary>
    public void Pause() => Signal("STOP");

    /// <summary>Lets the threads of a paused node go on.</summary>
    public void Resume() => Signal("CONT");

    /// <summary>Runs <c>rabbitmqctl</c> on the node and returns what it writes.</summary>
    public async Task<string> ControlAsync(params string[] arguments)
    {
        ProcessStartInfo start = StartInfo("rabbitmqctl");
        foreach (string argument in (string[])["-q", "-n", Name, .. arguments]) start.ArgumentList.Add(argument);

        using Process control = Process.Start(start)!;
        Task<string> output = control.StandardOutput.ReadToEndAsync();
        Task<string> error = control.StandardError.ReadToEndAsync();
        await control.WaitForExitAsync().WaitAsync(Patience);
        Assert.True(control.ExitCode == 0, $"rabbitmqctl {string.Join(' ', arguments)}: {await output}{await error}");
        return await output;
    }

    public async ValueTask DisposeAsync() => await KillAsync();

    private void WriteConfiguration()
    {
        var text = new StringBuilder();
        text.AppendLine($"listeners.tcp.1 = 127.0.0.1:{_options.Port}");
        text.AppendLine("log.file = false");
        text.AppendLine("log.console = true");
        text.AppendLine("log.console.level = warning");
        text.AppendLine($"disk_free_limit.absolute = {_options.MinFreeBytes}");
        text.AppendLine("vm_memory_high_watermark.absolute = 1GB");
        if (_options.Members.Count > 1)
        {
            text.AppendLine("cluster_formation.peer_discovery_backend = classic_config");
            for (int i = 0; i < _options.Members.Count; i++)
            {
                text.AppendLine($"cluster_formation.classic_config.nodes.{i + 1} = {_options.Members[i]}@localhost");
            }
        }

        if (_options.TlsPort > 0)
        {
            text.AppendLine($"listeners.ssl.1 = 127.0.0.1:{_options.TlsPort}");
            text.AppendLine($"ssl_options.cacertfile = {_options.Folder}/authority.pem");
            text.AppendLine($"ssl_options.certfile = {_options.Folder}/server.pem");
            text.AppendLine($"ssl_options.keyfile = {_options.Folder}/server.key");
            text.AppendLine("ssl_options.verify = verify_none");
            text.AppendLine("ssl_options.fail_if_no_peer_cert = false");
        }

        File.WriteAllText(Path.Combine(_folder, "rabbitmq.conf"), text.ToString());
        File.WriteAllText(Path.Combine(_folder, "plugins"), "[].\n");
        File.WriteAllText(Path.Combine(_folder, "env.conf"), "");
    }

    private ProcessStartInfo StartInfo(string program)
    {
        var start = new ProcessStartInfo(Path.Combine(BrokerSetup.Programs!, program))
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            UseShellExecute = false,
            WorkingDirectory = _folder,
        };
        (string Name, string Value)[] variables =
        [
            ("HOME", _options.Folder),
            ("ERL_EPMD_PORT", $"{_options.EpmdPort}"),
            ("ERL_EPMD_ADDRESS", "127.0.0.1"),
            ("RABBITMQ_NODENAME", Name),
            ("RABBITMQ_DIST_PORT", $"{_options.DistributionPort}"),
            ("RABBITMQ_MNESIA_BASE", DataPath),
            ("RABBITMQ_LOG_BASE", Path.Combine(_folder, "log")),
            ("RABBITMQ_PID_FILE", PidPath),
            ("RABBITMQ_CONFIG_FILE", Path.Combine(_folder, "rabbitmq.conf")),
            ("RABBITMQ_CONF_ENV_FILE", Path.Combine(_folder, "env.conf")),
            ("RABBITMQ_ENABLED_PLUGINS_FILE", Path.Combine(_folder, "plugins")),
            ("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
                "-kernel inet_dist_use_interface {127,0,0,1} -kernel net_ticktime 8 "
                    + "+sbwt none +sbwtdcpu none +sbwtdio none"),
        ];
        foreach ((string name, string value) in variables) start.Environment[name] = value;
        return start;
    }

    private void Read(string? line)
    {
        if (line is null) return;
        lock (_log) _log.AppendLine(line);

        // "completed with 0 plugins." Before that, the port may be open already and refuse.
        if (line.Contains("completed with", StringComparison.Ordinal)) _isUp.TrySetResult();
    }

    // The script is the parent of the node and would leave it behind.
    private void Signal(string signal)
    {
        if (!File.Exists(PidPath)) return;
        int pid = int.Parse(File.ReadAllText(PidPath).Trim(), CultureInfo.InvariantCulture);
        using Process kill = Process.Start("kill", ["-" + signal, $"{pid}"]);
        kill.WaitForExit();
    }
}

/// <summary>What a node is started with.</summary>
internal sealed record BrokerNodeOptions
{
    public required string Name { get; init; }

    /// <summary>The folder of all nodes of the cluster, with the cookie.</summary>
    public required string Folder { get; init; }

    /// <summary>The folder of the data; null for one in the node's own.</summary>
    public string? DataFolder { get; init; }

    public required int EpmdPort { get; init; }

    public required int Port { get; init; }

    public required int DistributionPort { get; init; }

    /// <summary>The port of TLS; 0 for none.</summary>
    public int TlsPort { get; init; }

    /// <summary>The free disk space below which the node blocks those who publish.</summary>
    public long MinFreeBytes { get; init; } = 50_000_000;

    /// <summary>The names of all nodes of the cluster, this one's included.</summary>
    public required IReadOnlyList<string> Members { get; init; }
}
