using System.Collections.Concurrent;
using Spate.Serving.Lifetime;

namespace Spate.Serving.Shards;

/// <summary>
/// The loop of a thread that runs a handler, the same in every design: take a batch, handle it, send the replies, send
/// the datagrams that other threads posted, tick.
/// </summary>
internal sealed class ShardThread : ServerThread
{
    /// <summary>A longer wait of a send is cut into waits of this length, between which the thread may end.</summary>
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

    /// <param name="plan">The server's plan.</param>
    /// <param name="index">The shard's index.</param>
    /// <param name="queues">One queue for each local end point, in their order. The thread disposes them.</param>
    /// <param name="makeSource">Makes the source of the batches. Called on the thread.</param>
    /// <param name="onFinished">Called on the thread as the last thing that it does.</param>
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
    /// Gives up a thread whose handler does not return: the other threads do not rely on it any more, and nothing more
    /// can be posted. Any thread may call.
    /// </summary>
    public void Abandon()
    {
        EndPosting();
        Volatile.Read(ref _source)?.Leave();
    }

    /// <summary>Sends by other sockets of the same addresses and ports from now on.</summary>
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
            // This comes before OnStop, which may take long: the other threads must not rely on this one meanwhile.
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

    // The handler may have left a reply half written, so none of its replies is sent.
    private void OnFault(Exception fault, int datagramCount)
    {
        int droppedCount = 0;
        foreach (ReplyQueue queue in _queues) droppedCount += queue.DropReplies();
        _counters.CountReplies(sent: 0, refused: 0, dropped: droppedCount);
        Report(fault, datagramCount);
    }

    // The counter comes last: a thread that finds the fault counted there also finds it reported.
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
                // The handler gave the replies to another thread, which sends them, or has written to them while this
                // thread did and left the plan inconsistent; or a reply has a control that the backend does not
                // support. Clearing makes the batch whole again, and the replies of the other queues can be sent.
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
