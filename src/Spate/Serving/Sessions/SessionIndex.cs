using System.Diagnostics;
using System.Numerics;
using Spate.Interop;

namespace Spate.Serving.Sessions;

/// <summary>
/// Finds the entries of a table by hash, with open addressing and linear probing. A cell has eight bytes, so the cells
/// that one search reads are nearly always in one or two cache lines. At most half of the cells are in use, and a
/// removal closes its gap by shifting cells back. So searches stay short after any number of additions and removals.
/// </summary>
internal sealed class SessionIndex
{
    // The upper half of a cell is the hash, and the lower half is the entry's index plus one. An empty cell is 0.
    private const int HashShift = 32;
    private const int MinCellCount = 8;

    private readonly ulong[] _cells;

    public SessionIndex(int maxEntryCount) =>
        _cells = new ulong[Math.Max(MinCellCount, (int)BitOperations.RoundUpToPowerOf2(2 * (uint)maxEntryCount))];

    public long ReservedBytes => (long)_cells.Length * sizeof(ulong);

    /// <summary>
    /// Returns the index of the next entry with this hash, or -1 if there is none. Begin a search with the hash itself
    /// as the position.
    /// </summary>
    public int FindNext(uint hash, ref uint position)
    {
        ulong[] cells = _cells;
        while (true)
        {
            ulong cell = cells[(int)position & (cells.Length - 1)];
            if (cell == 0) return -1;
            position++;
            if ((uint)(cell >> HashShift) == hash) return (int)(uint)cell - 1;
        }
    }

    /// <summary>Starts to bring the first cell of a search into the CPU's cache.</summary>
    public void Prefetch(uint hash) => CacheLine.Prefetch(ref _cells[Place(hash)]);

    public void Add(uint hash, int entryIndex)
    {
        int place = Place(hash);
        while (_cells[place] != 0)
        {
            Debug.Assert(_cells[place] != Cell(hash, entryIndex), "The entry is in the index already.");
            place = Place((uint)place + 1);
        }

        _cells[place] = Cell(hash, entryIndex);
    }

    /// <summary>Removes an entry, which must be in the index.</summary>
    public void Remove(uint hash, int entryIndex)
    {
        int gap = Find(hash, entryIndex);
        int next = gap;
        while (true)
        {
            next = Place((uint)next + 1);
            ulong cell = _cells[next];
            if (cell == 0) break;

            // The cell moves into the gap, unless the search for this cell begins after the gap and would then miss it.
            int home = Place((uint)(cell >> HashShift));
            if (Distance(home, next) < Distance(gap, next)) continue;
            _cells[gap] = cell;
            gap = next;
        }

        _cells[gap] = 0;
    }

    /// <summary>The number of cells that a search for this entry reads; for tests.</summary>
    public int ProbeLength(uint hash, int entryIndex) => Distance(Place(hash), Find(hash, entryIndex)) + 1;

    private static ulong Cell(uint hash, int entryIndex) => ((ulong)hash << HashShift) | (uint)(entryIndex + 1);

    private int Find(uint hash, int entryIndex)
    {
        ulong wanted = Cell(hash, entryIndex);
        int place = Place(hash);
        while (_cells[place] != wanted)
        {
            if (_cells[place] == 0) throw new InvalidOperationException("The session table was used by two threads.");
            place = Place((uint)place + 1);
        }

        return place;
    }

    private int Place(uint position) => (int)position & (_cells.Length - 1);

    private int Distance(int from, int to) => (to - from) & (_cells.Length - 1);
}
