using System.Net.Sockets;
using Spate.Serving;

namespace Spate;

/// <summary>
/// A server: threads that receive in batches, call a handler for each batch and send what it answers. How work is
/// divided among the threads is an option (<see cref="UdpServerDesign"/>); handlers are the same for all designs. Safe
/// for use by any thread.
/// </summary>
/// <example><code>
/// await using UdpServer server = UdpServer.Start(
///     new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Any(9999)] }, shard => new EchoHandler());
/// </code></example>
public sealed class UdpServer : IDisposable, IAsyncDisposable
{
    private static readonly TimeSpan DrainDefault = TimeSpan.FromSeconds(2);

    private readonly ServerPlan _plan;
    private readonly ServerSockets _sockets;
    private readonly ServerThreads _threads;
    private readonly SemaphoreSlim _changing = new(1, 1);
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _stopped;

    private UdpServer(ServerPlan plan)
    {
        _plan = plan;
        _sockets = new ServerSockets(plan);
        try
        {
            _threads = new ServerThreads(plan, _sockets);
            _threads.GrowAsync(plan.ThreadCount).GetAwaiter().GetResult();
        }
        catch
        {
            _threads?.EndAsync(TimeSpan.Zero).GetAwaiter().GetResult();
            _sockets.Dispose();
            throw;
        }

        _ = StopOnFaultAsync();
    }

    /// <summary>The addresses and ports it serves; where port 0 was asked for, those that the system chose.</summary>
    public IReadOnlyList<UdpEndPoint> LocalEndPoints => _sockets.EndPoints;

    /// <summary>How work is divided.</summary>
    public UdpServerDesign Design => _plan.Options.Design;

    /// <summary>The sockets' backend.</summary>
    public UdpBackend Backend => _sockets.Backend;

    /// <summary>Whether its sockets receive coalesced.</summary>
    public bool CoalescedReceive => _sockets.CoalescedReceive;

    /// <summary>Whether replies leave as trains.</summary>
    public bool SegmentedSend => _sockets.SegmentedSend;

    /// <summary>Threads that run handlers.</summary>
    public int ThreadCount => _plan.ThreadCount;

    /// <summary>The shards at the moment, by index.</summary>
    public IReadOnlyList<UdpShard> Shards => _threads.Shards;

    /// <summary>
    /// Ends when the server has stopped; faulted if it was ended by an exception that was not a handler's.
    /// </summary>
    public Task Completion => _completion.Task;

    /// <summary>Opens the sockets, makes a handler per thread and begins to serve.</summary>
    /// <param name="options">How.</param>
    /// <param name="makeHandler">
    /// Makes the handler of a shard, on the shard's thread. What it throws is thrown by this call.
    /// </param>
    /// <exception cref="ArgumentException">An option that cannot be meant.</exception>
    /// <exception cref="InvalidOperationException">A thread could not be tied to its CPU, there was no handler, or
    /// <c>SPATE_BACKEND</c> has a value that it cannot have (<see cref="UdpSocket.Bind"/>).</exception>
    /// <exception cref="SocketException">The system refused: a port is busy, an address is not here. The message names
    /// it and says what to do.</exception>
    /// <exception cref="PlatformNotSupportedException">An option cannot be had here; the message says which and
    /// why.</exception>
    public static UdpServer Start(UdpServerOptions options, Func<UdpShard, UdpHandler> makeHandler)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(makeHandler);
        return new UdpServer(new ServerPlan(options, makeHandler));
    }

    /// <summary>What it has done so far; after it was stopped, what it had done by then.</summary>
    public UdpServerStatistics GetStatistics() => new()
    {
        Threads = _threads.Read(),
        Unhandled = _threads.Unhandled,
        Sockets = _sockets.ReadCounters(),
    };

    /// <summary>
    /// Adds threads, or takes away those of the highest index, under load. A shard that is taken away gets nothing new
    /// first, then handles what its socket has queued, and only then closes, so no datagram is lost that the system
    /// can still deliver. In a sharded server most peers then belong to other shards.
    /// </summary>
    /// <param name="threadCount">1 to 256.</param>
    /// <exception cref="NotSupportedException">
    /// It cannot be done without loss or against a promise: shrinking under <see cref="UdpSteering.Kernel"/>, several
    /// shards on a system without SO_REUSEPORT, or more threads where one keeps sessions and with more a peer would not
    /// stay with one (<see cref="UdpShard.KeepsPeers"/>).
    /// </exception>
    /// <exception cref="ObjectDisposedException">The server was stopped.</exception>
    public async Task SetThreadCountAsync(int threadCount)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(threadCount, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(threadCount, ServerPlan.ThreadCountMax);
        await _changing.WaitAsync().ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_stopped, this);
            _plan.BeginChange(threadCount);
            if (threadCount > ThreadCount) await _threads.GrowAsync(threadCount).ConfigureAwait(false);
            else await _threads.ShrinkAsync(threadCount).ConfigureAwait(false);
        }
        finally
        {
            _plan.EndChange();
            _changing.Release();
        }
    }

    /// <summary>
    /// Stops: lets nothing more in (Linux; what still comes is counted as dropped by the kernel), handles what is
    /// queued, calls <see cref="UdpHandler.OnStop"/>, sends the last replies and closes. Any number of calls.
    /// </summary>
    /// <param name="drainTimeout">The most to spend on what is queued; zero: it is lost.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    public async Task StopAsync(TimeSpan drainTimeout)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(drainTimeout, TimeSpan.Zero);
        await _changing.WaitAsync().ConfigureAwait(false);
        try
        {
            if (_stopped) return;
            _stopped = true;
            await _threads.EndAsync(drainTimeout).ConfigureAwait(false);
            if (_threads.Fault.Exception is { } fault) _completion.SetException(fault.InnerExceptions);
            else _completion.SetResult();
        }
        catch (Exception fault)
        {
            // Whoever waits for the end must not wait for ever.
            _completion.TrySetException(fault);
            throw;
        }
        finally
        {
            _changing.Release();
        }
    }

    /// <summary>As <see cref="StopAsync"/> with two seconds.</summary>
    public async ValueTask DisposeAsync() => await StopAsync(DrainDefault).ConfigureAwait(false);

    /// <summary>
    /// As <see cref="StopAsync"/> with two seconds, waiting for the end. Not from a handler, which it would wait for.
    /// </summary>
    /// <exception cref="InvalidOperationException">Called by a handler.</exception>
    public void Dispose()
    {
        if (ServerThread.IsCurrent(_plan))
        {
            throw new InvalidOperationException(
                "A handler cannot dispose its server, which would wait for it: call StopAsync and do not wait.");
        }

        StopAsync(DrainDefault).GetAwaiter().GetResult();
    }

    // A thread that ended by a fault leaves its part of the work undone, so the others are not left to look alive.
    private async Task StopOnFaultAsync()
    {
        await Task.WhenAny(_threads.Fault, Completion).ConfigureAwait(false);
        await StopAsync(DrainDefault).ConfigureAwait(false);
    }
}
