using Spate.Waiting;

namespace Spate.Serving.Shards;

/// <summary>Batches that another thread received.</summary>
internal sealed class WorkerSource : BatchSource
{
    private readonly Handover _handover;
    private readonly Crew _crew;
    private readonly ThreadWaiter _waiter;

    public WorkerSource(Handover handover, Crew crew, ThreadWaiter waiter)
        : base(crew)
    {
        _handover = handover;
        _crew = crew;
        _waiter = waiter;
    }

    /// <inheritdoc/>
    public override long Sleeps => _waiter.Sleeps;

    /// <inheritdoc/>
    public override FilledBatch? Take(int timeoutMilliseconds)
    {
        if (_handover.TryTake(out FilledBatch? batch)) return batch;
        if (timeoutMilliseconds == 0) return null;
        _crew.TryBeginPark(_waiter, keepsOneAwake: false);
        if (!_handover.HasFilled) _waiter.Sleep(timeoutMilliseconds, forSockets: false);
        _crew.EndPark(_waiter);
        return _handover.TryTake(out batch) ? batch : null;
    }

    /// <inheritdoc/>
    public override void GiveBack(FilledBatch batch) => _handover.GiveBack(batch);

    /// <inheritdoc/>
    public override void Wake() => _waiter.Wake();

    /// <inheritdoc/>
    public override void Dispose()
    {
        LeaveCrew();
        _waiter.Dispose();
    }
}
