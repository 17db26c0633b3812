using Spate.Waiting;

namespace Spate.Testing.Memory;

/// <summary>The event set of a shard that never waits. A signal has no effect: the test runs the next pass.</summary>
internal sealed class SilentEventSet : EventSet
{
    /// <inheritdoc/>
    public override int Count => 0;

    /// <inheritdoc/>
    public override EventEntry[] All() => [];

    /// <inheritdoc/>
    public override void Add(EventEntry entry, EventTrigger trigger) => throw NotWaiting();

    /// <inheritdoc/>
    public override void Request(EventEntry entry, ReadyEvents events) => throw NotWaiting();

    /// <inheritdoc/>
    public override void Withdraw(EventEntry entry) => throw NotWaiting();

    /// <inheritdoc/>
    public override void Remove(EventEntry entry) => throw NotWaiting();

    /// <inheritdoc/>
    public override bool Forget(EventEntry entry) => false;

    /// <inheritdoc/>
    public override int Wait(
        Span<EventEntry> ready, Span<ReadyEvents> events, int timeoutMilliseconds, out bool isSignalled) =>
        throw NotWaiting();

    /// <inheritdoc/>
    public override void Signal()
    {
    }

    /// <inheritdoc/>
    public override void EndSignal()
    {
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
    }

    private static NotSupportedException NotWaiting() => new("A shard that a test drives does not wait.");
}
