namespace Spate.Serving;

/// <summary>Why a session has left its table.</summary>
public enum SessionEnd
{
    /// <summary>The default value: no session has ended. The table never reports it.</summary>
    None = 0,

    /// <summary>No lookup found it for <see cref="SessionTableOptions.IdleLimit"/>.</summary>
    Expired,

    /// <summary>It was removed, and if it was held, its last hold was released.</summary>
    Removed,

    /// <summary>
    /// The thread that its table belongs to has ended: the server was stopped, the shard was taken away, or
    /// <see cref="SessionTable{TSession}.EndAll"/> was called.
    /// </summary>
    Stopped,
}
