namespace Spate.Serving;

/// <summary>
/// The right to a session of one <see cref="SessionTable{TSession}"/>: the session does not end by age or removal
/// before the handle is released. Keep it with the work that needs the session. The default value holds nothing.
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

    /// <summary>Which of the sessions that the entry has had is held.</summary>
    internal ushort Generation { get; }
}
