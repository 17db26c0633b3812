using System.Collections.Concurrent;
using System.Diagnostics;
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

    private readonly Func<BatchSource> _makeSource;
    private readonly Action _close;
    private readonly ReplyQueue[] _queues;
    private readonly ConcurrentQueue<Action> _atEnd = new();
    private readonly Action _callTick;
    private UdpHandler? _handler;
    private long _start;
    private long _nextTick;

    /// <param name="plan">The server's options with every default filled in.</param>
    /// <param name="index">The shard's index.</param>
    /// <param name="sockets">One socket for each local end point, in the same order. Threads may share them.</param>
    /// <param name="makeSource">Makes the source of the batches. Called on the thread.</param>
    /// <param name="close">
    /// Closes the sockets if they are the thread's own. Called on the thread as its last step.
    /// </param>
    public ShardThread(
        ResolvedServerOptions plan, int index, UdpSocket[] sockets, Func<BatchSource> makeSource, Action close)
        : base(plan, $"Spate shard {index}", index)
    {
        Sockets = sockets;
        _makeSource = makeSource;
        _close = close;
        _queues = [.. sockets.Select(socket => new ReplyQueue(socket, plan.RepliesFor(socket)))];
        _callTick = () => _handler!.OnTick(Time.GetElapsedTime(_start), _queues[0].Replies);
        LocalEndPoints = [.. sockets.Select(socket => socket.LocalEndPoint)];
        Shard = new UdpShard(this, index, plan);
    }

    /// <summary>The time until the next tick is due, 0 or less if it is due; null without ticks.</summary>
    public TimeSpan? TimeToTick => Plan.Options.TickInterval is null
        ? null
        : Time.GetElapsedTime(Time.GetTimestamp(), _nextTick);

    /// <summary>Whether datagrams that were posted wait for the next pass.</summary>
    public bool HasPosted => Array.Exists(_queues, static queue => queue.HasPosted);

    public UdpSocket[] Sockets { get; }

    public UdpShard Shard { get; }

    public IReadOnlyList<UdpEndPoint> LocalEndPoints { get; }

    public int LocalEndPointIndex { get; private set; }

    /// <summary>
    /// The time until the next tick, rounded up; without ticks, a pass waits forever. A post ends the wait, even if it
    /// comes before the wait: the source remembers that it was woken.
    /// </summary>
    protected override int PassMilliseconds
    {
        get
        {
            if (Plan.Options.TickInterval is null) return -1;
            double remaining = (_nextTick - Time.GetTimestamp()) * 1000.0 / Time.TimestampFrequency;
            return (int)Math.Clamp(Math.Ceiling(remaining), 0, int.MaxValue);
        }
    }

    public bool TryEnqueue(
        ReadOnlySpan<byte> payload, in UdpEndPoint peer, in SendControl control, int localEndPointIndex)
    {
        if (!QueueAt(localEndPointIndex).TryEnqueue(payload, peer, control)) return false;
        Wake();
        return true;
    }

    public ReplyQueue QueueAt(int localEndPointIndex) => (uint)localEndPointIndex < (uint)_queues.Length
        ? _queues[localEndPointIndex]
        : throw new ArgumentOutOfRangeException(
            nameof(localEndPointIndex), localEndPointIndex,
            $"The server has {_queues.Length} local end points, counted from 0.");

    /// <summary>
    /// Calls the action on the thread after <see cref="UdpHandler.OnStop"/>, in the order of these calls. An exception
    /// of one action does not keep the others from being called.
    /// </summary>
    public void AtEnd(Action action) => _atEnd.Enqueue(action);

    /// <summary>
    /// Called for a thread whose handler does not return: the other threads no longer expect it to handle datagrams,
    /// and it accepts no more posted datagrams. Any thread may call this method.
    /// </summary>
    public void Abandon()
    {
        EndPosting();
        Source?.Leave();
    }

    /// <summary>
    /// From now on the datagrams are sent through these sockets, which have the same local addresses and ports.
    /// </summary>
    public void SendBy(UdpSocket[] sockets)
    {
        Debug.Assert(sockets.Length == _queues.Length, "Each shard has one socket for each local end point.");
        for (int i = 0; i < sockets.Length; i++) _queues[i].SendBy(sockets[i]);
    }

    public void Flush(SendBatch replies)
    {
        ArgumentNullException.ThrowIfNull(replies);
        foreach (ReplyQueue queue in _queues)
        {
            if (queue.Replies != replies) continue;
            if (!IsCallersThread) throw NotInTheHandler();
            Send(queue.Socket, replies);
            return;
        }

        throw new ArgumentException(
            "The batch is not one of this thread's reply batches: send it by its own socket.", nameof(replies));
    }

    /// <inheritdoc/>
    protected override void Prepare()
    {
        Source = _makeSource();
        _handler = Plan.HandlerFactory(Shard) ?? throw new InvalidOperationException(
            "handlerFactory returned null: return a handler for every shard.");
        _start = Time.GetTimestamp();
        AwaitNextTick();
    }

    /// <inheritdoc/>
    protected override bool Pass(int timeoutMilliseconds)
    {
        BatchSource source = Source!;
        ReceivedBatch? batch = source.Take(timeoutMilliseconds);
        if (batch is not null)
        {
            Handle(batch);
            source.GiveBack(batch);
        }

        SendPosted();
        if (Plan.Options.TickInterval is not null && Time.GetTimestamp() >= _nextTick) Tick();
        return batch is not null;
    }

    /// <inheritdoc/>
    protected override IEnumerable<Action> LastSteps =>
    [
        // These two come before OnStop, which may take long. During that time the other threads must not expect this
        // thread to handle or send datagrams.
        EndPosting,
        () => Source?.Dispose(),
        StopHandler,
        () => Array.ForEach(_queues, static queue => queue.Dispose()),
        _close,
    ];

    private static InvalidOperationException NotInTheHandler() => new(
        "Flush was called outside the handler, to which the reply batches belong: call Flush in the handler, and send "
        + "from elsewhere with TryEnqueue.");

    private void EndPosting()
    {
        foreach (ReplyQueue queue in _queues) queue.EndPosting();
    }

    private void StopHandler()
    {
        SendPosted();
        LocalEndPointIndex = 0;
        Call(() => _handler?.OnStop(_queues[0].Replies));
        foreach (Action action in _atEnd) Call(action);
        SendReplies();
        Call(DisposeHandler);
    }

    // The thread has nothing else to do, so it waits for an asynchronous dispose. If that takes too long, the thread
    // counts as stuck, as with any other call of the handler.
    private void DisposeHandler()
    {
        if (_handler is IAsyncDisposable handler) handler.DisposeAsync().AsTask().GetAwaiter().GetResult();
        else (_handler as IDisposable)?.Dispose();
    }

    private void Handle(ReceivedBatch received)
    {
        Debug.Assert(
            IsCallersThread && (uint)received.LocalEndPointIndex < (uint)_queues.Length,
            "The handler runs on the shard's thread, and would be blamed for a wrong index.");
        ReceiveBatch batch = received.Batch;
        LocalEndPointIndex = received.LocalEndPointIndex;
        Counters.CountCall(batch.Count, batch.ByteCount);
        try
        {
            _handler!.OnDatagrams(batch, _queues[LocalEndPointIndex].Replies);
        }
        catch (Exception fault)
        {
            OnFault(fault, batch.Count);
        }

        SendReplies();
    }

    private void Tick()
    {
        LocalEndPointIndex = 0;
        Call(_callTick);
        SendReplies();
        AwaitNextTick();
    }

    // Missed ticks are skipped: the next one is due an interval from now.
    private void AwaitNextTick()
    {
        if (Plan.Options.TickInterval is not { } interval) return;
        _nextTick = Time.GetTimestamp() + (long)(interval.TotalSeconds * Time.TimestampFrequency);
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
        foreach (ReplyQueue queue in _queues) droppedCount += ReplyQueue.Drop(queue.Replies);
        Counters.CountReplies(sent: 0, refused: 0, dropped: droppedCount);
        Report(fault, datagramCount);
    }

    // The fault is counted last. So a thread that sees the count knows that the fault was already reported.
    private void Report(Exception fault, int datagramCount)
    {
        Plan.Faults.Report(Shard.Index, fault);
        Counters.CountFault(datagramCount);
    }

    private void SendReplies()
    {
        foreach (ReplyQueue queue in _queues)
        {
            if (queue.Replies.Count > 0) Send(queue.Socket, queue.Replies);
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
        int sent = 0, refused = 0;
        Exception? fault = null;
        try
        {
            SendResult result = socket.TrySend(batch);
            (sent, refused) = (result.Sent, result.Refused);
            if (batch.Count > 0)
            {
                long start = Time.GetTimestamp();
                while (batch.Count > 0 && result.Status != SendStatus.Closed && !HasNoTimeLeft
                    && Plan.Options.ReplyTimeout - Time.GetElapsedTime(start) is var left && left > TimeSpan.Zero)
                {
                    result = socket.Send(batch, left < MaxSendWait ? left : MaxSendWait);
                    sent += result.Sent;
                    refused += result.Refused;
                }
            }
        }
        catch (Exception thrown)
        {
            // A send throws in three cases. The handler gave the replies to another thread, which is sending them now.
            // Another thread wrote to them at the same time as the handler and left the batch inconsistent. Or a
            // datagram has a control that the backend does not support. After clearing, the batch can be used again,
            // and those of the other queues can still be sent.
            fault = thrown;
        }

        int dropped = fault is null && batch.Count == 0 ? 0 : ReplyQueue.Drop(batch);
        Counters.CountReplies(sent, refused, dropped);
        if (fault is not null) Report(fault, 0);
    }
}
