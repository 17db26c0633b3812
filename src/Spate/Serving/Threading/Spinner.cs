using Spate.Serving.Lifetime;

namespace Spate.Serving.Threading;

/// <summary>The next step of a thread that has found all its sockets empty.</summary>
internal enum SpinStep
{
    /// <summary>The thread sleeps until something arrives.</summary>
    Sleep = 0,

    /// <summary>The thread tries the sockets again at once.</summary>
    LookAgain,

    /// <summary>The thread does its other work first, such as posted replies and ticks.</summary>
    Return,
}

/// <summary>Decides whether a thread spins, that is, tries its sockets again instead of sleeping.</summary>
internal abstract class Spinner
{
    /// <summary>Called when all sockets are empty.</summary>
    public abstract SpinStep OnEmpty();

    /// <summary>Called when datagrams have arrived, whether the thread was spinning or not.</summary>
    public virtual void OnArrival()
    {
    }

    /// <summary>Called when the thread ends a spin for a reason other than an arrival, such as parking.</summary>
    public virtual void OnGivenUp()
    {
    }

    /// <summary>Makes the spinner of one thread. Returns null if threads never spin.</summary>
    public static Spinner? Create(ResolvedServerOptions plan) => plan.Wait switch
    {
        UdpServerWait.Spinning => new EndlessSpinner(),

        // Always uses the system's clock, because a spin must end after a short real time. With a clock that a test has
        // stopped, a spin would not end.
        UdpServerWait.Adaptive => new AdaptiveSpinner(
            TimeProvider.System, plan.Options.SpinOnLastCpu ? null : SpinLimit.OfProcess),
        _ => null,
    };
}

/// <summary>
/// Never lets the thread sleep. But the thread yields its CPU now and then, because the sender for whose datagrams it
/// waits may need the same CPU.
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

/// <summary>
/// Spins while <see cref="SpinRule"/> expects a gain and <see cref="SpinLimit"/> has a CPU left for others. Otherwise
/// it lets the thread sleep.
/// </summary>
internal sealed class AdaptiveSpinner(TimeProvider time, SpinLimit? limit) : Spinner
{
    private readonly SpinRule _rule = new(time, (limit ?? SpinLimit.OfProcess).MaxSpinTime);
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
