using System.Buffers.Binary;
using Spate;
using Spate.Serving;

/// <summary>Sends the packets of one source to all subscribers.</summary>
internal sealed class RelayHandler(UdpShard shard) : UdpHandler
{
    private const int RtpHeaderBytes = 12;
    private const int MaxSubscribers = 64;

    private static readonly TimeSpan SilenceLimit = TimeSpan.FromSeconds(30);

    private readonly SessionTable<bool> _subscribers = shard.CreateSessionTable<bool>(new SessionTableOptions
    {
        MaxSessions = MaxSubscribers,
        IdleTimeout = SilenceLimit,
        NewSessionsPerSecondPerPrefix = null,
    });

    private readonly List<int> _media = [];
    private UdpEndPoint _source;
    private long _heardMilliseconds;

    public StreamCounter Stream { get; private set; } = new();

    public long Relayed { get; private set; }

    /// <summary>Packets that looked like RTP and did not come from the source.</summary>
    public long Strays { get; private set; }

    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        _media.Clear();
        for (int i = 0; i < batch.Count; i++)
        {
            Datagram datagram = batch[i];
            if (IsMedia(datagram)) _media.Add(i);
            else Control(datagram, replies);
        }

        // One subscriber after the other: packets of one size that go to one peer side by side leave as a GSO message.
        foreach (SessionRef<bool> subscriber in _subscribers)
        {
            foreach (int i in _media) Forward(batch[i], subscriber.Peer, replies);
        }
    }

    public override void OnTick(TimeSpan elapsed, SendBatch replies) => _subscribers.RemoveExpired();

    // Version 2 in the first two bits (RFC 3550, 5.1). The words of subscribers begin with letters, which have 1 there.
    private bool IsMedia(in Datagram datagram)
    {
        ReadOnlySpan<byte> payload = datagram.Payload;
        if (payload.Length < RtpHeaderBytes || payload[0] >> 6 != 2 || datagram.IsTruncated) return false;
        long now = Environment.TickCount64;
        if (_source != datagram.Peer)
        {
            if (!_source.IsDefault && now - _heardMilliseconds < SilenceLimit.TotalMilliseconds)
            {
                Strays++;
                return false;
            }

            _source = datagram.Peer;
            Stream = new StreamCounter();
        }

        _heardMilliseconds = now;
        Stream.Count(BinaryPrimitives.ReadUInt16BigEndian(payload[2..]));
        return true;
    }

    private void Control(in Datagram datagram, SendBatch replies)
    {
        if (datagram.Payload.SequenceEqual("END"u8)) _subscribers.Remove(datagram.Peer);
        if (!datagram.Payload.SequenceEqual("SUB"u8)) return;
        if (_subscribers.GetOrAdmit(datagram.Peer, out _) is SessionAdmission.Admitted or SessionAdmission.Known)
        {
            replies.TryAdd("OK"u8, datagram.Peer);
        }
    }

    private void Forward(in Datagram datagram, in UdpEndPoint peer, SendBatch replies)
    {
        if (!replies.TryForward(datagram, peer))
        {
            shard.Flush(replies);   // the batch is full: what is in it leaves now
            if (!replies.TryForward(datagram, peer)) return;
        }

        Relayed++;
    }
}

/// <summary>Counts the packets of a stream, and those that its sequence numbers say are missing.</summary>
internal sealed class StreamCounter
{
    private ushort _newest;
    private long _expected;

    public long Packets { get; private set; }

    /// <summary>Expected and not here. Packets that came twice hide as many (RFC 3550, 6.4.1).</summary>
    public long Missing => Math.Max(0, _expected - Packets);

    /// <summary>Counts a packet. Numbers have 16 bits and begin anew after 65535.</summary>
    public void Count(ushort sequence)
    {
        short ahead = Packets++ == 0 ? (short)1 : unchecked((short)(sequence - _newest));
        if (ahead <= 0) return;   // it was overtaken, or came twice
        _expected += ahead;
        _newest = sequence;
    }
}
