using System.Runtime.CompilerServices;
using Spate.Buffers;

namespace Spate;

/// <summary>
/// One datagram of a <see cref="ReceiveBatch"/>. The payload is read in place, without a copy. The datagram is valid
/// until the next receive into the batch; <see cref="Lease"/> keeps the payload valid for longer. The <c>default</c>
/// value is an empty datagram without a peer.
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

    /// <summary>The peer that sent the datagram.</summary>
    public ref readonly UdpEndPoint Peer
    {
        get
        {
            if (Unsafe.IsNullRef(in _slot)) return ref NoSlot.Peer;
            return ref _slot.Peer;
        }
    }

    /// <summary>
    /// The payload. You may write to it, for instance to decrypt it in place or before you forward it.
    /// </summary>
    public Span<byte> Payload { get; }

    /// <summary>
    /// Whether the datagram was longer than its slot. The rest of such a datagram is lost, and
    /// <see cref="UdpCounters.DatagramsTruncated"/> counts the datagram. On a coalescing socket this is also true if
    /// socket options that were set outside Spate made the kernel cut off the control messages of a buffer
    /// (MSG_CTRUNC). The segment size may then be missing, and the payload may contain several datagrams.
    /// </summary>
    public bool IsTruncated => !Unsafe.IsNullRef(in _slot) && _slot.IsTruncated;

    /// <summary>
    /// The address that the datagram was sent to; <c>default</c> if <see cref="UdpMetadata.LocalAddress"/> was not
    /// requested.
    /// </summary>
    public UdpAddress LocalAddress => Info.LocalAddress;

    /// <summary>
    /// The index of the interface that received the datagram; null if <see cref="UdpMetadata.LocalAddress"/> was not
    /// requested.
    /// </summary>
    public int? InterfaceIndex => Info.InterfaceIndex;

    /// <summary>
    /// The traffic class byte, which contains DSCP and ECN; null if <see cref="UdpMetadata.TrafficClass"/> was not
    /// requested.
    /// </summary>
    public int? TrafficClass => Info.TrafficClass;

    /// <summary>
    /// The two ECN bits of the traffic class; null if <see cref="UdpMetadata.TrafficClass"/> was not requested.
    /// </summary>
    public EcnCodepoint? Ecn => Info.Ecn;

    /// <summary>
    /// The six DSCP bits of the traffic class (RFC 2474); null if <see cref="UdpMetadata.TrafficClass"/> was not
    /// requested.
    /// </summary>
    public int? Dscp => Info.Dscp;

    /// <summary>
    /// The remaining time to live or hop limit; null if <see cref="UdpMetadata.TimeToLive"/> was not requested.
    /// </summary>
    public int? TimeToLive => Info.TimeToLive;

    /// <summary>
    /// The kernel's receive time in nanoseconds since 1970 UTC; null if <see cref="UdpMetadata.Timestamp"/> was not
    /// requested.
    /// </summary>
    public long? TimestampUnixNanoseconds => Info.TimestampUnixNanoseconds;

    /// <summary>
    /// Keeps the payload valid past the next receive, without a copy, until the lease is disposed. The lease of a
    /// <c>default</c> datagram is empty.
    /// </summary>
    /// <returns>The lease. Unlike the datagram, the lease can be stored and can be used after an await.</returns>
    /// <exception cref="InvalidOperationException">
    /// The datagram is from an earlier receive and the batch has replaced its buffer, or a receive is using the batch.
    /// </exception>
    public DatagramLease Lease()
    {
        if (_slots is null) return default;
        _slots.Use.RequireFree();

        // The enumerator stores no offset, so it is computed here: the memory address of the payload minus the address
        // of its buffer.
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
