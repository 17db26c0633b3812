using System.Threading.Channels;
using Spate.Buffers;
using Spate.Diagnostics;

namespace Spate.Serving;

/// <summary>
/// Passes datagrams to code that uses <c>await</c>. The handler puts each datagram into a bounded channel, from which
/// any number of readers take datagrams with <c>await foreach</c>. Each shard has its own handler and so its own
/// channel. If the channel is full, a datagram is dropped and counted (<see cref="DroppedFull"/>, and
/// <c>spate.drop.count</c> of the meter <c>Spate</c>). The server does not wait for slow readers, because the kernel
/// would then drop other datagrams. When the shard ends, the channel also ends, after all its datagrams were read.
/// <para>
/// The handler costs 270 to 510 ns of CPU time per datagram more than a handler that uses the datagrams directly in
/// <see cref="UdpHandler.OnDatagrams"/>. These are the costs of the copy, the channel's lock and the wake-ups of
/// readers (docs/build/servers.md has the figures). In the steady state, nothing is allocated per datagram. The
/// memory of the handler is at most its capacity times 2 KiB, plus the memory of longer datagrams and of datagrams that
/// readers have not disposed (<see cref="UdpChannelHandlerOptions.CopyPayloads"/>).
/// </para>
/// </summary>
/// <example><code>
/// UdpChannelHandler? handler = null;
/// await using UdpServer server = UdpServer.Start(
///     new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Any(9999)], ThreadCount = 1 },
///     shard => handler = new UdpChannelHandler(shard));
/// await foreach (UdpChannelDatagram datagram in handler!.Reader.ReadAllAsync())
/// {
///     using (datagram) datagram.TryReply(await AnswerAsync(datagram.Payload));
/// }
/// </code></example>
public sealed class UdpChannelHandler : UdpHandler
{
    private const int MaxCopyBytes = 2048;
    private const int MaxCapacity = 1 << 20;
    private const int DefaultCapacity = 4096;

    private readonly UdpShard _shard;
    private readonly int _capacity;
    private readonly Channel<UdpChannelDatagram> _channel;
    private readonly SlotBufferPool? _copies;
    private long _handedOver;
    private long _droppedFull;
    private long _droppedUnread;

    /// <summary>Makes the handler of a shard.</summary>
    /// <param name="shard">
    /// The shard, as <see cref="UdpServer.Start"/> passes it to <c>handlerFactory</c>.
    /// </param>
    /// <param name="options">The capacity of the channel and how payloads are kept; null for the defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <see cref="UdpChannelHandlerOptions.Capacity"/> is out of its range.
    /// </exception>
    public UdpChannelHandler(UdpShard shard, UdpChannelHandlerOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(shard);
        options ??= new UdpChannelHandlerOptions();
        _shard = shard;
        _capacity = options.Capacity ?? DefaultCapacity;
        if (_capacity is < 1 or > MaxCapacity)
        {
            throw new ArgumentOutOfRangeException(
                nameof(options),
                _capacity,
                $"Capacity must be from 1 to {MaxCapacity}, or null for {DefaultCapacity}.");
        }
        _copies = options.CopyPayloads ? new SlotBufferPool(MaxCopyBytes, _capacity) : null;
        _channel = Channel.CreateBounded<UdpChannelDatagram>(
            new BoundedChannelOptions(_capacity) { SingleWriter = true });
    }

    /// <summary>
    /// The reader of the channel. It returns datagrams in the order of their arrival; the code that takes a datagram
    /// must dispose it. The channel ends when the shard has ended and all datagrams were read. Any number of readers
    /// may share the channel; each datagram goes to one of them.
    /// </summary>
    public ChannelReader<UdpChannelDatagram> Reader => _channel.Reader;

    /// <summary>The number of datagrams that were put into the channel.</summary>
    public long HandedOver => Interlocked.Read(ref _handedOver);

    /// <summary>The number of datagrams dropped because the channel was full: the readers were too slow.</summary>
    public long DroppedFull => Interlocked.Read(ref _droppedFull);

    /// <summary>
    /// The number of datagrams that <see cref="DropUnread"/> dropped, or that arrived after its call and were dropped.
    /// </summary>
    public long DroppedUnread => Interlocked.Read(ref _droppedUnread);

    /// <summary>
    /// Ends the channel and drops the datagrams that no reader has taken. Call the method if the readers end before the
    /// server does. Datagrams that arrive later are dropped too. Any thread may call the method, any number of times.
    /// </summary>
    public void DropUnread()
    {
        _channel.Writer.TryComplete();
        while (_channel.Reader.TryRead(out UdpChannelDatagram datagram))
        {
            datagram.Dispose();
            CountDrops(ref _droppedUnread, ServerMetric.UnreadChannelDrops, 1);
        }
    }

    /// <inheritdoc/>
    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        ArgumentNullException.ThrowIfNull(batch);

        // While this method runs, the free space of the channel cannot shrink, because only this thread writes to the
        // channel. So only datagrams that fit are copied.
        int count = Math.Min(batch.Count, _capacity - _channel.Reader.Count);
        int written = 0;
        while (written < count && TryWrite(batch, written)) written++;
        Interlocked.Add(ref _handedOver, written);
        if (written == batch.Count) return;

        // If the channel took fewer datagrams than it had room for, DropUnread has ended the channel.
        int dropped = batch.Count - written;
        if (written < count) CountDrops(ref _droppedUnread, ServerMetric.UnreadChannelDrops, dropped);
        else CountDrops(ref _droppedFull, ServerMetric.FullChannelDrops, dropped);
    }

    /// <inheritdoc/>
    public override void OnStop(SendBatch replies) => _channel.Writer.TryComplete();

    private void CountDrops(ref long counter, ServerMetric figure, int datagramCount)
    {
        Interlocked.Add(ref counter, datagramCount);
        _shard.Account.CountDrops(figure, datagramCount);
    }

    private bool TryWrite(ReceiveBatch batch, int index)
    {
        UdpChannelDatagram datagram = new(
            Keep(batch, index), _shard, _shard.LocalEndPointIndex, SendBatch.ReplyControl(batch[index]));
        if (_channel.Writer.TryWrite(datagram)) return true;
        datagram.Dispose();
        return false;
    }

    private DatagramLease Keep(ReceiveBatch batch, int index)
    {
        Datagram datagram = batch[index];
        if (_copies is null || datagram.Payload.Length > MaxCopyBytes) return datagram.Lease();
        return DatagramLease.CopyOf(_copies, in datagram);
    }
}
