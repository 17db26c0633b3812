namespace Spate.Tests;

/// <summary>
/// What a send batch is to hold, kept as plain lists of payloads: for comparing any sequence of calls with.
/// </summary>
internal sealed class SendBatchModel(int capacity, int bufferBytes)
{
    private readonly List<Entry> _entries = [];
    private int _addedCount;
    private int _usedBytes;
    private bool _canTrim;

    public int Count => _entries.Count;

    /// <summary>Bytes that the last reservation has; -1 where there is none to trim.</summary>
    public int ReservedBytes => _canTrim ? _entries[^1].Payload.Length : -1;

    public bool HasRoomFor(int lengthBytes) => _addedCount < capacity && lengthBytes <= bufferBytes - _usedBytes;

    public bool CanForward => _addedCount < capacity;

    public void Reserve(int peerIndex, byte[] payload)
    {
        Add(peerIndex, payload);
        _usedBytes += payload.Length;
        _canTrim = true;
    }

    public void Forward(int peerIndex, byte[] payload)
    {
        Add(peerIndex, payload);
        _canTrim = false;
    }

    public void Trim(int lengthBytes)
    {
        Entry last = _entries[^1];
        _usedBytes -= last.Payload.Length - lengthBytes;
        _entries[^1] = last with { Payload = last.Payload[..lengthBytes] };
    }

    public void Clear()
    {
        _entries.Clear();
        _addedCount = 0;
        _usedBytes = 0;
        _canTrim = false;
    }

    /// <summary>What one peer is to get, in this order.</summary>
    public byte[][] PayloadsOf(int peerIndex) =>
        [.. _entries.Where(entry => entry.PeerIndex == peerIndex).Select(entry => entry.Payload)];

    private void Add(int peerIndex, byte[] payload)
    {
        _entries.Add(new Entry(peerIndex, payload));
        _addedCount++;
    }

    private readonly record struct Entry(int PeerIndex, byte[] Payload);
}
