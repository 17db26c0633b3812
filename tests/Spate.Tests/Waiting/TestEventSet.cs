using Spate.Waiting;

namespace Spate.Tests.Waiting;

/// <summary>A set of one waiting thread, whose waits are seen, and end by a signal or as the test says.</summary>
internal sealed class TestEventSet : EventSet
{
    private readonly HashSet<EventEntry> _entries = [];
    private readonly SemaphoreSlim _signal = new(0);
    private readonly Action? _onWait;

    /// <param name="onWait">Called as a wait begins. The wait then ends by a signal or its timeout.</param>
    public TestEventSet(Action? onWait = null) => _onWait = onWait;

    public int SignalCount { get; private set; }

    /// <summary>The time of each wait, and whether a socket would have ended it.</summary>
    public List<(int Milliseconds, bool ForSockets)> Waits { get; } = [];

    /// <summary>Whether a wait returns at once.</summary>
    public bool ReturnsAtOnce { get; init; }

    /// <inheritdoc/>
    public override int Count => _entries.Count;

    /// <inheritdoc/>
    public override EventEntry[] All() => [.. _entries];

    /// <inheritdoc/>
    public override void Add(EventEntry entry, EventTrigger trigger) => Assert.True(_entries.Add(entry));

    /// <inheritdoc/>
    public override void Request(EventEntry entry, ReadyEvents events) => Assert.Contains(entry, _entries);

    /// <inheritdoc/>
    public override void Withdraw(EventEntry entry) => Assert.Contains(entry, _entries);

    /// <inheritdoc/>
    public override void Remove(EventEntry entry) => Assert.True(Forget(entry));

    /// <inheritdoc/>
    public override bool Forget(EventEntry entry) => _entries.Remove(entry);

    /// <inheritdoc/>
    public override int Wait(
        Span<EventEntry> ready, Span<ReadyEvents> events, int timeoutMilliseconds, out bool isSignalled)
    {
        Waits.Add((timeoutMilliseconds, _entries.Count > 0));
        _onWait?.Invoke();
        isSignalled = !ReturnsAtOnce && _signal.Wait(timeoutMilliseconds);
        return 0;
    }

    /// <inheritdoc/>
    public override void Signal()
    {
        SignalCount++;
        _signal.Release();
    }

    /// <inheritdoc/>
    public override void EndSignal() => Assert.Fail("The signal of a set of one thread ends by itself.");

    /// <inheritdoc/>
    public override void Dispose() => _signal.Dispose();
}
