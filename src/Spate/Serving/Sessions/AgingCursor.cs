using System.Diagnostics;

namespace Spate.Serving.Sessions;

/// <summary>
/// A cursor that visits all entries of a table again and again, in cycles. As time passes, further entries become due.
/// The caller limits how many due entries the cursor visits in one pass; the others stay due for the next pass.
/// </summary>
internal struct AgingCursor
{
    /// <summary>The number of ticks in a cycle: a quarter of the idle limit.</summary>
    public const int TicksPerCycle = SessionClock.TicksPerLimit / 4;

    private int _next;
    private int _dueCount;

    /// <summary>The number of entries that are due and not yet visited.</summary>
    public readonly int DueCount => _dueCount;

    /// <summary>
    /// Makes more entries due because ticks have passed. The number of due entries never exceeds the number of entries.
    /// </summary>
    public void AddDue(uint tickCount, int entryCount)
    {
        long perTick = ((long)entryCount + TicksPerCycle - 1) / TicksPerCycle;
        _dueCount = (int)Math.Min(entryCount, _dueCount + (perTick * Math.Min(tickCount, TicksPerCycle)));
    }

    /// <summary>Steps to the next entry that is due. Returns false if no entry is due.</summary>
    public bool TryStep(int entryCount, out int entryIndex)
    {
        entryIndex = _next < entryCount ? _next : 0;
        if (_dueCount == 0) return false;
        Debug.Assert(_dueCount > 0 && entryIndex < entryCount);
        _dueCount--;
        _next = entryIndex + 1;
        return true;
    }
}
