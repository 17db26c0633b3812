namespace Spate.Serving;

/// <summary>
/// A counted reference to a session of one <see cref="SessionTable{TSession}"/>. Until the handle is released, neither
/// age nor removal ends the session. Keep the handle with the work that needs the session. The default value refers to
/// no session.
/// </summary>
public readonly record struct SessionHandle
{
    internal SessionHandle(int entryNumber, ushort generation)
    {
        EntryNumber = entryNumber;
        Generation = generation;
    }

    /// <summary>
    /// The index of the session's entry in the table, plus one. So 0, the default value, refers to no entry.
    /// </summary>
    internal int EntryNumber { get; }

    /// <summary>Distinguishes the session from earlier and later sessions in the same entry.</summary>
    internal ushort Generation { get; }

    /// <summary>Returns a text that distinguishes the session from the others of its table.</summary>
    public override string ToString() => EntryNumber == 0 ? "no session" : $"session {EntryNumber}.{Generation}";
}
