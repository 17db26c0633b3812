using Spate.Backends.Readiness;

namespace Spate.Serving;

/// <summary>Puts the parts of a design together: sockets, wait rule, source of batches, loop.</summary>
internal sealed class ThreadMaker(ServerPlan plan, ServerSockets sockets)
{
    private readonly Crew _crew = new(plan.Options.WakeThreshold);
    private UdpSocket[]? _shared;
    private Handover? _handover;

    /// <summary>The thread that receives for others, in the designs that have one; before the first shard.</summary>
    public FeederThread? MakeFeeder()
    {
        if (!plan.Traits.HasFeeder) return null;
        _shared = sockets.Open();
        ThreadWaiter waiter = MakeWaiter(_shared);
        _handover = new Handover(_crew, waiter);
        WaitRule wait = WaitRule.Create(plan.Options, plan.Wait, waiter);
        return new FeederThread(plan, _shared, new SocketSet(_shared, wait), waiter, _handover);
    }

    public ShardThread MakeShard(int index)
    {
        UdpSocket[] own = plan.Traits.SharesSocket ? _shared ??= sockets.Open() : sockets.Open();
        Lane[] lanes = [.. own.Select(socket => new Lane(socket, plan.RepliesFor(socket)))];
        return new ShardThread(plan, index, lanes, () => MakeSource(own), () => OnFinished(own));
    }

    private BatchSource MakeSource(UdpSocket[] own)
    {
        if (_handover is not null)
        {
            ThreadWaiter parked = MakeWaiter([]);
            _crew.Join();
            return new WorkerSource(_handover, _crew, parked);
        }

        ThreadWaiter waiter = MakeWaiter(own);
        WaitRule wait = WaitRule.Create(plan.Options, plan.Wait, waiter);
        if (plan.Traits.UsesCrew)
        {
            wait = new CrewWait(_crew, wait, waiter);
            _crew.Join();
        }

        return new SocketSource(new SocketSet(own, wait), own[0].CreateReceiveBatch(plan.Receive), waiter);
    }

    // A thread closes the sockets that are its own, since a ring can only be emptied by the thread that used it.
    private void OnFinished(UdpSocket[] own)
    {
        if (plan.Traits.UsesCrew) _crew.Leave();
        if (plan.Traits.SharesSocket) return;
        foreach (UdpSocket socket in own) socket.Dispose();
    }

    private static ThreadWaiter MakeWaiter(UdpSocket[] sockets) => OperatingSystem.IsLinux()
        ? new EpollWaiter([.. sockets.Select(socket => (socket.PollDescriptor, socket.PollsByEdge))])
        : new SelectWaiter(sockets.Select(socket => socket.Inner));
}
