using Spate.TestHelpers.Commands;

namespace Spate.TestHelpers.Networks;

/// <summary>
/// A network in which commands run on threads of this process, and programs as its children: a namespace, made at its
/// first use, in which nobody else has their ports and settings. If the user can make none, it is the host's own
/// network; a test that needs the namespace takes it by <see cref="Required"/> or <see cref="Namespace"/>.
/// </summary>
/// <remarks>
/// <see cref="NetworkNamespace"/> alone is for tests that open single sockets in one network or in several that are
/// joined; its threads must make none of the pool. <see cref="ToolProcess.RunInOwnNetworkAsync(string, string[])"/> is
/// for what belongs to the network in which a process began, as the choice of the backend, and needs no root.
/// </remarks>
public sealed class OwnNetwork : IDisposable
{
    // Below the range from which the system takes the ports of clients, so that none of them is taken meanwhile.
    private const int FirstPort = 10_000;

    private static int _lastPort = FirstPort;

    private readonly Lazy<NetworkNamespace?> _made;
    private string? _inode;

    public OwnNetwork()
        : this(loopbackUp: true)
    {
    }

    private OwnNetwork(bool loopbackUp) => _made = new Lazy<NetworkNamespace?>(() => Make(loopbackUp));

    /// <summary>The namespace. Skips the test where there is none.</summary>
    internal NetworkNamespace Namespace
    {
        get
        {
            Assert.SkipWhen(_made.Value is null, "network namespaces need Linux and root");
            return _made.Value!;
        }
    }

    public void Dispose()
    {
        if (!_made.IsValueCreated || _made.Value is not { } made) return;

        string[] strays = [.. PoolThreads.Names(_inode!)];
        made.Dispose();
        Assert.True(strays.Length == 0, $"Threads of the pool are in the namespace: {string.Join(", ", strays)}");
    }

    /// <summary>A network that is a namespace. Skips the test where none can be made.</summary>
    internal static OwnNetwork Required(bool loopbackUp = true)
    {
        var network = new OwnNetwork(loopbackUp);
        _ = network.Namespace;
        return network;
    }

    /// <summary>
    /// A port that no test of the process has had, not even where the network is the host's: some programs cannot
    /// choose a port and report it.
    /// </summary>
    internal static int TakePort() => Interlocked.Increment(ref _lastPort);

    /// <summary>Runs code on a thread in the network; its sockets and programs stay there.</summary>
    internal T Enter<T>(Func<T> inside) => _made.Value is { } made ? made.Enter(inside) : inside();

    /// <summary>Starts a command of the tool inside: the threads that it makes stay there.</summary>
    internal RunningTool Start(params string[] arguments) => Enter(() => Tool.Start(arguments));

    /// <summary>Runs a command of the tool inside to its end.</summary>
    internal async Task<ToolResult> RunAsync(params string[] arguments)
    {
        await using RunningTool tool = Start(arguments);
        return await tool.FinishAsync();
    }

    private NetworkNamespace? Make(bool loopbackUp)
    {
        if (!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess) return null;

        PoolThreads.Make();
        var made = new NetworkNamespace(loopbackUp);
        _inode = made.Enter(static () => File.ResolveLinkTarget("/proc/thread-self/ns/net", false)!.Name);
        return made;
    }
}
