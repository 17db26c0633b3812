namespace Spate.Waiting;

/// <summary>
/// What the shared loop, which lives as long as the process, knows of a socket: it weakly, so that a forgotten one is
/// collected and its descriptor closed; but for as long as calls wait, whose only root this may be.
/// </summary>
internal sealed class EpollRegistration(ulong id, EpollReadiness readiness)
{
    private readonly WeakReference<EpollReadiness> _readiness = new(readiness);
    private EpollReadiness? _held;

    /// <summary>Its number in the loop, never given again, unlike a descriptor.</summary>
    public ulong Id { get; } = id;

    /// <summary>Null once it was collected.</summary>
    public EpollReadiness? Readiness =>
        Volatile.Read(ref _held) ?? (_readiness.TryGetTarget(out EpollReadiness? readiness) ? readiness : null);

    /// <summary>Keeps it from being collected, or null: does so no more.</summary>
    public void Hold(EpollReadiness? readiness) => Volatile.Write(ref _held, readiness);
}
