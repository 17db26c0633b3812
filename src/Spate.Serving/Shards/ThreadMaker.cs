using Spate.Waiting;

namespace Spate.Serving.Shards;

/// <summary>Puts the parts of a design together: sockets, wait rule, source of batches, loop.</summary>
internal sealed class ThreadMaker(ServerPlan plan, ServerSockets sockets)
{
    private readonly Crew _crew = new(plan.Options.WakeThreshold);
    private UdpSocket[]? _shared;
    private Handover? _handover;
    private int _batchCount = plan.BatchCount;

    /// <summary>The thread that receives for others, in the designs that have one; before the first shard.</summary>
    public FeederThread? MakeFeeder()
    {
        if (!plan.Traits.HasFeeder) return null;
        _shared = sockets.Open();
        FilledBatch[] batches = MakeBatches(plan.BatchCount);

        // Last, since nobody closes it where something after it fails.
        ThreadWaiter waiter = UdpSocket.CreateWaiter(_shared);
        _handover = new Handover(_crew, waiter);
        WaitRule wait = WaitRule.Create(plan.Options, plan.Wait, waiter);
        return new FeederThread(
            plan, _shared, new SocketSet(_shared, wait), waiter, _handover, batches, sockets.CountUnhandled);
    }

    /// <summary>
    /// More batches where more threads work on them, unless their number was given. They enter by the way on which used
    /// ones come back, which any thread may take.
    /// </summary>
    public void FitBatches()
    {
        if (_handover is null) return;
        foreach (FilledBatch batch in MakeBatches(Math.Max(0, plan.BatchCount - _batchCount)))
            _handover.GiveBack(batch);
        _batchCount = Math.Max(_batchCount, plan.BatchCount);
    }

    public ShardThread MakeShard(int index)
    {
        UdpSocket[] own = plan.Traits.SharesSocket ? _shared ??= sockets.Open() : sockets.Open();
        Lane[] lanes = [.. own.Select(socket => new Lane(socket, plan.RepliesFor(socket)))];
        return new ShardThread(plan, index, lanes, () => MakeSource(own), thread => OnFinished(thread, own));
    }

    private BatchSource MakeSource(UdpSocket[] own)
    {
        if (_handover is not null) return new WorkerSource(_handover, _crew, UdpSocket.CreateWaiter([]));
        ReceiveBatch batch = own[0].CreateReceiveBatch(plan.Receive);
        ThreadWaiter waiter = UdpSocket.CreateWaiter(own);
        WaitRule wait = WaitRule.Create(plan.Options, plan.Wait, waiter);
        Crew? crew = plan.Traits.UsesCrew ? _crew : null;
        if (crew is not null) wait = new CrewWait(crew, wait, waiter);
        return new SocketSource(new SocketSet(own, wait), batch, waiter, crew);
    }

    private FilledBatch[] MakeBatches(int count)
    {
        var batches = new FilledBatch[count];
        for (int i = 0; i < count; i++)
            batches[i] = new FilledBatch(_shared![0].CreateReceiveBatch(plan.Options.Receive));
        return batches;
    }

    // A thread closes the sockets that are its own, since a ring can only be emptied by the thread that used it.
    private void OnFinished(ShardThread thread, UdpSocket[] own)
    {
        if (plan.Traits.SharesSocket) return;
        try
        {
            if (!thread.HasDrained) sockets.CountUnhandled(own);
        }
        finally
        {
            foreach (UdpSocket socket in own) socket.Dispose();
        }
    }
}
