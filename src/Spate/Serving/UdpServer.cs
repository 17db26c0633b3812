using System.Net.Sockets;
using Spate.Serving.Lifetime;
using Spate.Serving.Shards;
using Spate.Sockets;

namespace Spate.Serving;

/// <summary>
/// A UDP server: threads that receive in batches, call a handler for each batch and send its replies. The design
/// (<see cref="UdpServerDesign"/>) determines how work is divided among the threads; the same handlers work with all
/// designs. Any thread may call the members.
/// </summary>
/// <example><code>
/// await using UdpServer server = UdpServer.Start(
///     new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Any(9999)] }, shard => new EchoHandler());
/// </code></example>
public sealed class UdpServer : IDisposable, IAsyncDisposable
{
    private static readonly TimeSpan DefaultDrain = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan DefaultShrinkDrain = TimeSpan.FromSeconds(10);

    private readonly ResolvedServerOptions _plan;
    private readonly ServerSockets _sockets;
    private readonly ServerThreads _threads;
    private readonly SemaphoreSlim _changing = new(1, 1);
    private readonly CancellationTokenSource _stopping = new();
    private readonly StopDeadline _end = new();
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _stopped;

    private UdpServer(ResolvedServerOptions plan)
    {
        _plan = plan;
        _sockets = new ServerSockets(plan);
        _threads = new ServerThreads(plan, _sockets);
        _threads.Start(plan.ThreadCount);
        plan.Account.Start(_threads, _sockets);
        _ = StopOnFaultAsync();
    }

    /// <summary>
    /// The addresses and ports that the server serves. If port 0 was requested, the list has the port that the system
    /// chose.
    /// </summary>
    public IReadOnlyList<UdpEndPoint> LocalEndPoints => _sockets.EndPoints;

    /// <summary>How work is divided among the threads.</summary>
    public UdpServerDesign Design => _plan.Options.Design;

    /// <summary>The backend of the sockets.</summary>
    public UdpBackend Backend => _sockets.First[0].Backend;

    /// <summary>Whether the sockets receive coalesced buffers.</summary>
    public bool CoalescedReceive => _sockets.First[0].CoalescedReceive;

    /// <summary>Whether replies are sent as GSO messages.</summary>
    public bool SegmentedSend => _sockets.First[0].SegmentedSend;

    /// <summary>
    /// The size in bytes of the receive buffer that the system granted to the first socket
    /// (<see cref="UdpSocket.ReceiveBufferBytes"/>). All sockets of the server are opened with the same options.
    /// </summary>
    public int ReceiveBufferBytes => _sockets.First[0].ReceiveBufferBytes;

    /// <summary>
    /// The size in bytes of the send buffer that the system granted to the first socket
    /// (<see cref="UdpSocket.SendBufferBytes"/>).
    /// </summary>
    public int SendBufferBytes => _sockets.First[0].SendBufferBytes;

    /// <summary>The number of threads that run handlers.</summary>
    public int ThreadCount => _plan.ThreadCount;

    /// <summary>The present shards, in the order of their indexes.</summary>
    public IReadOnlyList<UdpShard> Shards => _threads.Shards;

    /// <summary>
    /// Completes when the server has stopped. Faults if an exception outside the handlers ended the server, or if the
    /// stop itself threw an exception.
    /// </summary>
    public Task Completion => _completion.Task;

    /// <summary>The server's sockets; for tests.</summary>
    internal ServerSockets Sockets => _sockets;

    /// <summary>
    /// Opens the sockets, makes a handler for each thread and starts to serve. Returns when all threads run.
    /// </summary>
    /// <param name="options">The server's options.</param>
    /// <param name="handlerFactory">
    /// Makes the handler of a shard. Called on the shard's thread. If the function throws, this method throws the same
    /// exception.
    /// </param>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    /// <exception cref="InvalidOperationException">
    /// A thread could not be tied to its CPU, <paramref name="handlerFactory"/> returned null, or <c>SPATE_BACKEND</c>
    /// has an invalid value (<see cref="UdpSocket.Bind"/>).
    /// </exception>
    /// <exception cref="SocketException">
    /// The system refused: for example, a port is busy or an address is not local. The message names the port or
    /// address and the way to fix the problem.
    /// </exception>
    /// <exception cref="PlatformNotSupportedException">
    /// An option is not available on this system. The message names the option and the reason.
    /// </exception>
    public static UdpServer Start(UdpServerOptions options, Func<UdpShard, UdpHandler> handlerFactory)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(handlerFactory);
        return new UdpServer(new ResolvedServerOptions(options, handlerFactory));
    }

    /// <summary>
    /// Returns the server's statistics so far. The method may also be called after the server has stopped.
    /// </summary>
    public UdpServerStatistics GetStatistics() => _plan.Account.AddTo(new UdpServerStatistics
    {
        Threads = _threads.Read(),
        Unhandled = _sockets.Unhandled,
        StuckShards = _threads.Stuck,
        Sockets = _sockets.ReadCounters(),
    });

    /// <summary>
    /// Changes the number of threads as <see cref="SetThreadCountAsync(int, TimeSpan, CancellationToken)"/> does, with
    /// a drain timeout of ten seconds.
    /// </summary>
    /// <inheritdoc cref="SetThreadCountAsync(int, TimeSpan, CancellationToken)"/>
    public Task<UdpServerStatistics> SetThreadCountAsync(
        int threadCount, CancellationToken cancellationToken = default) =>
        SetThreadCountAsync(threadCount, DefaultShrinkDrain, cancellationToken);

    /// <summary>
    /// Adds threads, or takes away the threads with the highest indexes, while the server continues to serve. When a
    /// shard is taken away, it first stops getting new datagrams, then handles its queued datagrams, and then closes.
    /// So no datagram that the system can still deliver is lost, if the drain timeout is long enough. In a sharded
    /// server, most peers belong to other shards after the change.
    /// </summary>
    /// <remarks>
    /// The call ends at most two seconds after <paramref name="drainTimeout"/>, or sooner if the server is stopped
    /// meanwhile. Datagrams that are still queued at the timeout are counted in
    /// <see cref="UdpServerStatistics.Unhandled"/>. A handler that has not returned when the call ends is abandoned
    /// with its thread, and <see cref="UdpServerStatistics.StuckShards"/> lists its shard.
    /// </remarks>
    /// <param name="threadCount">The new number of threads that run handlers, 1 to 256.</param>
    /// <param name="drainTimeout">
    /// The longest time for handling the queued datagrams of the shards that are taken away.
    /// </param>
    /// <param name="cancellationToken">
    /// If threads are being added, cancelling ends the added threads again, and the call throws
    /// <see cref="OperationCanceledException"/>. If shards are being taken away, cancelling ends the drain timeout at
    /// once, and the call ends as it does after that timeout.
    /// </param>
    /// <returns>The server's statistics at the end of the call.</returns>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="threadCount"/> is out of its range, or <paramref name="drainTimeout"/> is negative.
    /// </exception>
    /// <exception cref="InvalidOperationException">
    /// A handler called the method, but the call might have to wait for that same handler to return. Call the method by
    /// <see cref="Task.Run(Func{Task})"/>, and do not wait for the task in the handler.
    /// </exception>
    /// <exception cref="NotSupportedException">
    /// The server cannot make this change. With <see cref="UdpSteering.Kernel"/>, threads cannot be taken away without
    /// losing datagrams. A sharded server needs SO_REUSEPORT for several threads. If the only thread has a session
    /// table, threads can be added only if the server then still keeps peers (<see cref="UdpShard.KeepsPeers"/>).
    /// </exception>
    /// <exception cref="ObjectDisposedException">The server was stopped before or during the call.</exception>
    /// <exception cref="OperationCanceledException">
    /// The token was cancelled before the change began, or while threads were being added.
    /// </exception>
    public Task<UdpServerStatistics> SetThreadCountAsync(
        int threadCount, TimeSpan drainTimeout, CancellationToken cancellationToken = default)
    {
        OptionChecks.RequireRange(threadCount, 1, ResolvedServerOptions.MaxThreadCount, nameof(threadCount));
        OptionChecks.RequireDuration(drainTimeout, nameof(drainTimeout));
        if (ServerThread.IsCurrent(_plan))
        {
            throw new InvalidOperationException(
                "A handler cannot change the number of its server's threads, since the call could wait for it: "
                + "call SetThreadCountAsync by Task.Run, and do not wait for that in a handler.");
        }

        return ChangeThreadCountAsync(threadCount, drainTimeout, cancellationToken);
    }

    /// <summary>
    /// Stops the server as <see cref="StopAsync(TimeSpan, CancellationToken)"/> does, with a drain timeout of two
    /// seconds.
    /// </summary>
    /// <inheritdoc cref="StopAsync(TimeSpan, CancellationToken)"/>
    public Task<UdpServerStatistics> StopAsync(CancellationToken cancellationToken = default) =>
        StopAsync(DefaultDrain, cancellationToken);

    /// <summary>
    /// Stops the server. The server refuses new datagrams (on Linux; the kernel counts them as dropped), handles queued
    /// datagrams, calls <see cref="UdpHandler.OnStop"/>, ends sessions, sends the last replies and closes its sockets.
    /// The method may be called any number of times; the earliest deadline counts.
    /// </summary>
    /// <remarks>
    /// The call ends at most two seconds after <paramref name="drainTimeout"/>, however long handlers take. Do not wait
    /// for the call in a handler, because the call waits for handlers to return. Datagrams that are still queued at the
    /// timeout are counted in <see cref="UdpServerStatistics.Unhandled"/>. A handler that has not returned when the
    /// call ends is abandoned with its thread, because a thread cannot be ended from outside.
    /// <see cref="UdpServerStatistics.StuckShards"/> lists the shard, and its sockets are closed like all others. If
    /// the handler returns later, its thread ends as usual, but its replies are lost.
    /// </remarks>
    /// <param name="drainTimeout">
    /// The longest time for handling queued datagrams. With zero, queued datagrams are lost and counted.
    /// </param>
    /// <param name="cancellationToken">
    /// Cancelling ends the drain timeout at once. The server still stops, and the call still waits for the stop.
    /// </param>
    /// <returns>The server's statistics after the stop.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="drainTimeout"/> is negative.</exception>
    public async Task<UdpServerStatistics> StopAsync(
        TimeSpan drainTimeout, CancellationToken cancellationToken = default)
    {
        OptionChecks.RequireDuration(drainTimeout, nameof(drainTimeout));
        using CancellationTokenRegistration hurry = _end.BringForward(drainTimeout, cancellationToken);
        _stopping.Cancel();
        await RunAsync(Stop).ConfigureAwait(false);
        return GetStatistics();
    }

    /// <summary>
    /// Stops the server as <see cref="StopAsync(TimeSpan, CancellationToken)"/> does, with a drain timeout of two
    /// seconds. Does not block and never throws: <see cref="Completion"/> has the exception that ended the server or
    /// its stop.
    /// </summary>
    /// <remarks>
    /// In a handler, as on every thread of the server, the call begins the stop, and the returned task is complete. So
    /// a handler that waits for the task does not wait for itself. Await <see cref="Completion"/> elsewhere to know
    /// when the server has stopped. The asynchronous dispose of a handler leaves its thread at its first await. If it
    /// then awaits this method, each waits for the other until two seconds after the drain timeout, and the shard
    /// counts as stuck (<see cref="UdpServerStatistics.StuckShards"/>).
    /// </remarks>
    public ValueTask DisposeAsync()
    {
        Task stop = StopWithoutFaultAsync();
        return ServerThread.IsCurrent(_plan) ? ValueTask.CompletedTask : new ValueTask(stop);
    }

    /// <summary>
    /// Stops the server with a drain timeout of two seconds. Blocks until all threads have ended, or until two seconds
    /// after that timeout, when threads that still run are abandoned. If you can await, use <see cref="DisposeAsync"/>.
    /// Never throws: <see cref="Completion"/> has the exception that ended the server or its stop.
    /// </summary>
    /// <remarks>
    /// In a handler, as on every thread of the server, the call begins the stop and returns at once, because it would
    /// otherwise wait for that same handler to return. Await <see cref="Completion"/> elsewhere to know when the server
    /// has stopped.
    /// </remarks>
    public void Dispose()
    {
        if (ServerThread.IsCurrent(_plan))
        {
            _ = StopWithoutFaultAsync();
            return;
        }

        _end.BringForward(DefaultDrain);
        _stopping.Cancel();
        try
        {
            Stop();
        }
        catch (Exception)
        {
            // Completion has the exception.
        }
    }

    /// <summary>
    /// Runs a change on a thread of its own, since it waits for other threads: a busy thread pool would delay it, and
    /// it would keep a thread of the pool busy. If the system has no more threads, the change runs on the pool, because
    /// a stop must not fail for that.
    /// </summary>
    /// <param name="change">The change.</param>
    /// <param name="scheduler">Starts the thread; a test gives another one than the default.</param>
    internal static Task RunAsync(Action change, TaskScheduler? scheduler = null)
    {
        try
        {
            return Task.Factory.StartNew(
                change, CancellationToken.None, TaskCreationOptions.LongRunning, scheduler ?? TaskScheduler.Default);
        }
        catch (TaskSchedulerException)
        {
            return Task.Run(change);
        }
    }

    private async Task StopWithoutFaultAsync()
    {
        Task stop = StopAsync(DefaultDrain);
        await stop.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

        // A stop that has begun has completed the task already. Code that awaits it must not wait forever for another.
        if (stop.Exception is { } fault) _completion.TrySetException(fault.InnerExceptions);
    }

    private void Stop()
    {
        _changing.Wait();
        try
        {
            if (_stopped) return;
            _stopped = true;
            EndingFault ending = new();
            ending.Try(() => _threads.End(_end));
            ending.Try(_plan.Account.Stop);

            // The exception that ended the server comes before what its end met.
            Exception[] faults =
            [
                .. _threads.Fault.Exception?.InnerExceptions ?? Enumerable.Empty<Exception>(),
                .. ending.Exception is { } met ? [met] : Array.Empty<Exception>(),
            ];
            if (faults.Length > 0) _completion.TrySetException(faults);
            else _completion.TrySetResult();
            ending.Throw();
        }
        catch (Exception fault)
        {
            // Code that awaits Completion must not wait forever.
            _completion.TrySetException(fault);
            throw;
        }
        finally
        {
            _end.Dispose();
            _changing.Release();
        }
    }

    private async Task<UdpServerStatistics> ChangeThreadCountAsync(
        int threadCount, TimeSpan drainTimeout, CancellationToken cancellationToken)
    {
        await _changing.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_stopping.IsCancellationRequested, this);
            _plan.BeginChange(threadCount);
            using StopDeadline end = new();
            using CancellationTokenRegistration hurry = end.BringForward(drainTimeout, cancellationToken);
            await RunAsync(() =>
            {
                if (threadCount > ThreadCount) _threads.Grow(threadCount, _stopping.Token, cancellationToken);
                else _threads.Shrink(threadCount, end, _stopping.Token);
            }).ConfigureAwait(false);
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

    // Stops the server when an exception ends one of its threads, because no other thread takes over the work of that
    // thread.
    private async Task StopOnFaultAsync()
    {
        await Task.WhenAny(_threads.Fault, Completion).ConfigureAwait(false);
        await StopAsync(DefaultDrain).ConfigureAwait(false);
    }
}
