using System.Buffers.Binary;
using System.Net;
using System.Runtime.CompilerServices;

namespace Spate.Cli.Bench.Targets;

/// <summary>The settings of the rows on <see cref="UdpSocket"/>, and whether they can run on this machine.</summary>
/// <param name="UsesOffloads">Whether the row sends GSO messages and receives coalesced buffers.</param>
/// <param name="AllowSynchronousContinuations">Whether continuations run on the readiness thread.</param>
internal sealed record SpateRow(
    string Name, UdpBackend Backend, bool UsesOffloads, bool AllowSynchronousContinuations = false)
{
    public static SpateRow Portable { get; } = new("spate-portable", UdpBackend.Portable, UsesOffloads: false);

    public static SpateRow Await { get; } = new("spate-await", UdpBackend.Automatic, UsesOffloads: true);

    public static SpateRow AwaitInline { get; } =
        new("spate-await-inline", UdpBackend.Automatic, UsesOffloads: true, AllowSynchronousContinuations: true);

    public static SpateRow Mmsg { get; } = new("spate-mmsg", UdpBackend.Mmsg, UsesOffloads: false);

    public static SpateRow MmsgOffloads { get; } = new("spate-mmsg-gso-gro", UdpBackend.Mmsg, UsesOffloads: true);

    public static SpateRow Uring { get; } = new("spate-uring", UdpBackend.Uring, UsesOffloads: false);

    public static SpateRow UringOffloads { get; } = new("spate-uring-gro", UdpBackend.Uring, UsesOffloads: true);

    public string? UnavailableReason
    {
        get
        {
            if (Backend is not (UdpBackend.Mmsg or UdpBackend.Uring)) return null;
            UdpCapabilities capabilities = UdpCapabilities.Current;
            UdpCapability backend = Backend == UdpBackend.Uring ? capabilities.Uring : capabilities.Mmsg;
            return UsesOffloads
                ? ReasonOfMissing(backend, capabilities.SegmentedSend, capabilities.CoalescedReceive)
                : ReasonOfMissing(backend);
        }
    }

    /// <summary>Why the first capability that is missing is not available here; null when all are.</summary>
    public static string? ReasonOfMissing(params IEnumerable<UdpCapability> needed) =>
        needed.FirstOrDefault(static capability => !capability.IsAvailable) is UdpCapability missing
            ? $"{missing.Name} is not available here: {missing.Reason}"
            : null;

    /// <summary>Opens a socket on 127.0.0.1 at a free port.</summary>
    public UdpSocket Open(int bufferBytes) => UdpSocket.Bind(UdpEndPoint.Loopback(0), new UdpSocketOptions
    {
        Backend = Backend,
        CoalescedReceive = UsesOffloads,
        SegmentedSend = UsesOffloads,
        AllowSynchronousContinuations = AllowSynchronousContinuations,
        SingleReader = Backend == UdpBackend.Uring,
        ReceiveBufferBytes = bufferBytes,
        SendBufferBytes = bufferBytes,
    });

    /// <summary>Adds up to <paramref name="count"/> datagrams to a batch and writes 8 bytes into each.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Fill(SendBatch batch, in UdpEndPoint peer, int sizeBytes, int count, ref ulong sequence)
    {
        for (int i = 0; i < count && batch.TryReserve(peer, sizeBytes, out Span<byte> payload); i++)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(payload, sequence++);
        }
    }

    /// <summary>Reads the peer, the length and the first byte of every datagram of a batch.</summary>
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

    public static IPEndPoint AddressOf(UdpSocket socket) => socket.LocalEndPoint.ToIPEndPoint();
}

/// <summary>Sums over the datagrams of a batch; the checksum is that of peer ports and first bytes.</summary>
internal readonly record struct BatchVisit(long Datagrams, long Bytes, long Checksum);
