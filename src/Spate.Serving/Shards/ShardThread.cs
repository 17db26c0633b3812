using System.Collections.Concurrent;

namespace Spate.Serving.Shards;

/// <summary>
/// The loop of a thread that runs a handler, the same in every design: take a batch, handle it, send the replies, send
/// what other threads posted, tick.
/// </summary>
internal sealed class ShardThread : ServerThread
{
    private static readonly TimeSpan SendSlice = TimeSpan.FromMilliseconds(50);

    private readonly UdpServerOptions _options;
    private readonly Func<UdpShard, UdpHandler> _makeHandler;
    private readonly FaultLog _faults;
    private readonly Func<BatchSource> _makeSource;
    private readonly Action<ShardThread> _onFinished;
    private readonly ThreadTally _tally = new();
    private readonly TickClock _ticks;
    private readonly ConcurrentQueue<Action> _atEnd = new();
    private readonly Action _callTick;
    private BatchSource? _source;
    private UdpHandler? _handler;

    public ShardThread(
        ServerPlan plan, int index, Lane[] lanes, Func<BatchSource> makeSource, Action<ShardThread> onFinished)
        : base(plan, $"Spate shard {index}", index)
    {
        _options = plan.Options;
        _makeHandler = plan.MakeHandler;
        _faults = plan.Faults;
        _makeSource = makeSource;
        _onFinished = onFinished;
        _ticks = new TickClock(Time, _options.TickInterval);
        _callTick = () => _handler!.OnTick(_ticks.Now, Lanes![0].Replies);
        Lanes = lanes;
        LocalEndPoints = [.. lanes.Select(lane => lane.Socket.LocalEndPoint)];
        Shard = new UdpShard(this, index, plan);
    }

    public UdpShard Shard { get; }

    public Lane[] Lanes { get; }

    public IReadOnlyList<UdpEndPoint> LocalEndPoints { get; }

    public int LocalIndex { get; private set; }

    /// <inheritdoc/>
    protected override int TurnMilliseconds => HasPosted ? 0 : _ticks.RemainingMilliseconds;

    private bool HasPosted
    {
        get
        {
            foreach (Lane lane in Lanes)
            {
                if (lane.HasPosted) return true;
            }

            return false;
        }
    }

    public bool TryPost(int localIndex, in UdpEndPoint peer, ReadOnlySpan<byte> payload)
    {
        if (!LaneAt(localIndex).TryPost(peer, payload)) return false;
        Wake();
        return true;
    }

    public Lane LaneAt(int localIndex) => (uint)localIndex < (uint)Lanes.Length
        ? Lanes[localIndex]
        : throw new ArgumentOutOfRangeException(
            nameof(localIndex), localIndex, $"The server has {Lanes.Length} local end points, counted from 0.");

    /// <summary>Calls this on the thread when the handler has been told of the end.</summary>
    public void AtEnd(Action action) => _atEnd.Enqueue(action);

    /// <summary>Nothing can be posted any more; what was is sent when the thread ends.</summary>
    public void EndPosting()
    {
        foreach (Lane lane in Lanes) lane.EndPosting();
    }

    /// <summary>Its handler does not return, so nobody counts on it any more. Any thread.</summary>
    public void Abandon()
    {
        EndPosting();
        Volatile.Read(ref _source)?.LeaveCrew();
    }

    /// <summary>From now on what the thread answers leaves by these sockets. Any thread.</summary>
    public void SendBy(UdpSocket[] sockets)
    {
        for (int i = 0; i < Lanes.Length; i++) Lanes[i].SendBy(sockets[i]);
    }

    public void Flush(SendBatch replies)
    {
        foreach (Lane lane in Lanes)
        {
            if (lane.Replies != replies) continue;
            Send(lane.Socket, replies);
            return;
        }

        throw new ArgumentException(
            "The batch is not one of this thread's reply batches: send it by its own socket.", nameof(replies));
    }

    /// <inheritdoc/>
    protected override UdpThreadStatistics ReadTally() =>
        _tally.Read() with { ShardIndex = Shard.Index, Sleeps = Volatile.Read(ref _source)?.Sleeps ?? 0 };

    /// <inheritdoc/>
    protected override void Prepare()
    {
        Volatile.Write(ref _source, _makeSource());
        _handler = _makeHandler(Shard) ?? throw new InvalidOperationException(
            "The function that makes handlers returned null: return a handler for every shard.");
        _ticks.Start();
    }

    /// <inheritdoc/>
    protected override bool Turn(int timeoutMilliseconds)
    {
        FilledBatch? batch = _source!.Take(timeoutMilliseconds);
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
            // First of all, so that a handler that takes its time to stop is not counted on by the others.
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
                foreach (Lane lane in Lanes) lane.Dispose();
                _onFinished(this);
            }
        }
    }

    /// <inheritdoc/>
    protected override void Wake() => Volatile.Read(ref _source)?.Wake();

    private void StopHandler()
    {
        SendPosted();
        LocalIndex = 0;
        Call(() => _handler?.OnStop(Lanes[0].Replies));
        foreach (Action action in _atEnd) Call(action);
        SendReplies();
        Call(() => (_handler as IDisposable)?.Dispose());
    }

    private void Handle(FilledBatch filled)
    {
        ReceiveBatch batch = filled.Batch;
        Lane lane = Lanes[filled.LocalIndex];
        LocalIndex = filled.LocalIndex;
        _tally.CountCall(batch.Count, batch.ByteCount);
        try
        {
            _handler!.OnDatagrams(batch, lane.Replies);
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

    // What was composed may be half written, so it does not leave.
    private void OnFault(Exception fault, int datagramCount)
    {
        foreach (Lane lane in Lanes) lane.DropReplies();
        Report(fault, datagramCount);
    }

    // Counted last: who sees the count finds it reported.
    private void Report(Exception fault, int datagramCount)
    {
        _faults.Report(Shard.Index, fault);
        _tally.CountFault(datagramCount);
    }

    private void SendReplies()
    {
        foreach (Lane lane in Lanes)
        {
            if (lane.Replies.Count == 0) continue;
            try
            {
                Send(lane.Socket, lane.Replies);
            }
            catch (Exception fault) when (fault is InvalidOperationException or NotSupportedException)
            {
                // A thread that the handler gave them to sends them at this moment, or a reply has a control that the
                // backend cannot give it. The other lanes' replies are whole.
                _tally.CountReplies(sent: 0, refused: 0, dropped: lane.DropReplies());
                Report(fault, 0);
            }
        }
    }

    private void SendPosted()
    {
        foreach (Lane lane in Lanes)
        {
            if (lane.HasPosted) Send(lane.Socket, lane.TakePosted());
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
                result = socket.Send(batch, SendSlice);
                sent += result.Sent;
                refused += result.Refused;
            }
        }

        _tally.CountReplies(sent, refused, batch.Count);
        if (batch.Count > 0) batch.Clear();
    }
}
