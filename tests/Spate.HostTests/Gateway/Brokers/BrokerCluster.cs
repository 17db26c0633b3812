using System.Diagnostics;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using RabbitMQ.Client;
using Spate.Gateway;
using Spate.TestHelpers.Gateways;

namespace Spate.HostTests.Gateway.Brokers;

/// <summary>
/// Brokers of the tests' own on the loopback, with their epmd: started once for a collection of tests, and removed with
/// everything that they wrote.
/// </summary>
public abstract class BrokerCluster(int nodeCount, bool hasTls = false) : IAsyncLifetime
{
    private readonly List<BrokerNode> _nodes = [];
    private string _folder = "";
    private Process? _epmd;
    private int _queueCount;

    internal IReadOnlyList<BrokerNode> Nodes => _nodes;

    /// <summary>Whether any test of this run needs the brokers, which take some ten seconds to start.</summary>
    protected virtual bool IsWanted => true;

    /// <summary>The file of the authority of the nodes' certificate, which is for <c>localhost</c> alone.</summary>
    public string AuthorityPath => Path.Combine(_folder, "authority.pem");

    /// <summary>All nodes, for a gateway.</summary>
    public string Target => $"amqp://{string.Join(',', _nodes.Select(static node => $"127.0.0.1:{node.Port}"))}";

    public async ValueTask InitializeAsync()
    {
        // Without a broker the tests skip themselves.
        if (BrokerSetup.Programs is null || !IsWanted) return;

        _folder = Directory.CreateTempSubdirectory("spate-broker-").FullName;
        WriteCookie();
        if (hasTls) WriteCertificates();
        int[] ports = FreePorts.Find(1 + (3 * nodeCount));
        StartEpmd(ports[0]);
        string[] members = [.. Enumerable.Range(0, nodeCount).Select(index => $"spate{index}-{Environment.ProcessId}")];
        for (int i = 0; i < nodeCount; i++)
        {
            _nodes.Add(new BrokerNode(Configure(new BrokerNodeOptions
            {
                Name = members[i],
                Folder = _folder,
                EpmdPort = ports[0],
                Port = ports[1 + (3 * i)],
                DistributionPort = ports[2 + (3 * i)],
                TlsPort = hasTls ? ports[3 + (3 * i)] : 0,
                Members = members,
            })));
        }

        // Nodes of a cluster find each other while they start, so none is complete before the others have begun.
        await Task.WhenAll(_nodes.Select(static node => node.StartAsync()));
    }

    public async ValueTask DisposeAsync()
    {
        foreach (BrokerNode node in _nodes) await node.DisposeAsync();

        // It outlives its nodes, so it is ended by itself.
        if (_epmd is not null)
        {
            _epmd.Kill();
            await _epmd.WaitForExitAsync();
            _epmd.Dispose();
        }

        CleanUp();
        if (_folder.Length > 0) Directory.Delete(_folder, recursive: true);
        GC.SuppressFinalize(this);
    }

    /// <summary>A name that no other test uses.</summary>
    public string NewName() => $"test-{Interlocked.Increment(ref _queueCount)}";

    /// <summary>A connection of the test itself to a node.</summary>
    public async Task<IConnection> ConnectAsync(int node = 0) => await new ConnectionFactory
    {
        HostName = "127.0.0.1",
        Port = _nodes[node].Port,
        AutomaticRecoveryEnabled = false,
    }.CreateConnectionAsync(TestContext.Current.CancellationToken);

    /// <summary>Declares a queue with the given arguments.</summary>
    public async Task<string> DeclareAsync(params (string Name, object? Value)[] arguments)
    {
        string name = NewName();
        await using IConnection connection = await ConnectAsync();
        await using IChannel channel = await connection.CreateChannelAsync();
        await channel.QueueDeclareAsync(
            name, durable: true, exclusive: false, autoDelete: false,
            arguments.ToDictionary(static one => one.Name, static one => one.Value, StringComparer.Ordinal));
        return name;
    }

    /// <summary>Declares a stream of 200 MB.</summary>
    public Task<string> DeclareStreamAsync() => DeclareAsync(
        ("x-queue-type", "stream"),
        ("x-max-length-bytes", 200_000_000L),
        ("x-stream-max-segment-size-bytes", 10_000_000L));

    /// <summary>Restarts the nodes that a test has ended.</summary>
    public async Task RestoreAsync(params int[] nodes)
    {
        foreach (int node in nodes) await _nodes[node].StartAsync();
    }

    /// <summary>Changes the options of a node.</summary>
    internal virtual BrokerNodeOptions Configure(BrokerNodeOptions options) => options;

    /// <summary>Removes what <see cref="Configure"/> has set up. The nodes have ended.</summary>
    protected virtual void CleanUp()
    {
    }

    internal GatewayCredentials Credentials { get; } = new("guest", "guest");

    private void WriteCookie()
    {
        string path = Path.Combine(_folder, ".erlang.cookie");
        File.WriteAllText(path, Convert.ToHexString(RandomNumberGenerator.GetBytes(16)));
        if (!OperatingSystem.IsWindows()) File.SetUnixFileMode(path, UnixFileMode.UserRead);
    }

    private void WriteCertificates()
    {
        using var authority = new TestAuthority();
        using X509Certificate2 server = authority.Issue("localhost");
        File.WriteAllText(AuthorityPath, authority.Pem);
        File.WriteAllText(Path.Combine(_folder, "server.pem"), server.ExportCertificatePem());
        using ECDsa key = server.GetECDsaPrivateKey()!;
        File.WriteAllText(Path.Combine(_folder, "server.key"), key.ExportPkcs8PrivateKeyPem());
    }

    // In the foreground, so that it is this process's child and can be ended by its id.
    private void StartEpmd(int port)
    {
        var start = new ProcessStartInfo("epmd", ["-port", $"{port}", "-address", "127.0.0.1"])
        {
            RedirectStandardOutput = true,
            UseShellExecute = false,
            RedirectStandardError = true,
        };
        _epmd = Process.Start(start)!;
        _epmd.BeginOutputReadLine();
        _epmd.BeginErrorReadLine();
    }
}
