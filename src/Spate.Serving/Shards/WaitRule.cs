using Spate.Waiting;

namespace Spate.Serving.Shards;

/// <summary>What a thread that receives does when nothing is there.</summary>
internal abstract class WaitRule(ThreadWaiter waiter)
{
    protected ThreadWaiter Waiter { get; } = waiter;

    /// <summary>
    /// Nothing is there. True: look again at once. False: the thread has slept, or may not wait any longer.
    /// </summary>
    public abstract bool OnEmpty(int timeoutMilliseconds);

    /// <summary>
    /// A receive failed for a reason that lasts and has no event: sleeps so long, whatever the sockets do, unless the
    /// thread is woken.
    /// </summary>
    public void OnShortage(int milliseconds)
    {
        OnParking();
        Waiter.Sleep(milliseconds, forSockets: false);
    }

    /// <summary>A call brought so many datagrams.</summary>
    public virtual void OnArrival(int datagramCount)
    {
    }

    /// <summary>The thread gives up a wait that is under way, to sleep elsewhere.</summary>
    public virtual void OnParking()
    {
    }

    public static WaitRule Create(UdpServerOptions options, UdpServerWait wait, ThreadWaiter waiter) => wait switch
    {
        UdpServerWait.Spinning => new SpinningWait(waiter),

        // By the real clock: what is measured is time of a CPU, and a clock that stands still would spin for ever.
        UdpServerWait.Adaptive => new AdaptiveWait(
            waiter, TimeProvider.System, options.SpinOnLastCpu ? null : SpinLimit.OfProcess),
        _ => new BlockingWait(waiter),
    };
}

/// <summary>Sleeps at once.</summary>
internal sealed class BlockingWait(ThreadWaiter waiter) : WaitRule(waiter)
{
    public override bool OnEmpty(int timeoutMilliseconds)
    {
        Waiter.Sleep(timeoutMilliseconds, forSockets: true);
        return false;
    }
}

/// <summary>
/// Never sleeps. Gives way to other threads of its CPU now and then: a sender that shares it could otherwise never end
/// the wait.
/// </summary>
internal sealed class SpinningWait(ThreadWaiter waiter) : WaitRule(waiter)
{
    private const int LooksPerTurn = 64;
    private int _looks;

    public override bool OnEmpty(int timeoutMilliseconds)
    {
        if (++_looks % LooksPerTurn != 0) return timeoutMilliseconds != 0;
        Thread.Yield();
        return false;
    }
}

/// <summary>Spins while the rule says that it pays and a CPU is left, and sleeps otherwise.</summary>
internal sealed class AdaptiveWait(ThreadWaiter waiter, TimeProvider time, SpinLimit? limit) : WaitRule(waiter)
{
    private readonly SpinRule _rule = new(time, (limit ?? SpinLimit.OfProcess).Budget);
    private bool _isCounted;

    public override bool OnEmpty(int timeoutMilliseconds)
    {
        if (timeoutMilliseconds == 0) return false;
        if (_rule.ShouldLookAgain() && MaySpin()) return true;
        StopSpinning();
        Waiter.Sleep(timeoutMilliseconds, forSockets: true);
        return false;
    }

    public override void OnArrival(int datagramCount)
    {
        _rule.OnArrival();
        StopSpinning();
    }

    public override void OnParking()
    {
        _rule.OnGivenUp();
        StopSpinning();
    }

    private bool MaySpin()
    {
        if (_isCounted || limit is null) return true;
        return _isCounted = limit.TryEnter();
    }

    private void StopSpinning()
    {
        if (!_isCounted) return;
        _isCounted = false;
        limit!.Leave();
    }
}
