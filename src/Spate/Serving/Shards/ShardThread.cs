using System.Collections.Concurrent;
using Spate.Serving.Lifetime;

namespace Spate.Serving.Shards;

/// <summary>
/// A thread that runs a handler. Its loop is the same in every design: take a batch, handle it, send the replies, send
/// the datagrams that other threads posted, and call <see cref="UdpHandler.OnTick"/> when a tick is due.
/// </summary>
internal sealed class ShardThread : ServerThread
{
    /// <summary>
    /// The longest single wait of a send. A longer wait is split into waits of this length, and the thread can end
    /// between two of them.
    /// </summary>
    private static readonly TimeSpan MaxSendWait = TimeSpan.FromMilliseconds(50);

    private readonly UdpServerOptions _options;
    private readonly Func<UdpShard, UdpHandler> _makeHandler;
    private readonly FaultLog _faults;
    private readonly Func<BatchSource> _makeSource;
    private readonly Action<ShardThread> _onFinished;
    private readonly ReplyQueue[] _queues;
    private readonly ThreadCounters _counters = new();
    private readonly TickClock _ticks;
    private readonly ConcurrentQueue<Action> _atEnd = new();
    private readonly Action _callTick;
    private BatchSource? _source;
    private UdpHandler? _handler;

    /// <param name="plan">The server's options with every default filled in.</param>
    /// <param name="index">The shard's index.</param>
    /// <param name="queues">
    /// One queue for each local end point, in the same order. The thread disposes the queues.
    /// </param>
    /// <param name="makeSource">Makes the source of the batches. Called on the thread.</param>
    /// <param name="onFinished">Called on the thread as its last step.</param>
    public ShardThread(
        ResolvedServerOptions plan,
        int index,
        ReplyQueue[] queues,
        Func<BatchSource> makeSource,
        Action<ShardThread> onFinished)
        : base(plan, $"Spate shard {index}", index)
    {
        _options = plan.Options;
        _makeHandler = plan.MakeHandler;
        _faults = plan.Faults;
        _makeSource = makeSource;
        _onFinished = onFinished;
        _queues = queues;
        _ticks = new TickClock(Time, _options.TickInterval);
        _callTick = () => _handler!.OnTick(_ticks.Now, _queues[0].Replies);
        LocalEndPoints = [.. queues.Select(queue => queue.Socket.LocalEndPoint)];
        Shard = new UdpShard(this, index, plan);
    }

    public UdpShard Shard { get; }

    public IReadOnlyList<UdpEndPoint> LocalEndPoints { get; }

    public int LocalIndex { get; private set; }

    /// <inheritdoc/>
    protected override int PassMilliseconds => HasPosted ? 0 : _ticks.RemainingMilliseconds;

    private bool HasPosted
    {
        get
        {
            foreach (ReplyQueue queue in _queues)
            {
                if (queue.HasPosted) return true;
            }

            return false;
        }
    }

    public bool TryPost(ReadOnlySpan<byte> payload, in UdpEndPoint peer, int localIndex)
    {
        if (!QueueAt(localIndex).TryPost(payload, peer)) return false;
        Wake();
        return true;
    }

    public ReplyQueue QueueAt(int localIndex) => (uint)localIndex < (uint)_queues.Length
        ? _queues[localIndex]
        : throw new ArgumentOutOfRangeException(
            nameof(localIndex), localIndex, $"The server has {_queues.Length} local end points, counted from 0.");

    /// <summary>Calls the action on the thread after <see cref="UdpHandler.OnStop"/>.</summary>
    public void AtEnd(Action action) => _atEnd.Enqueue(action);

    /// <summary>
    /// Called for a thread whose handler does not return: the other threads no longer expect it to handle datagrams,
    /// and it accepts no more posted datagrams. Any thread may call this method.
    /// </summary>
    public void Abandon()
    {
        EndPosting();
        Volatile.Read(ref _source)?.Leave();
    }

    /// <summary>
    /// From now on the datagrams are sent through these sockets, which have the same local addresses and ports.
    /// </summary>
    public void SendBy(UdpSocket[] sockets)
    {
        for (int i = 0; i < sockets.Length; i++) _queues[i].SendBy(sockets[i]);
    }

    public void Flush(SendBatch replies)
    {
        foreach (ReplyQueue queue in _queues)
        {
            if (queue.Replies != replies) continue;
            if (!IsCallersThread) throw NotTheHandlersThread();
            Send(queue.Socket, replies);
            return;
        }

        throw new ArgumentException(
            "The batch is not one of this thread's reply batches: send it by its own socket.", nameof(replies));
    }

    /// <inheritdoc/>
    protected override UdpThreadStatistics ReadCounters() =>
        _counters.Read() with { ShardIndex = Shard.Index, Sleeps = Volatile.Read(ref _source)?.Sleeps ?? 0 };

    /// <inheritdoc/>
    protected override void Prepare()
    {
        Volatile.Write(ref _source, _makeSource());
        _handler = _makeHandler(Shard) ?? throw new InvalidOperationException(
            "The function that makes handlers returned null: return a handler for every shard.");
        _ticks.Start();
    }

    /// <inheritdoc/>
    protected override bool Pass(int timeoutMilliseconds)
    {
        ReceivedBatch? batch = _source!.Take(timeoutMilliseconds);
        if (batch is not null)
        {
            Handle(batch);
            _source.GiveBack(batch);
        }

        SendPosted();
        if (_ticks.IsDue) Tick();
        return batch is not null;
    }

    /// <inheritdoc/>
    protected override void Finish()
    {
        try
        {
            // These two calls come before OnStop, which may take long. During that time the other threads must not
            // expect this thread to handle or send datagrams.
            EndPosting();
            _source?.Dispose();
        }
        finally
        {
            try
            {
                StopHandler();
            }
            finally
            {
                foreach (ReplyQueue queue in _queues) queue.Dispose();
                _onFinished(this);
            }
        }
    }

    /// <inheritdoc/>
    protected override void Wake() => Volatile.Read(ref _source)?.Wake();

    private static InvalidOperationException NotTheHandlersThread() => new(
        "Flush was called on another thread than the shard's, to which its reply batches belong: "
        + "call it in the handler, and send from other threads with TryPost.");

    private void EndPosting()
    {
        foreach (ReplyQueue queue in _queues) queue.EndPosting();
    }

    private void StopHandler()
    {
        SendPosted();
        LocalIndex = 0;
        Call(() => _handler?.OnStop(_queues[0].Replies));
        foreach (Action action in _atEnd) Call(action);
        SendReplies();
        Call(() => (_handler as IDisposable)?.Dispose());
    }

    private void Handle(ReceivedBatch received)
    {
        ReceiveBatch batch = received.Batch;
        LocalIndex = received.LocalIndex;
        _counters.CountCall(batch.Count, batch.ByteCount);
        try
        {
            _handler!.OnDatagrams(batch, _queues[LocalIndex].Replies);
        }
        catch (Exception fault)
        {
            OnFault(fault, batch.Count);
        }

        SendReplies();
    }

    private void Tick()
    {
        LocalIndex = 0;
        Call(_callTick);
        SendReplies();
        _ticks.Next();
    }

    private void Call(Action call)
    {
        try
        {
            call();
        }
        catch (Exception fault)
        {
            OnFault(fault, 0);
        }
    }

    // A handler that threw may have left a reply half written, so all its unsent replies are dropped.
    private void OnFault(Exception fault, int datagramCount)
    {
        int droppedCount = 0;
        foreach (ReplyQueue queue in _queues) droppedCount += queue.DropReplies();
        _counters.CountReplies(sent: 0, refused: 0, dropped: droppedCount);
        Report(fault, datagramCount);
    }

    // The fault is counted last. So a thread that sees the count knows that the fault was already reported.
    private void Report(Exception fault, int datagramCount)
    {
        _faults.Report(Shard.Index, fault);
        _counters.CountFault(datagramCount);
    }

    private void SendReplies()
    {
        foreach (ReplyQueue queue in _queues)
        {
            if (queue.Replies.Count == 0) continue;
            try
            {
                Send(queue.Socket, queue.Replies);
            }
            catch (Exception fault)
            {
                // A send throws in three cases. The handler gave the replies to another thread, which is sending them
                // now. Another thread wrote to them at the same time as the handler and left the batch inconsistent. Or
                // a reply has a control that the backend does not support. After clearing, the batch can be used again,
                // and the replies of the other queues can still be sent.
                _counters.CountReplies(sent: 0, refused: 0, dropped: queue.DropReplies());
                Report(fault, 0);
            }
        }
    }

    private void SendPosted()
    {
        foreach (ReplyQueue queue in _queues)
        {
            if (queue.HasPosted) Send(queue.Socket, queue.TakePosted());
        }
    }

    private void Send(UdpSocket socket, SendBatch batch)
    {
        SendResult result = socket.TrySend(batch);
        int sent = result.Sent, refused = result.Refused;
        if (batch.Count > 0)
        {
            long start = Time.GetTimestamp();
            while (batch.Count > 0 && result.Status != SendStatus.Closed && !HasNoTimeLeft
                && Time.GetElapsedTime(start) < _options.ReplyTimeout)
            {
                result = socket.Send(batch, MaxSendWait);
                sent += result.Sent;
                refused += result.Refused;
            }
        }

        _counters.CountReplies(sent, refused, batch.Count);
        if (batch.Count > 0) batch.Clear();
    }
}
