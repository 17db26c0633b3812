namespace Spate.Serving;

/// <summary>
/// The right to a session of one <see cref="SessionTable{TSession}"/> until it is released, whatever its age. A value
/// to be kept beside the work that needs the session; the default value holds nothing.
/// </summary>
public readonly record struct SessionHold
{
    internal SessionHold(int entryNumber, ushort generation)
    {
        EntryNumber = entryNumber;
        Generation = generation;
    }

    /// <summary>The index of the entry and one, so that the default value names none.</summary>
    internal int EntryNumber { get; }

    /// <summary>Which of the sessions that the entry has had.</summary>
    internal ushort Generation { get; }
}
