namespace Spate.Serving.Sessions;

/// <summary>
/// The cursor that goes round the entries. Time says how far it should go, and the caller's bound how far it may go in
/// one pass; the rest waits for the next pass.
/// </summary>
internal struct AgingCursor
{
    /// <summary>Ticks of a full turn: a quarter of the idle limit.</summary>
    public const int TicksPerTurn = SessionClock.TicksPerLimit / 4;

    private int _next;
    private int _dueCount;

    /// <summary>Ticks have passed: more entries are due, never more than one turn.</summary>
    public void Wind(uint tickCount, int entryCount)
    {
        long perTick = ((long)entryCount + TicksPerTurn - 1) / TicksPerTurn;
        _dueCount = (int)Math.Min(entryCount, _dueCount + (perTick * Math.Min(tickCount, TicksPerTurn)));
    }

    /// <summary>Steps to the next entry that is due; false if none is.</summary>
    public bool TryStep(int entryCount, out int entryIndex)
    {
        entryIndex = _next < entryCount ? _next : 0;
        if (_dueCount == 0) return false;
        _dueCount--;
        _next = entryIndex + 1;
        return true;
    }
}
