using System.Runtime.CompilerServices;
using Spate.Buffers;

namespace Spate;

/// <summary>
/// One datagram of a <see cref="ReceiveBatch"/>, seen in place. Valid until the next receive into the batch; keep it
/// longer with <see cref="Lease"/>. The <c>default</c> value is an empty datagram of no peer.
/// </summary>
public readonly ref struct Datagram
{
    private static readonly ReceiveSlot NoSlot;

    private readonly ref ReceiveSlot _slot;
    private readonly ReceiveSlots? _slots;

    internal Datagram(ReceiveSlots slots, ref ReceiveSlot slot, Span<byte> payload)
    {
        _slots = slots;
        _slot = ref slot;
        Payload = payload;
    }

    /// <summary>Who sent it.</summary>
    public ref readonly UdpEndPoint Peer
    {
        get
        {
            if (Unsafe.IsNullRef(in _slot)) return ref NoSlot.Peer;
            return ref _slot.Peer;
        }
    }

    /// <summary>The payload. It may be written to, for instance to be decrypted in place or forwarded.</summary>
    public Span<byte> Payload { get; }

    /// <summary>
    /// Whether the datagram was longer than its slot; the rest of it is gone and <see
    /// cref="UdpCounters.DatagramsTruncated"/> counts it. On a coalescing socket also where options set by other means
    /// made the kernel cut off what it tells of a buffer, so that several datagrams may have run together.
    /// </summary>
    public bool IsTruncated => !Unsafe.IsNullRef(in _slot) && _slot.IsTruncated;

    /// <summary>
    /// The address it was sent to, with port 0; default unless <see cref="UdpMetadata.LocalAddress"/> was asked for.
    /// </summary>
    public UdpEndPoint LocalAddress => Info.LocalAddress;

    /// <summary>The interface it came in by; 0 unless <see cref="UdpMetadata.LocalAddress"/> was asked for.</summary>
    public int InterfaceIndex => Info.InterfaceIndex;

    /// <summary>
    /// The traffic class byte, DSCP and ECN; -1 unless <see cref="UdpMetadata.TrafficClass"/> was asked for.
    /// </summary>
    public int TrafficClass => Info.TrafficClass;

    /// <summary>
    /// The two ECN bits (RFC 3168): 0 none, 1 ECT(1), 2 ECT(0), 3 congestion experienced; -1 unless asked for.
    /// </summary>
    public int Ecn => TrafficClass < 0 ? -1 : TrafficClass & 3;

    /// <summary>The six DSCP bits (RFC 2474); -1 unless <see cref="UdpMetadata.TrafficClass"/> was asked for.</summary>
    public int Dscp => TrafficClass < 0 ? -1 : TrafficClass >> 2;

    /// <summary>
    /// Time to live or hop limit that was left; -1 unless <see cref="UdpMetadata.TimeToLive"/> was asked for.
    /// </summary>
    public int TimeToLive => Info.TimeToLive;

    /// <summary>
    /// Kernel receive time in nanoseconds since 1970 UTC; 0 unless <see cref="UdpMetadata.Timestamp"/> was asked for.
    /// </summary>
    public long TimestampUnixNanoseconds => Info.TimestampUnixNanoseconds;

    /// <summary>
    /// Keeps the payload valid past the next receive, without a copy, until the lease is disposed. A datagram of
    /// <c>default</c> has an empty lease.
    /// </summary>
    /// <returns>The lease, which can be kept where the datagram cannot, for instance across an await.</returns>
    /// <exception cref="InvalidOperationException">
    /// The datagram is of an earlier receive, and its buffer is no longer the batch's; or a receive has the batch.
    /// </exception>
    public DatagramLease Lease()
    {
        if (_slots is null) return default;
        _slots.Use.RequireFree();

        // Where the payload lies in its buffer is known from the addresses, so that walking a batch keeps no offset.
        int offsetBytes = _slots.BufferOf(_slot.SlotIndex).OffsetOf(Payload);
        if (offsetBytes < 0)
        {
            throw new InvalidOperationException(
                "The datagram is of an earlier receive and its buffer has been replaced: "
                + "lease it before the next receive.");
        }

        LeaseEntry entry = _slots.Lease(_slot.SlotIndex, out int version);
        return new DatagramLease(entry, version, offsetBytes, in this);
    }

    internal ref readonly DatagramInfo Info
    {
        get
        {
            if (_slots is null) return ref DatagramInfo.None;
            return ref _slots.InfoOf(_slot.SlotIndex);
        }
    }

    internal SlotBuffer? Buffer => _slots?.BufferOf(_slot.SlotIndex);

    internal ReceiveSlots? Slots => _slots;
}
