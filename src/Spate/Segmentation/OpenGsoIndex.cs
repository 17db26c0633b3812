using System.Diagnostics;
using System.Numerics;

namespace Spate.Segmentation;

/// <summary>
/// Finds the newest GSO message of a peer, by a hash of the peer. The hash has a key per process, so nobody outside can
/// choose peers that collide. To forget all entries, a new generation begins: entries of older generations count as
/// free. Within a generation no entry is removed, so a peer that found no free entry gets none until the next
/// generation.
/// </summary>
internal sealed class OpenGsoIndex(int capacity)
{
    /// <summary>
    /// The most entries of the table that a search for a peer tests. If they all belong to other peers, the peer is not
    /// stored, and each of its runs starts a new GSO message.
    /// </summary>
    public const int MaxProbeCount = 8;

    private const int NoPlace = -1;
    private const int NotLookedUp = -2;

    private Entry[] _entries = [];
    private ulong _generation;
    private int _place = NotLookedUp;

    /// <summary>
    /// The size of the table for a capacity: a power of 2, so that the low bits of a hash are the index of an entry. At
    /// most half of the entries are used.
    /// </summary>
    public static int PlaceCountFor(int capacity) =>
        2 * (int)BitOperations.RoundUpToPowerOf2((uint)Math.Max(capacity, MaxProbeCount));

    /// <summary>
    /// Stores the newest GSO message of the previous peer, and finds the newest GSO message of the next peer. A batch
    /// to a single peer never calls this method, so the peer is never hashed.
    /// </summary>
    /// <param name="peer">The next peer.</param>
    /// <param name="messageIndex">
    /// The newest GSO message of the previous peer, which is also the newest of all messages.
    /// </param>
    /// <param name="messages">All GSO messages.</param>
    /// <param name="generation">A number above 0. A new number makes the index forget everything.</param>
    /// <returns>The newest GSO message of <paramref name="peer"/>, or <see cref="SendPlan.None"/>.</returns>
    public int PassTo(in UdpEndPoint peer, int messageIndex, ReadOnlySpan<GsoMessage> messages, ulong generation)
    {
        Debug.Assert(generation >= _generation, "An older generation would bring forgotten entries back.");
        if (_generation != generation)
        {
            _generation = generation;
            _place = NotLookedUp;
        }

        if (_place == NotLookedUp) _place = FindOrAdd(messages[messageIndex].Peer, messages);
        if (_place >= 0) _entries[_place].MessageIndex = messageIndex;
        _place = FindOrAdd(peer, messages);
        int found = _place >= 0 ? _entries[_place].MessageIndex : SendPlan.None;
        Debug.Assert(found == SendPlan.None || messages[found].Peer.Equals(in peer));
        return found;
    }

    private int FindOrAdd(in UdpEndPoint peer, ReadOnlySpan<GsoMessage> messages)
    {
        if (_entries.Length == 0) _entries = new Entry[PlaceCountFor(capacity)];
        Entry[] entries = _entries;
        int hash = peer.GetHashCode();
        for (int probe = 0; probe < MaxProbeCount; probe++)
        {
            int place = (hash + probe) & (entries.Length - 1);
            ref Entry entry = ref entries[place];
            if (entry.Generation != _generation)
            {
                entry.Generation = _generation;
                entry.MessageIndex = SendPlan.None;
                return place;
            }

            Debug.Assert(entry.MessageIndex >= 0, "PassTo stores the index before it searches for another peer.");
            if (messages[entry.MessageIndex].Peer.Equals(in peer)) return place;
        }

        return NoPlace;
    }

    private struct Entry
    {
        public ulong Generation;
        public int MessageIndex;
    }
}
