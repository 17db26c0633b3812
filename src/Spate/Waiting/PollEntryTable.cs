namespace Spate.Waiting;

/// <summary>
/// Entries by number. The low half of a number is a place, used again; the high half counts up, so that the number of
/// one that left finds nobody. Finding takes no lock.
/// </summary>
internal sealed class PollEntryTable
{
    private const int PlaceCountFirst = 64;

    private readonly Lock _lock = new();
    private readonly Stack<int> _free = new();
    private PollEntry?[] _entries = new PollEntry?[PlaceCountFirst];
    private int _usedCount;
    private uint _generation;

    /// <summary>Gives the entry its number, which is never 0.</summary>
    public void Add(PollEntry entry)
    {
        lock (_lock)
        {
            if (!_free.TryPop(out int place)) place = _usedCount++;
            if (place == _entries.Length)
            {
                PollEntry?[] grown = new PollEntry?[_entries.Length * 2];
                _entries.CopyTo(grown, 0);
                Volatile.Write(ref _entries, grown);
            }

            entry.Id = ((ulong)++_generation << 32) | (uint)(place + 1);
            Volatile.Write(ref _entries[place], entry);
        }
    }

    public PollEntry? Find(ulong id)
    {
        PollEntry?[] entries = Volatile.Read(ref _entries);
        uint place = (uint)id - 1;
        if (place >= (uint)entries.Length) return null;
        PollEntry? entry = Volatile.Read(ref entries[place]);
        return entry is not null && entry.Id == id ? entry : null;
    }

    public void Remove(PollEntry entry)
    {
        lock (_lock)
        {
            int place = (int)(uint)entry.Id - 1;
            if (!ReferenceEquals(_entries[place], entry)) return;
            _entries[place] = null;
            _free.Push(place);
        }
    }

    public PollEntry[] All()
    {
        lock (_lock) return [.. _entries.OfType<PollEntry>()];
    }
}
