namespace Spate.Serving;

/// <summary>Why a session of a table ended.</summary>
public enum SessionEndReason
{
    /// <summary>The default value: no session has ended. The table never reports it.</summary>
    None = 0,

    /// <summary>The session was idle: no lookup found it for <see cref="SessionTableOptions.IdleTimeout"/>.</summary>
    Expired,

    /// <summary>The session was removed, and its last reference, if any, was released.</summary>
    Removed,

    /// <summary>
    /// The thread of the session's table has ended, because the server was stopped, the shard was taken away or an
    /// exception ended the thread; or <see cref="SessionTable{TSession}.Clear"/> was called.
    /// </summary>
    Stopped,
}
