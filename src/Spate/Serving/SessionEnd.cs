namespace Spate.Serving;

/// <summary>Why a session has left its table.</summary>
public enum SessionEnd
{
    /// <summary>The default value: no session has ended. The table never reports it.</summary>
    None = 0,

    /// <summary>No lookup found the session for <see cref="SessionTableOptions.IdleLimit"/>.</summary>
    Expired,

    /// <summary>The session was removed, and its last reference, if any, was released.</summary>
    Removed,

    /// <summary>
    /// The thread that its table belongs to has ended: the server was stopped, the shard was taken away, or
    /// <see cref="SessionTable{TSession}.EndAll"/> was called.
    /// </summary>
    Stopped,
}
