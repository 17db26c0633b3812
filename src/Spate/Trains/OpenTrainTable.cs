using System.Numerics;

namespace Spate.Trains;

/// <summary>How a peer is hashed; a type parameter, so that tests can make every peer collide.</summary>
internal interface IPeerHasher
{
    static abstract int Hash(in UdpEndPoint peer);
}

/// <summary>The peer's own hash, keyed per process: peers chosen from outside cannot be made to collide.</summary>
internal readonly struct KeyedPeerHasher : IPeerHasher
{
    public static int Hash(in UdpEndPoint peer) => peer.GetHashCode();
}

/// <summary>
/// Finds the newest train of a peer. Entries are stamped with a generation, so that starting over costs nothing, and
/// are never removed or replaced within one: a peer without a place has none until the next generation.
/// </summary>
internal sealed class OpenTrainTable
{
    /// <summary>The place of a peer for which no place was free near its hash.</summary>
    public const int NoPlace = -1;

    /// <summary>Bounds the search. A peer not found only starts one more train.</summary>
    private const int ProbeCountMax = 8;

    private readonly int _capacity;
    private Entry[] _entries = [];
    private ulong _generation;

    public OpenTrainTable(int capacity) => _capacity = capacity;

    /// <summary>Empties the table: every entry of an earlier generation counts as free.</summary>
    public void Begin() => _generation++;

    /// <summary>
    /// The place of a run's peer, taken for it if it has none yet; <see cref="NoPlace"/> if all near its hash are
    /// other peers'. A place newly taken has the train <see cref="TrainPlan.None"/>.
    /// </summary>
    public int FindOrAdd(ReadOnlySpan<SendRun> runs, int runIndex, int hash)
    {
        // Most batches have one peer and never come here.
        if (_entries.Length == 0)
        {
            _entries = new Entry[BitOperations.RoundUpToPowerOf2((uint)Math.Max(_capacity, ProbeCountMax)) * 2];
        }

        Entry[] entries = _entries;
        for (int probe = 0; probe < ProbeCountMax; probe++)
        {
            int place = (hash + probe) & (entries.Length - 1);
            ref Entry entry = ref entries[place];
            if (entry.Generation != _generation)
            {
                entry.Generation = _generation;
                entry.RunIndex = runIndex;
                entry.TrainIndex = TrainPlan.None;
                return place;
            }

            if (runs[entry.RunIndex].Peer.Equals(in runs[runIndex].Peer))
            {
                return place;
            }
        }

        return NoPlace;
    }

    /// <summary>The peer's newest train, or <see cref="TrainPlan.None"/>, and the run last put there.</summary>
    public int TrainAt(int place, out int runIndex)
    {
        ref Entry entry = ref _entries[place];
        runIndex = entry.RunIndex;
        return entry.TrainIndex;
    }

    public void Set(int place, int runIndex, int trainIndex)
    {
        ref Entry entry = ref _entries[place];
        entry.RunIndex = runIndex;
        entry.TrainIndex = trainIndex;
    }

    private struct Entry
    {
        public ulong Generation;
        public int RunIndex;
        public int TrainIndex;
    }
}
