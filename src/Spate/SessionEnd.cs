namespace Spate;

/// <summary>Why a session has left its table.</summary>
public enum SessionEnd
{
    /// <summary>Nothing came from its peer for <see cref="SessionTableOptions.IdleLimit"/>.</summary>
    Expired = 0,

    /// <summary>It was removed; if it was held then, its last holder has released it now.</summary>
    Removed,
}
