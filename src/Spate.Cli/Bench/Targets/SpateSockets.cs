using System.Buffers.Binary;
using System.Net;
using System.Runtime.CompilerServices;

namespace Spate.Cli.Bench.Targets;

/// <summary>Receives batches, on a thread of its own or on the thread that fills its queue.</summary>
internal sealed class SpateBatchReceiver(UdpSocket socket) : BenchReceiver
{
    public ReceiveBatch Batch { get; } = socket.CreateReceiveBatch();

    public override IPEndPoint LocalEndPoint => SpateRow.AddressOf(socket);

    public override int BufferGrantedBytes => socket.ReceiveBufferBytes;

    public override long Calls => socket.GetCounters().ReceiveCalls;

    public override void Run()
    {
        while (socket.Receive(Batch) == ReceiveStatus.Received)
        {
            BatchVisit visit = SpateRow.Visit(Batch);
            Counters.Add(visit.Datagrams, visit.Bytes, visit.Checksum);
        }
    }

    public override int Drain(int count)
    {
        int drained = 0;
        while (drained < count && TryReceive())
        {
            BatchVisit visit = SpateRow.Visit(Batch);
            Checksum += visit.Checksum;
            drained += (int)visit.Datagrams;
        }

        return drained;
    }

    /// <summary>Returns false if nothing is queued.</summary>
    public bool TryReceive() => socket.TryReceive(Batch) == ReceiveStatus.Received;

    public override void Stop() => socket.Dispose();

    public override void Dispose()
    {
        socket.Dispose();
        Batch.Dispose();
    }
}

/// <summary>Sends batches, as full as they may be.</summary>
internal sealed class SpateBatchSender(UdpSocket socket, int sizeBytes, UdpEndPoint peer) : BenchSender
{
    private readonly SendBatch _batch = socket.CreateSendBatch();
    private ulong _sequence;

    public override long GsoFallbacks => socket.GetCounters().GsoFallbacks;

    public override int SendBurst()
    {
        SpateRow.Fill(_batch, peer, sizeBytes, _batch.Capacity, ref _sequence);
        return socket.Send(_batch).Sent;
    }

    public override int Send(int count)
    {
        int sent = 0;
        int tried = 0;
        while (tried < count)
        {
            SpateRow.Fill(_batch, peer, sizeBytes, count - tried, ref _sequence);
            tried += _batch.Count;
            sent += socket.Send(_batch).Sent;
        }

        return sent;
    }

    public override void Dispose()
    {
        socket.Dispose();
        _batch.Dispose();
    }
}

/// <summary>One await per datagram, as in a program that only replaces the calls of Socket.</summary>
internal sealed class SpateAwaitReceiver(UdpSocket socket) : AsyncReceiver(socket)
{
    private readonly Memory<byte> _buffer = BaselineSocket.NewReceiveBuffer();

    public override IPEndPoint LocalEndPoint => SpateRow.AddressOf(socket);

    public override int BufferGrantedBytes => socket.ReceiveBufferBytes;

    public override long Calls => socket.GetCounters().ReceiveCalls;

    public override int Drain(int count) => DrainAsync(count).AsTask().GetAwaiter().GetResult();

    protected override async Task ReceiveForEverAsync()
    {
        while (true)
        {
            ReceivedDatagram datagram = await socket.ReceiveFromAsync(_buffer).ConfigureAwait(false);
            long visited = BaselineSocket.Visit(datagram.Peer.Port, _buffer.Span[..datagram.Length]);
            Counters.Add(1, datagram.Length, visited);
        }
    }

    // A datagram is always queued, so every call completes at once.
    private async ValueTask<int> DrainAsync(int count)
    {
        using var giveUp = new CancellationTokenSource();
        int drained = 0;
        while (drained < count)
        {
            ValueTask<ReceivedDatagram> receiving = socket.ReceiveFromAsync(_buffer, giveUp.Token);
            if (!receiving.IsCompleted)
            {
                // The queue held fewer datagrams than were sent. The caller compares the counts.
                await giveUp.CancelAsync().ConfigureAwait(false);
            }

            try
            {
                ReceivedDatagram datagram = await receiving.ConfigureAwait(false);
                Checksum += BaselineSocket.Visit(datagram.Peer.Port, _buffer.Span[..datagram.Length]);
                drained++;
            }
            catch (OperationCanceledException)
            {
                break;
            }
        }

        return drained;
    }
}

/// <summary>One await per datagram.</summary>
internal sealed class SpateAwaitSender(UdpSocket socket, int sizeBytes, UdpEndPoint peer) : AsyncSender(socket)
{
    private readonly Memory<byte> _payload = GC.AllocateArray<byte>(sizeBytes, pinned: true);
    private ulong _sequence;

    protected override async ValueTask<int> SendAsync(int count)
    {
        int sent = 0;
        for (int i = 0; i < count; i++)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(_payload.Span, _sequence++);
            SendResult result = await socket.SendToAsync(_payload, peer).ConfigureAwait(false);
            sent += result.Sent;
        }
        return sent;
    }
}

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

    public UdpSocketOptions Options => new()
    {
        Backend = Backend,
        CoalescedReceive = UsesOffloads,
        SegmentedSend = UsesOffloads,
    };

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

    /// <summary>
    /// Opens a socket on 127.0.0.1 at a free port for an end, which closes it. If the end cannot be made, the socket is
    /// closed here.
    /// </summary>
    public TEnd Open<TEnd>(int bufferBytes, Func<UdpSocket, TEnd> createEnd)
    {
        var socket = UdpSocket.Bind(UdpEndPoint.Loopback(0), Options with
        {
            AllowSynchronousContinuations = AllowSynchronousContinuations,
            SingleReader = Backend == UdpBackend.Uring,
            ReceiveBufferBytes = bufferBytes,
            SendBufferBytes = bufferBytes,
        });
        try
        {
            return createEnd(socket);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

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
