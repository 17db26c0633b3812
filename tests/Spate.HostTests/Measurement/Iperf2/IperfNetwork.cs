namespace Spate.HostTests.Measurement.Iperf2;

/// <summary>
/// The network of one test with the real program, whose server cannot choose a port and report it: a network namespace,
/// or the host's own network if its user can make none.
/// </summary>
internal sealed class IperfNetwork : IDisposable
{
    // Below the range from which the system takes the ports of clients, and above the ports of Spate.CliTests.
    private const int FirstPort = 11_000;

    private static int _lastPort = FirstPort;

    private readonly NetworkNamespace? _own = Environment.IsPrivilegedProcess ? new NetworkNamespace() : null;

    /// <summary>The port of the real program, which no other test has on the host's network either.</summary>
    public int Port { get; } = Interlocked.Increment(ref _lastPort);

    /// <summary>Runs code in the network; sockets and programs that it starts stay there.</summary>
    public T Enter<T>(Func<T> inside) => _own is null ? inside() : _own.Enter(inside);

    public void Dispose() => _own?.Dispose();
}
