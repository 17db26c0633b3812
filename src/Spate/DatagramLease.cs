using Spate.Buffers;

namespace Spate;

/// <summary>
/// A received payload that stays valid past the next receive, until the lease is disposed. <see cref="Datagram.Lease"/>
/// copies nothing; the batch continues with another buffer. A lease keeps the whole buffer of its slot in use. This
/// buffer is 64 KiB large on a coalescing socket and with Uring. In a batch with the default slot size, it is also 64
/// KiB large once its slot has received a datagram of more than 2,048 bytes. Do not keep many such leases for long. A
/// lease may be disposed on any thread, and more than once.
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
    /// Copies a datagram into a buffer from the pool and returns a lease of the copy. Only this lease uses the buffer.
    /// The buffer returns to the pool when the lease ends.
    /// </summary>
    /// <param name="pool">
    /// The pool, whose buffers must have room for the payload. Only one call at a time may use the pool.
    /// </param>
    /// <param name="datagram">The datagram to copy.</param>
    internal static DatagramLease CopyOf(SlotBufferPool pool, in Datagram datagram)
    {
        SlotBuffer copy = pool.Rent();
        datagram.Payload.CopyTo(copy.Array);
        LeaseEntry entry = LeaseEntry.Rent(copy, out int version);

        // From now on only the lease references the buffer.
        copy.Release();
        return new DatagramLease(entry, version, 0, in datagram);
    }

    /// <summary>The peer that sent the datagram.</summary>
    public UdpEndPoint Peer { get; }

    /// <summary>Whether the datagram was longer than its slot; see <see cref="Datagram.IsTruncated"/>.</summary>
    public bool IsTruncated { get; }

    /// <summary>The payload. You may write to it.</summary>
    /// <exception cref="ObjectDisposedException">The lease has ended.</exception>
    public Memory<byte> Payload
    {
        get
        {
            if (_entry is null) return default;
            byte[]? array = _entry.ArrayOf(_version);
            ObjectDisposedException.ThrowIf(array is null, typeof(DatagramLease));
            return array.AsMemory(_offsetBytes, _lengthBytes);
        }
    }

    /// <summary>Returns the length of the payload and the peer, also after the lease has ended.</summary>
    public override string ToString() => $"{_lengthBytes} bytes from {Peer}{(IsTruncated ? ", truncated" : "")}";

    /// <summary>Ends the lease. The payload must not be used afterwards.</summary>
    public void Dispose() => _entry?.End(_version);
}
