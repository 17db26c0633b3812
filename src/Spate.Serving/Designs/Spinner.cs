namespace Spate.Serving.Designs;

/// <summary>What a thread does that has found all its sockets empty.</summary>
internal enum SpinStep
{
    /// <summary>Sleeps until something arrives.</summary>
    Sleep = 0,

    /// <summary>Asks the sockets again at once.</summary>
    LookAgain,

    /// <summary>Does its other work first, such as posted replies and ticks.</summary>
    Return,
}

/// <summary>Decides whether one thread spins, that is, asks its sockets again instead of sleeping.</summary>
internal abstract class Spinner
{
    /// <summary>All sockets are empty.</summary>
    public abstract SpinStep OnEmpty();

    /// <summary>Something arrived, whether after a spin or not.</summary>
    public virtual void OnArrival()
    {
    }

    /// <summary>The thread gives up a spin that is under way, to sleep for another reason.</summary>
    public virtual void OnGivenUp()
    {
    }

    /// <summary>One for each thread; null where threads never spin.</summary>
    public static Spinner? Create(UdpServerWait wait, bool spinOnLastCpu) => wait switch
    {
        UdpServerWait.Spinning => new EndlessSpinner(),

        // By the real clock: what is measured is the time of a CPU, and a clock that stands still would spin for ever.
        UdpServerWait.Adaptive => new AdaptiveSpinner(
            TimeProvider.System, spinOnLastCpu ? null : SpinLimit.OfProcess),
        _ => null,
    };
}

/// <summary>
/// Never sleeps. Gives way to other threads of its CPU now and then: a sender that shares the CPU could otherwise never
/// end the wait.
/// </summary>
internal sealed class EndlessSpinner : Spinner
{
    private const int LooksPerPass = 64;

    private int _looks;

    /// <inheritdoc/>
    public override SpinStep OnEmpty()
    {
        if (++_looks % LooksPerPass != 0) return SpinStep.LookAgain;
        Thread.Yield();
        return SpinStep.Return;
    }
}

/// <summary>Spins while the rule says that it pays and a CPU is left, and sleeps otherwise.</summary>
internal sealed class AdaptiveSpinner(TimeProvider time, SpinLimit? limit) : Spinner
{
    private readonly SpinRule _rule = new(time, (limit ?? SpinLimit.OfProcess).Budget);
    private bool _isCounted;

    /// <inheritdoc/>
    public override SpinStep OnEmpty()
    {
        if (_rule.ShouldLookAgain() && MaySpin()) return SpinStep.LookAgain;
        StopSpinning();
        return SpinStep.Sleep;
    }

    /// <inheritdoc/>
    public override void OnArrival()
    {
        _rule.OnArrival();
        StopSpinning();
    }

    /// <inheritdoc/>
    public override void OnGivenUp()
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
