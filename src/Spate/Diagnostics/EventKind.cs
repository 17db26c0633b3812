namespace Spate.Diagnostics;

/// <summary>Kinds of rare events. <see cref="EventThrottle"/> limits each kind separately.</summary>
internal enum EventKind
{
    GsoFallback,
    UnknownReceiveError,
    BackendFellBack,
    BufferRefused,
}
