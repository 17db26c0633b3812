using Spate.Waiting;

namespace Spate.Tests.Waiting;

/// <summary>
/// A set that passes everything on, and lets a test stand between the user and a request, a wait or a removal.
/// </summary>
internal sealed class WrappedEventSet(EventSet inner, Action<Action> request, Action? onAdd = null) : EventSet
{
    /// <summary>Called as a wait begins.</summary>
    public Action? OnWait { get; init; }

    /// <summary>Called before an entry is removed.</summary>
    public Action? OnRemove { get; init; }

    /// <inheritdoc/>
    public override int Count => inner.Count;

    /// <summary>Makes a socket wait in one thread whose requests go through <paramref name="request"/>.</summary>
    public static EventThreads Threads(Action<Action> request, Action? onAdd = null) =>
        new(1, () => new WrappedEventSet(Create(isShared: false), request, onAdd));

    /// <inheritdoc/>
    public override EventEntry[] All() => inner.All();

    /// <inheritdoc/>
    public override void Add(EventEntry entry, EventTrigger trigger)
    {
        onAdd?.Invoke();
        inner.Add(entry, trigger);
    }

    /// <inheritdoc/>
    public override void Request(EventEntry entry, ReadyEvents events) => request(() => inner.Request(entry, events));

    /// <inheritdoc/>
    public override void Withdraw(EventEntry entry) => inner.Withdraw(entry);

    /// <inheritdoc/>
    public override void Remove(EventEntry entry)
    {
        OnRemove?.Invoke();
        inner.Remove(entry);
    }

    /// <inheritdoc/>
    public override bool Forget(EventEntry entry) => inner.Forget(entry);

    /// <inheritdoc/>
    public override int Wait(
        Span<EventEntry> ready, Span<ReadyEvents> events, int timeoutMilliseconds, out bool isSignalled)
    {
        OnWait?.Invoke();
        while (Later.TryDequeue(out EventEntry? entry))
        {
            entry.IsRequestedLater = false;
            inner.RequestLater(entry);
        }

        return inner.Wait(ready, events, timeoutMilliseconds, out isSignalled);
    }

    /// <inheritdoc/>
    public override void Signal() => inner.Signal();

    /// <inheritdoc/>
    public override void EndSignal() => inner.EndSignal();

    /// <inheritdoc/>
    public override void Dispose() => inner.Dispose();
}
