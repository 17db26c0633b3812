using System.Diagnostics;
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
            TimeProvider.System, plan.Options.SpinOnLastCpu ? SpinLimit.None : SpinLimit.OfProcess),
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
/// Spins while that pays and <see cref="SpinLimit"/> has a CPU left for others. Otherwise it lets the thread sleep. A
/// spin costs at most the longest spin time on a CPU, and a sleep costs a wake-up of some 20 to 40 µs. So a thread
/// spins if the mean gap between arrivals is below half of the longest spin time, or if its last spins ended with an
/// arrival. Otherwise it spins only now and then, as a trial. A thread that was preempted while spinning does not spin
/// for a while, because another thread needs the CPU.
/// </summary>
internal sealed class AdaptiveSpinner(TimeProvider time, SpinLimit limit) : Spinner
{
    private const int ConvincingHits = 3;
    private const int WaitsPerTrial = 256;
    private const int PausedWaitsAfterPreemption = 1024;

    // Two looks at the sockets are 1 to 2 µs apart, the time of one system call. A gap longer than this constant means
    // that another thread had the CPU.
    private const double PreemptedMicroseconds = 100;

    private readonly double _maxSpinMicroseconds = limit.MaxSpinTime.TotalMicroseconds;
    private double _meanGapMicroseconds = double.MaxValue;
    private long _lastArrival;
    private long _spinStart;
    private long _lastLook;
    private int _hits;
    private int _waitCount;
    private int _pausedWaits;
    private bool _isCounted;

    /// <inheritdoc/>
    public override SpinStep OnEmpty()
    {
        if (ShouldSpin()) _isCounted = _isCounted || limit.TryEnter();
        else StopCounting();
        return _isCounted ? SpinStep.LookAgain : SpinStep.Sleep;
    }

    /// <inheritdoc/>
    public override void OnArrival()
    {
        long now = time.GetTimestamp();
        if (_lastArrival != 0)
        {
            // A moving mean over about eight arrivals. Each gap is limited, so that one long silence is soon forgotten.
            double gap = Math.Min(time.GetElapsedTime(_lastArrival, now).TotalMicroseconds, 100 * _maxSpinMicroseconds);
            _meanGapMicroseconds = _meanGapMicroseconds > 1e9
                ? gap
                : _meanGapMicroseconds + ((gap - _meanGapMicroseconds) / 8);
        }

        _lastArrival = now;
        if (_spinStart != 0) _hits = Math.Min(_hits + 1, ConvincingHits);
        OnGivenUp();
    }

    /// <summary>Ends a running spin, which counts neither as a success nor as a failure.</summary>
    public override void OnGivenUp()
    {
        _spinStart = 0;
        StopCounting();
    }

    private bool ShouldSpin()
    {
        long now = time.GetTimestamp();
        if (_spinStart == 0) return TryStart(now);
        bool preempted = time.GetElapsedTime(_lastLook, now).TotalMicroseconds > PreemptedMicroseconds;
        _lastLook = now;
        if (!preempted && time.GetElapsedTime(_spinStart, now).TotalMicroseconds < _maxSpinMicroseconds) return true;
        _spinStart = 0;
        _hits = 0;
        if (preempted) _pausedWaits = PausedWaitsAfterPreemption;
        return false;
    }

    private bool TryStart(long now)
    {
        _waitCount++;
        if (_pausedWaits > 0)
        {
            _pausedWaits--;
            return false;
        }

        bool pays = _meanGapMicroseconds < _maxSpinMicroseconds / 2
            || _hits >= ConvincingHits
            || (_hits > 0 && _waitCount % 4 == 0)
            || _waitCount % WaitsPerTrial == 0;
        if (pays) _spinStart = _lastLook = now;
        return pays;
    }

    private void StopCounting()
    {
        if (_isCounted) limit.Leave();
        _isCounted = false;
    }
}

/// <summary>
/// Limits how many threads of the process spin at the same time, to one less than the number of CPUs. The last CPU is
/// left for the threads whose work would end the spinning, such as a sender on the same machine.
/// </summary>
internal sealed class SpinLimit(int cpuCount, int maxCount)
{
    private int _spinnerCount;

    public static SpinLimit OfProcess { get; } = new(Environment.ProcessorCount, Environment.ProcessorCount - 1);

    /// <summary>Lets any number of threads spin.</summary>
    public static SpinLimit None { get; } = new(Environment.ProcessorCount, int.MaxValue);

    /// <summary>
    /// The longest time of a spin. It is shorter with one or two CPUs, because other threads need them.
    /// </summary>
    public TimeSpan MaxSpinTime => TimeSpan.FromMicroseconds(cpuCount <= 2 ? 10 : 50);

    public bool TryEnter()
    {
        if (Interlocked.Increment(ref _spinnerCount) <= maxCount) return true;
        Leave();
        return false;
    }

    public void Leave()
    {
        int count = Interlocked.Decrement(ref _spinnerCount);
        Debug.Assert(count >= 0, "A thread left that was not counted, so one too many could spin.");
    }
}
