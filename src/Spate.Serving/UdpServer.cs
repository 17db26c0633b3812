using System.Net.Sockets;
using Spate.Serving.Lifetime;
using Spate.Serving.Shards;

namespace Spate.Serving;

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
    private static readonly TimeSpan DefaultDrain = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan DefaultShrinkDrain = TimeSpan.FromSeconds(10);

    private readonly ServerPlan _plan;
    private readonly ServerSockets _sockets;
    private readonly ServerThreads _threads;
    private readonly SemaphoreSlim _changing = new(1, 1);
    private readonly CancellationTokenSource _stopping = new();
    private readonly EndTime _end = new();
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _stopped;

    private UdpServer(ServerPlan plan)
    {
        _plan = plan;
        _sockets = new ServerSockets(plan);
        try
        {
            _threads = new ServerThreads(plan, _sockets);
            _threads.Start(plan.ThreadCount);
        }
        catch
        {
            _sockets.Dispose();
            throw;
        }

        _ = StopOnFaultAsync();
    }

    /// <summary>
    /// The addresses and ports that the server serves; where port 0 was asked for, the port that the system chose.
    /// </summary>
    public IReadOnlyList<UdpEndPoint> LocalEndPoints => _sockets.EndPoints;

    /// <summary>How work is divided among the threads.</summary>
    public UdpServerDesign Design => _plan.Options.Design;

    /// <summary>The backend of the sockets.</summary>
    public UdpBackend Backend => _sockets.Backend;

    /// <summary>Whether its sockets receive coalesced.</summary>
    public bool CoalescedReceive => _sockets.CoalescedReceive;

    /// <summary>Whether replies leave as trains.</summary>
    public bool SegmentedSend => _sockets.SegmentedSend;

    /// <summary>
    /// The receive buffer that the first socket was granted, in bytes (<see cref="UdpSocket.ReceiveBufferBytes"/>). All
    /// sockets of the server are opened with the same options.
    /// </summary>
    public int ReceiveBufferBytes => _sockets.ReceiveBufferBytes;

    /// <summary>
    /// The send buffer that the first socket was granted, in bytes (<see cref="UdpSocket.SendBufferBytes"/>).
    /// </summary>
    public int SendBufferBytes => _sockets.SendBufferBytes;

    /// <summary>Threads that run handlers.</summary>
    public int ThreadCount => _plan.ThreadCount;

    /// <summary>The shards at the moment, by index.</summary>
    public IReadOnlyList<UdpShard> Shards => _threads.Shards;

    /// <summary>
    /// Ends when the server has stopped; faulted if it was ended by an exception that was not a handler's.
    /// </summary>
    public Task Completion => _completion.Task;

    /// <summary>
    /// Opens the sockets, makes a handler per thread and begins to serve. Returns when all threads run.
    /// </summary>
    /// <param name="options">The server's options.</param>
    /// <param name="makeHandler">
    /// Makes the handler of a shard, on the shard's thread. What it throws is thrown by this call.
    /// </param>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
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

    /// <summary>What the server has done so far; after it was stopped, what it had done by then.</summary>
    public UdpServerStatistics GetStatistics() => new()
    {
        Threads = _threads.Read(),
        Unhandled = _threads.Unhandled,
        StuckShards = _threads.Stuck,
        Sockets = _sockets.ReadCounters(),
    };

    /// <summary>
    /// As <see cref="SetThreadCountAsync(int, TimeSpan, CancellationToken)"/> with ten seconds for what is queued.
    /// </summary>
    /// <inheritdoc cref="SetThreadCountAsync(int, TimeSpan, CancellationToken)"/>
    public Task<UdpServerStatistics> SetThreadCountAsync(
        int threadCount, CancellationToken cancellationToken = default) =>
        SetThreadCountAsync(threadCount, DefaultShrinkDrain, cancellationToken);

    /// <summary>
    /// Adds threads, or takes away those of the highest index, under load. A shard that is taken away gets nothing new
    /// first, then handles what its socket has queued, and only then closes, so no datagram is lost that the system
    /// can still deliver, if the time suffices. In a sharded server most peers then belong to other shards.
    /// </summary>
    /// <remarks>
    /// The call ends at most two seconds after <paramref name="drainTimeout"/>, and sooner where the server is stopped
    /// meanwhile. What was still queued is counted in <see cref="UdpServerStatistics.Unhandled"/>. A handler that has
    /// not returned by then is left behind, with its thread, and named in
    /// <see cref="UdpServerStatistics.StuckShards"/>.
    /// </remarks>
    /// <param name="threadCount">1 to 256.</param>
    /// <param name="drainTimeout">The most time for what is queued at the shards that go.</param>
    /// <param name="cancellationToken">
    /// Takes back threads that are being added, and ends the call with <see cref="OperationCanceledException"/>. Shards
    /// that are being taken away cannot be kept: the token ends the time for what is queued there, and the call ends
    /// as it would when that time is over.
    /// </param>
    /// <returns>What the server had done when the call ended.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The number is not possible, or the time is negative.</exception>
    /// <exception cref="InvalidOperationException">
    /// Called by a handler: waiting for it there would be waiting for itself. Let a thread of the pool call it
    /// (<see cref="Task.Run(Func{Task})"/>), and do not wait for that.
    /// </exception>
    /// <exception cref="NotSupportedException">
    /// It cannot be done without loss or against a promise: shrinking under <see cref="UdpSteering.Kernel"/>, several
    /// shards on a system without SO_REUSEPORT, or more threads where one keeps sessions and with more a peer would not
    /// stay with one (<see cref="UdpShard.KeepsPeers"/>).
    /// </exception>
    /// <exception cref="ObjectDisposedException">The server was stopped, or is while this is under way.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled before the call had begun or while threads
    /// were being added.</exception>
    public Task<UdpServerStatistics> SetThreadCountAsync(
        int threadCount, TimeSpan drainTimeout, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(threadCount, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(threadCount, ServerPlan.MaxThreadCount);
        ArgumentOutOfRangeException.ThrowIfLessThan(drainTimeout, TimeSpan.Zero);
        if (ServerThread.IsCurrent(_plan))
        {
            throw new InvalidOperationException(
                "A handler cannot change the number of its server's threads, since it could wait for itself: "
                + "call SetThreadCountAsync by Task.Run, and do not wait for that in a handler.");
        }

        return ChangeThreadCountAsync(threadCount, drainTimeout, cancellationToken);
    }

    /// <summary>As <see cref="StopAsync(TimeSpan, CancellationToken)"/> with two seconds for what is queued.</summary>
    /// <inheritdoc cref="StopAsync(TimeSpan, CancellationToken)"/>
    public Task<UdpServerStatistics> StopAsync(CancellationToken cancellationToken = default) =>
        StopAsync(DefaultDrain, cancellationToken);

    /// <summary>
    /// Stops: lets nothing more in (Linux; what still comes is counted as dropped by the kernel), handles what is
    /// queued, calls <see cref="UdpHandler.OnStop"/>, ends sessions, sends the last replies and closes. Any number of
    /// calls; the one with the least time counts.
    /// </summary>
    /// <remarks>
    /// The call ends at most two seconds after <paramref name="drainTimeout"/>, the time that handlers take included.
    /// Do not wait for it in a handler, whose return it waits for. What was still queued is counted in
    /// <see cref="UdpServerStatistics.Unhandled"/>. A handler that has not returned by then is left behind with its
    /// thread, which cannot be ended, and named in <see cref="UdpServerStatistics.StuckShards"/>; its sockets are
    /// closed like all others. Should the handler return after all, its thread ends as usual, but its replies are lost.
    /// </remarks>
    /// <param name="drainTimeout">The most time for what is queued; zero: it is lost, and counted.</param>
    /// <param name="cancellationToken">
    /// Ends the time for what is queued. The server stops all the same, and the call waits for that.
    /// </param>
    /// <returns>What the server had done when it had stopped.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    public async Task<UdpServerStatistics> StopAsync(
        TimeSpan drainTimeout, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(drainTimeout, TimeSpan.Zero);
        _end.BringForward(drainTimeout);
        using CancellationTokenRegistration hurry = cancellationToken.UnsafeRegister(
            static end => ((EndTime)end!).BringForward(TimeSpan.Zero), _end);
        await _stopping.CancelAsync().ConfigureAwait(false);
        await _changing.WaitAsync(CancellationToken.None).ConfigureAwait(false);
        try
        {
            if (TryBeginStop())
            {
                await _threads.EndAsync(_end).ConfigureAwait(false);
                Complete();
            }

            return GetStatistics();
        }
        catch (Exception fault)
        {
            // What awaits the end must not await it for ever.
            _completion.TrySetException(fault);
            throw;
        }
        finally
        {
            _end.Dispose();
            _changing.Release();
        }
    }

    /// <summary>As <see cref="StopAsync(TimeSpan, CancellationToken)"/> with two seconds. Does not block.</summary>
    public async ValueTask DisposeAsync() => await StopAsync(DefaultDrain).ConfigureAwait(false);

    /// <summary>
    /// Stops with two seconds for what is queued, and blocks until all threads have ended. Where you can await, use
    /// <see cref="DisposeAsync"/>. Not for a handler, whose return it waits for.
    /// </summary>
    /// <exception cref="InvalidOperationException">Called by a handler.</exception>
    public void Dispose()
    {
        if (ServerThread.IsCurrent(_plan))
        {
            throw new InvalidOperationException(
                "A handler cannot dispose its server, which would wait for it: call StopAsync and do not wait.");
        }

        _end.BringForward(DefaultDrain);
        _stopping.Cancel();
        _changing.Wait();
        try
        {
            if (!TryBeginStop()) return;
            _threads.End(_end);
            Complete();
        }
        finally
        {
            _end.Dispose();
            _changing.Release();
        }
    }

    private bool TryBeginStop()
    {
        if (_stopped) return false;
        return _stopped = true;
    }

    private void Complete()
    {
        if (_threads.Fault.Exception is { } fault) _completion.SetException(fault.InnerExceptions);
        else _completion.SetResult();
    }

    private async Task<UdpServerStatistics> ChangeThreadCountAsync(
        int threadCount, TimeSpan drainTimeout, CancellationToken cancellationToken)
    {
        await _changing.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_stopping.IsCancellationRequested, this);
            _plan.BeginChange(threadCount);
            if (threadCount > ThreadCount)
            {
                await _threads.GrowAsync(threadCount, _stopping.Token, cancellationToken).ConfigureAwait(false);
            }
            else
            {
                using EndTime end = new();
                end.BringForward(drainTimeout);
                using CancellationTokenRegistration hurry = cancellationToken.UnsafeRegister(
                    static end => ((EndTime)end!).BringForward(TimeSpan.Zero), end);
                await _threads.ShrinkAsync(threadCount, end, _stopping.Token).ConfigureAwait(false);
            }

            return GetStatistics();
        }
        catch (OperationCanceledException stopped) when (_stopping.IsCancellationRequested)
        {
            throw new ObjectDisposedException("The server was stopped meanwhile.", stopped);
        }
        finally
        {
            _plan.EndChange();
            _changing.Release();
        }
    }

    // A thread that ended by a fault leaves its part of the work undone. The others do not go on as if nothing were
    // wrong: the server stops.
    private async Task StopOnFaultAsync()
    {
        await Task.WhenAny(_threads.Fault, Completion).ConfigureAwait(false);
        await StopAsync(DefaultDrain).ConfigureAwait(false);
    }
}
