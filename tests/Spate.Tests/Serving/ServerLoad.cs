using System.Buffers.Binary;
using Spate.Serving;

namespace Spate.Tests.Serving;

/// <summary>
/// Numbered datagrams from several senders, and the shards that handled each. No datagram may be handled twice, and
/// the kernel's count of drops has each one that was not handled.
/// </summary>
internal sealed class ServerLoad(int senderCount, int countEach, int payloadBytes = 64) : IDisposable
{
    private readonly int[] _handledBy = new int[senderCount * countEach];
    private readonly UdpSocket[] _senders =
        [.. Enumerable.Range(0, senderCount).Select(_ => UdpSocket.Bind(UdpEndPoint.Loopback(0)))];

    private long _duplicates;
    private long _handled;
    private long _outOfOrder;
    private long _sent;

    public long Sent => Interlocked.Read(ref _sent);

    public long Handled => Interlocked.Read(ref _handled);

    /// <summary>A handler that takes part; each keeps the order of the peers it sees.</summary>
    public TestHandler Handler(UdpShard shard, Action<ReceiveBatch, SendBatch>? more = null)
    {
        int[] last = new int[senderCount];
        Array.Fill(last, -1);
        return new TestHandler
        {
            Datagrams = (batch, replies) =>
            {
                foreach (Datagram datagram in batch) Note(datagram.Payload, shard.Index, last);
                more?.Invoke(batch, replies);
            },
        };
    }

    /// <summary>All senders at once, each on a thread of its own; ends when all is with the kernel.</summary>
    public void Send(UdpEndPoint to)
    {
        Thread[] threads =
            [.. Enumerable.Range(0, senderCount).Select(sender => new Thread(() => Send(sender, to)))];
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => Assert.True(thread.Join(ServerCase.Patience), "A sender did not end."));
    }

    /// <summary>All senders in turn on the calling thread, each a part of its datagrams per turn.</summary>
    public void SendInTurns(UdpEndPoint to, int turns, Action onBegun)
    {
        using SendBatch batch = _senders[0].CreateSendBatch();
        for (int turn = 0; turn < turns; turn++)
        {
            for (int sender = 0; sender < senderCount; sender++)
            {
                for (int number = turn * countEach / turns; number < (turn + 1) * countEach / turns; number++)
                    Assert.True(TryAdd(batch, to, sender, number));
                Interlocked.Add(ref _sent, _senders[sender].Send(batch).Sent);
            }

            onBegun();
        }
    }

    /// <summary>After the server has stopped.</summary>
    public void AssertAccounted(UdpServer server, bool inOrder)
    {
        UdpServerStatistics statistics = server.GetStatistics();
        string told = $"{Sent} sent, {Handled} handled, {statistics.Sockets.KernelDrops} dropped, "
            + $"{_duplicates} twice, {_outOfOrder} out of order";
        Assert.True(_duplicates == 0, told);
        Assert.True(statistics.Handled == Handled && statistics.Sockets.DatagramsReceived >= Handled, told);
        if (server.Backend == UdpBackend.Rio)
        {
            // Registered I/O loses datagrams without a count while its slots are full, and a server that stops may find
            // datagrams in them only as it closes the socket. RioAccountTests has the account of the stand-in.
            Assert.True(Handled > 0, told);
            return;
        }

        Assert.True(statistics.Sockets.DatagramsReceived == Handled, told);
        long lost = Sent - Handled;
        long? drops = statistics.Sockets.KernelDrops;

        // A coalesced buffer that is dropped counts once, for 1 to 64 datagrams.
        if (server.CoalescedReceive) Assert.True(lost >= drops && lost <= 64 * drops, told);
        else if (drops is not null) Assert.True(lost == drops, told);
        Assert.True(Handled > 0, told);
        if (inOrder) Assert.True(_outOfOrder == 0, told);
    }

    /// <summary>How many shards handled datagrams of each sender.</summary>
    public IEnumerable<int> ShardsPerSender() =>
        _handledBy.Chunk(countEach).Select(handledBy => handledBy.Where(by => by != 0).Distinct().Count());

    public void Dispose() => Array.ForEach(_senders, sender => sender.Dispose());

    private void Note(ReadOnlySpan<byte> payload, int shardIndex, int[] last)
    {
        int sender = BinaryPrimitives.ReadInt32LittleEndian(payload);
        int number = BinaryPrimitives.ReadInt32LittleEndian(payload[sizeof(int)..]);
        int before = Interlocked.Exchange(ref _handledBy[(sender * countEach) + number], shardIndex + 1);
        if (before != 0) Interlocked.Increment(ref _duplicates);
        if (number <= last[sender]) Interlocked.Increment(ref _outOfOrder);
        last[sender] = number;
        Interlocked.Increment(ref _handled);
    }

    private bool TryAdd(SendBatch batch, in UdpEndPoint to, int sender, int number)
    {
        if (!batch.TryReserve(to, payloadBytes, out Span<byte> payload)) return false;
        BinaryPrimitives.WriteInt32LittleEndian(payload, sender);
        BinaryPrimitives.WriteInt32LittleEndian(payload[sizeof(int)..], number);
        return true;
    }

    private void Send(int sender, in UdpEndPoint to)
    {
        using SendBatch batch = _senders[sender].CreateSendBatch();
        for (int number = 0; number < countEach;)
        {
            while (number < countEach && TryAdd(batch, to, sender, number)) number++;
            Interlocked.Add(ref _sent, _senders[sender].Send(batch).Sent);
        }
    }
}
