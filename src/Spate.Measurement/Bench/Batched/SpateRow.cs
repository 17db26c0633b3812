using System.Buffers.Binary;
using System.Net;
using System.Runtime.CompilerServices;

namespace Spate.Measurement.Bench.Batched;

/// <summary>What the rows on <see cref="UdpSocket"/> share: what each opens, and why it may not be able to.</summary>
/// <param name="Name">The row's name.</param>
/// <param name="Backend">The backend it stands for.</param>
/// <param name="UsesTrains">Whether it sends trains and receives coalesced buffers.</param>
/// <param name="InlineContinuations">Whether continuations run on the readiness thread.</param>
internal sealed record SpateRow(string Name, UdpBackend Backend, bool UsesTrains, bool InlineContinuations = false)
{
    // A slot this large holds every size up to an Ethernet frame's and keeps 64 of them in the cache.
    private const int SmallSlotBytes = 2048;
    private const int LargeSlotBytes = 65_535;

    public static SpateRow Portable { get; } = new("spate-portable", UdpBackend.Portable, UsesTrains: false);

    public static SpateRow Await { get; } = new("spate-await", UdpBackend.Automatic, UsesTrains: true);

    public static SpateRow AwaitInline { get; } =
        new("spate-await-inline", UdpBackend.Automatic, UsesTrains: true, InlineContinuations: true);

    public static SpateRow Mmsg { get; } = new("spate-mmsg", UdpBackend.Mmsg, UsesTrains: false);

    public static SpateRow MmsgTrains { get; } = new("spate-mmsg-gso-gro", UdpBackend.Mmsg, UsesTrains: true);

    public static SpateRow Uring { get; } = new("spate-uring", UdpBackend.Uring, UsesTrains: false);

    public static SpateRow UringTrains { get; } = new("spate-uring-gro", UdpBackend.Uring, UsesTrains: true);

    /// <summary>Why the row would not be what its name says on this machine; null when it is.</summary>
    public string? UnavailableReason
    {
        get
        {
            if (Backend is not (UdpBackend.Mmsg or UdpBackend.Uring)) return null;
            UdpCapabilities capabilities = UdpCapabilities.Current;
            UdpCapability backend = Backend == UdpBackend.Uring ? capabilities.Uring : capabilities.Mmsg;
            UdpCapability[] needed = UsesTrains
                ? [backend, capabilities.SegmentedSend, capabilities.CoalescedReceive]
                : [backend];
            return needed.FirstOrDefault(capability => !capability.IsAvailable) is UdpCapability missing
                ? $"{missing.Name} is not available here: {missing.Reason}"
                : null;
        }
    }

    /// <summary>A socket of this row on 127.0.0.1 at a free port.</summary>
    public UdpSocket Open(int bufferBytes) => UdpSocket.Bind(UdpEndPoint.Loopback(0), new UdpSocketOptions
    {
        Backend = Backend,
        CoalescedReceive = UsesTrains,
        SegmentedSend = UsesTrains,
        InlineContinuations = InlineContinuations,
        OneReceivingThread = Backend == UdpBackend.Uring,
        ReceiveBufferBytes = bufferBytes,
        SendBufferBytes = bufferBytes,
    });

    /// <summary>A receive batch of default shape, but with slots that hold the size.</summary>
    public static ReceiveBatch CreateReceiveBatch(UdpSocket socket, int sizeBytes) =>
        socket.CreateReceiveBatch(new ReceiveBatchOptions
        {
            SlotBytes = sizeBytes <= SmallSlotBytes ? SmallSlotBytes : LargeSlotBytes,
        });

    /// <summary>Fills the batch up to <paramref name="count"/> datagrams, 8 bytes written into each.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Fill(SendBatch batch, in UdpEndPoint peer, int sizeBytes, int count, ref ulong sequence)
    {
        for (int i = 0; i < count && batch.TryReserve(peer, sizeBytes, out Span<byte> payload); i++)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(payload, sequence++);
        }
    }

    /// <summary>Visits every datagram of a batch: peer, length, first byte.</summary>
    public static BatchVisit Visit(ReceiveBatch batch)
    {
        long datagrams = 0;
        long bytes = 0;
        long checksum = 0;
        foreach (Datagram datagram in batch)
        {
            ReadOnlySpan<byte> payload = datagram.Payload;
            datagrams++;
            bytes += payload.Length;
            checksum += datagram.Peer.Port + (payload.IsEmpty ? 0 : payload[0]);
        }
        return new BatchVisit(datagrams, bytes, checksum);
    }

    /// <summary>The address that the base library's rows know a socket by.</summary>
    public static IPEndPoint AddressOf(UdpSocket socket) => socket.LocalEndPoint.ToIPEndPoint();
}

/// <summary>What visiting a batch added up.</summary>
/// <param name="Datagrams">Datagrams.</param>
/// <param name="Bytes">Payload bytes.</param>
/// <param name="Checksum">Sum over peers and first bytes.</param>
internal readonly record struct BatchVisit(long Datagrams, long Bytes, long Checksum);
