using Spate.Waiting;

namespace Spate.Tests.Serving;

/// <summary>A waiter whose sleep is seen, and ends by its signal or at once.</summary>
internal sealed class TestWaiter(Action? onWait = null) : ThreadWaiter
{
    private readonly SemaphoreSlim _signal = new(0);

    public int SignalCount { get; private set; }

    protected override void Wait(int timeoutMilliseconds, bool forSockets)
    {
        onWait?.Invoke();
        _signal.Wait(timeoutMilliseconds);
    }

    protected override void Signal()
    {
        SignalCount++;
        _signal.Release();
    }

    protected override void Close() => _signal.Dispose();
}
