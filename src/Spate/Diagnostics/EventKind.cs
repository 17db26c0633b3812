namespace Spate.Diagnostics;

/// <summary>Kinds of rare events, each limited on its own.</summary>
internal enum EventKind
{
    GsoFallback,
    UnknownReceiveError,
    BackendFellBack,
    BufferRefused,
}
