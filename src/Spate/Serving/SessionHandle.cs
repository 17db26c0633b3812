namespace Spate.Serving;

/// <summary>
/// A counted reference to a session of one <see cref="SessionTable{TSession}"/>: the session does not end by age or
/// removal before the handle is released. Keep the handle with the work that needs the session. The default value
/// refers to no session.
/// </summary>
public readonly record struct SessionHandle
{
    internal SessionHandle(int entryNumber, ushort generation)
    {
        EntryNumber = entryNumber;
        Generation = generation;
    }

    /// <summary>The index of the entry plus one, so that the default value names no entry.</summary>
    internal int EntryNumber { get; }

    /// <summary>Distinguishes the session from earlier and later sessions of the same entry.</summary>
    internal ushort Generation { get; }
}
