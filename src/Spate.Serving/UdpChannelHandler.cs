using System.Threading.Channels;
using Spate.Buffers;
using Spate.Diagnostics;

namespace Spate.Serving;

/// <summary>
/// Hands datagrams over to code that awaits: each goes into a bounded channel, from which any number of readers take
/// them with <c>await foreach</c>. One handler, and so one channel, per shard. What finds the channel full is dropped
/// and counted (<see cref="DroppedFull"/>, and <c>spate.drops</c> of the meter <c>Spate</c>), because a server that
/// waited for its readers would have the kernel drop instead. The channel ends when the shard does, after what it
/// holds was read.
/// <para>
/// The comfort has a price: 270 to 510 ns of CPU time per datagram more than a handler that works in place, for the
/// copy, the channel's lock and the reader's wake-ups (docs/getting-started.md has the figures). Nothing is allocated
/// per datagram in the steady state. It holds at most its capacity times 2 KiB, plus what readers have in their hands
/// and what is longer than that (<see cref="UdpChannelHandlerOptions.CopyPayloads"/>).
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
    /// <see cref="UdpChannelHandlerOptions.Capacity"/> is not possible.
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
    /// The datagrams as they come, each to be disposed by its reader. The channel ends when the shard has ended and all
    /// is read. Any number of readers; each datagram goes to one of them.
    /// </summary>
    public ChannelReader<UdpChannelDatagram> Reader => _channel.Reader;

    /// <summary>Datagrams that were put into the channel.</summary>
    public long HandedOver => Interlocked.Read(ref _handedOver);

    /// <summary>Datagrams dropped because the channel was full: the readers were too slow.</summary>
    public long DroppedFull => Interlocked.Read(ref _droppedFull);

    /// <summary>Datagrams that <see cref="DropUnread"/> dropped.</summary>
    public long DroppedUnread => Interlocked.Read(ref _droppedUnread);

    /// <summary>
    /// Ends the channel and drops what no reader has read: for readers that end before the server does. What arrives
    /// afterwards is dropped as well. Any thread, any number of calls.
    /// </summary>
    public void DropUnread()
    {
        _channel.Writer.TryComplete();
        while (_channel.Reader.TryRead(out UdpChannelDatagram datagram))
        {
            datagram.Dispose();
            CountUnread(1);
        }
    }

    /// <inheritdoc/>
    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        ArgumentNullException.ThrowIfNull(batch);

        // This thread alone writes, so the room can only grow meanwhile, and nothing is copied in vain.
        int count = Math.Min(batch.Count, _capacity - _channel.Reader.Count);
        int written = 0;
        while (written < count && TryWrite(batch, written)) written++;
        Interlocked.Add(ref _handedOver, written);
        if (written == batch.Count) return;

        // The channel took less than it had room for: DropUnread has ended it.
        if (written < count) CountUnread(batch.Count - written);
        else CountFull(batch.Count - written);
    }

    /// <inheritdoc/>
    public override void OnStop(SendBatch replies) => _channel.Writer.TryComplete();

    private void CountFull(int datagramCount)
    {
        Interlocked.Add(ref _droppedFull, datagramCount);
        SpateMeter.CountDrops("channel_full", datagramCount);
    }

    private void CountUnread(int datagramCount)
    {
        Interlocked.Add(ref _droppedUnread, datagramCount);
        SpateMeter.CountDrops("handler", datagramCount);
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
