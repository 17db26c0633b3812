using Spate.Buffers;

namespace Spate;

/// <summary>
/// A received payload that stays valid past the next receive, until this is disposed. Nothing is copied: the batch goes
/// on with another buffer. A datagram that was part of a coalesced buffer holds that whole buffer (64 KiB), so do not
/// keep many for long. May be disposed on any thread, and more than once.
/// </summary>
public readonly struct DatagramLease : IDisposable
{
    private readonly LeaseEntry? _entry;
    private readonly int _version;
    private readonly int _offsetBytes;
    private readonly int _lengthBytes;

    internal DatagramLease(LeaseEntry entry, int version, int offsetBytes, int lengthBytes, in UdpEndPoint peer)
    {
        _entry = entry;
        _version = version;
        _offsetBytes = offsetBytes;
        _lengthBytes = lengthBytes;
        Peer = peer;
    }

    /// <summary>Who sent it.</summary>
    public UdpEndPoint Peer { get; }

    /// <summary>The payload, writable.</summary>
    /// <exception cref="ObjectDisposedException">The lease has ended.</exception>
    public Memory<byte> Memory =>
        _entry is null ? default : _entry.ArrayOf(_version).AsMemory(_offsetBytes, _lengthBytes);

    /// <summary>Ends the lease; the payload must not be used any more.</summary>
    public void Dispose() => _entry?.End(_version);
}
