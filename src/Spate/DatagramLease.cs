using Spate.Buffers;

namespace Spate;

/// <summary>
/// A received payload that stays valid past the next receive, until the lease is disposed. Nothing is copied: the batch
/// goes on with another buffer. A datagram of more than 2,048 bytes, and any datagram from a slot of 64 KiB (a
/// coalescing socket, Uring, a slot that has grown), keeps a whole buffer of 64 KiB in use: do not keep many for long.
/// A lease may be disposed on any thread, and more than once.
/// </summary>
public readonly struct DatagramLease : IDisposable
{
    private readonly LeaseEntry? _entry;
    private readonly int _version;
    private readonly int _offsetBytes;
    private readonly int _lengthBytes;

    internal DatagramLease(LeaseEntry entry, int version, int offsetBytes, in Datagram datagram)
    {
        _entry = entry;
        _version = version;
        _offsetBytes = offsetBytes;
        _lengthBytes = datagram.Payload.Length;
        Peer = datagram.Peer;
        IsTruncated = datagram.IsTruncated;
    }

    /// <summary>
    /// A lease of a copy, in a pool buffer that only this lease uses. The buffer returns to the pool when the lease
    /// ends.
    /// </summary>
    /// <param name="pool">The pool; its buffers have room for the payload. One call at a time.</param>
    /// <param name="datagram">The datagram that is copied.</param>
    internal static DatagramLease CopyOf(SlotBufferPool pool, in Datagram datagram)
    {
        SlotBuffer copy = pool.Rent();
        datagram.Payload.CopyTo(copy.Array);
        LeaseEntry entry = LeaseEntry.Rent(copy, out int version);

        // From now on only the lease references the buffer.
        copy.Detach();
        return new DatagramLease(entry, version, 0, in datagram);
    }

    /// <summary>The peer that sent the datagram.</summary>
    public UdpEndPoint Peer { get; }

    /// <summary>Whether the datagram was longer than its slot: see <see cref="Datagram.IsTruncated"/>.</summary>
    public bool IsTruncated { get; }

    /// <summary>The payload, writable.</summary>
    /// <exception cref="ObjectDisposedException">The lease has ended.</exception>
    public Memory<byte> Memory
    {
        get
        {
            if (_entry is null) return default;
            byte[]? array = _entry.ArrayOf(_version);
            ObjectDisposedException.ThrowIf(array is null, typeof(DatagramLease));
            return array.AsMemory(_offsetBytes, _lengthBytes);
        }
    }

    /// <summary>Ends the lease; the payload must not be used any more.</summary>
    public void Dispose() => _entry?.End(_version);
}
