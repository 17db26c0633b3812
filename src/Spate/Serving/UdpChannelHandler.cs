using System.Threading.Channels;
using Spate.Buffers;
using Spate.Diagnostics;

namespace Spate.Serving;

/// <summary>
/// Passes datagrams to code that awaits: each goes into a bounded channel, from which any number of readers take them
/// with <c>await foreach</c>. Each shard has a handler and so a channel of its own. A datagram that finds the channel
/// full is dropped and counted (<see cref="DroppedFull"/>, and <c>spate.drop.count</c> of the meter <c>Spate</c>),
/// because the kernel would drop others if the server waited for its readers. When the shard ends the channel does too,
/// after everything in it was read.
/// <para>
/// It costs 270 to 510 ns of CPU time per datagram more than a handler that works in place, for the copy, the channel's
/// lock and the reader's wake-ups (docs/getting-started.md has the figures). Nothing is allocated per datagram in the
/// steady state. It uses at most its capacity times 2 KiB, plus the memory of datagrams that readers have not disposed
/// and of longer datagrams (<see cref="UdpChannelHandlerOptions.CopyPayloads"/>).
/// </para>
/// </summary>
/// <example><code>
/// UdpChannelHandler? handler = null;
/// await using UdpServer server = UdpServer.Start(
///     new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Any(9999)], ThreadCount = 1 },
///     shard => handler = new UdpChannelHandler(shard));
/// await foreach (UdpChannelDatagram datagram in handler!.Reader.ReadAllAsync())
/// {
///     using (datagram) datagram.TryReply(await AnswerAsync(datagram.Memory));
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
    /// <param name="shard">The shard, as the function that makes handlers is given it.</param>
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
                nameof(options), _capacity, $"Capacity is 1 to {MaxCapacity}, or null for {DefaultCapacity}.");
        }
        _copies = options.CopyPayloads ? new SlotBufferPool(MaxCopyBytes, _capacity) : null;
        _channel = Channel.CreateBounded<UdpChannelDatagram>(
            new BoundedChannelOptions(_capacity) { SingleWriter = true });
    }

    /// <summary>
    /// The reader of the channel: datagrams in the order of their arrival, each to be disposed by its reader. The
    /// channel ends when the shard has ended and all datagrams were read. There may be any number of readers; each
    /// datagram goes to one of them.
    /// </summary>
    public ChannelReader<UdpChannelDatagram> Reader => _channel.Reader;

    /// <summary>Datagrams that were put into the channel.</summary>
    public long HandedOver => Interlocked.Read(ref _handedOver);

    /// <summary>Datagrams dropped because the channel was full: the readers were too slow.</summary>
    public long DroppedFull => Interlocked.Read(ref _droppedFull);

    /// <summary>Datagrams that <see cref="DropUnread"/> dropped.</summary>
    public long DroppedUnread => Interlocked.Read(ref _droppedUnread);

    /// <summary>
    /// Ends the channel and drops the datagrams that no reader has taken. Call it when readers end before the server
    /// does. Datagrams that arrive afterwards are dropped too. Any thread may call, any number of times.
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

        // Only this thread writes, so the room cannot shrink meanwhile, and no datagram is copied that has no room.
        int count = Math.Min(batch.Count, _capacity - _channel.Reader.Count);
        int written = 0;
        while (written < count && TryWrite(batch, written)) written++;
        Interlocked.Add(ref _handedOver, written);
        if (written == batch.Count) return;

        // A channel that takes less than it has room for was ended by DropUnread.
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
        UdpChannelDatagram datagram = new(Keep(batch, index), _shard, _shard.LocalIndex);
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
