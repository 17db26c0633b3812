using System.Numerics;

namespace Spate.Segmentation;

/// <summary>
/// Finds the newest GSO message of a peer. The hash is keyed per process, so peers chosen from outside cannot be made
/// to collide. An entry of an older generation counts as free. Within a generation no entry is removed, so a peer that
/// found no place gets none until the next generation.
/// </summary>
internal sealed class OpenGsoIndex(int capacity)
{
    /// <summary>Bounds the search. A peer without a place starts a new GSO message at each of its runs.</summary>
    public const int MaxProbeCount = 8;

    private const int NoPlace = -1;
    private const int NotLookedUp = -2;

    private Entry[] _entries = [];
    private ulong _generation;
    private int _place = NotLookedUp;

    /// <summary>A power of 2, so that the low bits of a hash are a place; at most half of them are taken.</summary>
    public static int PlaceCountFor(int capacity) =>
        2 * (int)BitOperations.RoundUpToPowerOf2((uint)Math.Max(capacity, MaxProbeCount));

    /// <summary>
    /// Passes from the peer whose newest GSO message is <paramref name="messageIndex"/> to another peer. A batch to one
    /// peer never comes here, so it is never hashed.
    /// </summary>
    /// <param name="peer">The peer that the next GSO message is for.</param>
    /// <param name="messageIndex">The newest GSO message of the peer before, which is the newest of all.</param>
    /// <param name="messages">All GSO messages.</param>
    /// <param name="generation">Above 0; a new number forgets everything.</param>
    /// <returns>The newest GSO message of <paramref name="peer"/>, or <see cref="SendPlan.None"/>.</returns>
    public int PassTo(in UdpEndPoint peer, int messageIndex, ReadOnlySpan<GsoMessage> messages, ulong generation)
    {
        if (_generation != generation)
        {
            _generation = generation;
            _place = NotLookedUp;
        }

        if (_place == NotLookedUp) _place = FindOrAdd(messages[messageIndex].Peer, messages);
        if (_place >= 0) _entries[_place].MessageIndex = messageIndex;
        _place = FindOrAdd(peer, messages);
        return _place >= 0 ? _entries[_place].MessageIndex : SendPlan.None;
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

            // The GSO message is known: PassTo sets it before it looks for the next peer.
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
