using System.Diagnostics.CodeAnalysis;
using Spate.Cli.Iperf.Iperf2.Results;
using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.Measurement.Counting;

namespace Spate.Cli.Iperf.Iperf2.Ends;

/// <summary>
/// The flows of a server. Addresses are whatever a datagram claims, so there are at most as many flows as the options
/// say, and one that goes on keeps its place whatever else comes. What people are told waits here in a bounded queue,
/// so that a slow terminal holds up no datagram. One thread receives and another one tells: each takes
/// <see cref="Gate"/> first.
/// </summary>
internal sealed class Iperf2PeerTable(
    Iperf2ServerOptions options, UdpEndPoint listening, Func<long?> readDrops)
{
    // Room for a line of every flow that ends when the server does, and for as much that waited before.
    private const int MaxEvents = 2 * Iperf2ServerOptions.MaxMaxFlows;

    // The most that one look at what was ignored has to say.
    private const int MaxIgnoredNotices = 3;

    private const long SilentNanoseconds = 1_000_000_000;
    private const long NoticeNanoseconds = 10_000_000_000;

    private readonly Dictionary<UdpEndPoint, Iperf2Peer> _peers = [];
    private readonly Queue<IperfEvent> _events = new();
    private Iperf2Peer? _last;
    private int _named = options.NamedBefore;
    private long _fullUntil;
    private long _noticed = long.MinValue / 2;
    private long _strange;
    private long _unfollowed;
    private long _untold;

    public Lock Gate { get; } = new();

    /// <summary>Flows that are known, ended ones included.</summary>
    public int Count => _peers.Count;

    public int Untold => _events.Count;

    /// <summary>Counts a datagram of anyone, and answers the end of a flow. Returns whether it was data.</summary>
    public bool Take(in Datagram datagram, long now, SendBatch replies)
    {
        ReadOnlySpan<byte> payload = datagram.Payload;
        Iperf2Peer? peer = _last is { } last && last.Remote == datagram.Peer ? last : Find(datagram, now);
        if (peer is null) return false;

        _last = peer;
        if (!Iperf2Header.TryRead(payload, peer.IsWide, out Iperf2Header header)
            || header.Number is > TestDatagram.MaxSequence or < -TestDatagram.MaxSequence)
        {
            _strange++;
            return false;
        }

        if (header.Number < 0)
        {
            End(peer, datagram, -header.Number, now, replies);
            return false;
        }

        if (peer.Report is not null)
        {
            peer = Renew(peer, datagram, header.Number, now);
            if (peer is null) return false;
        }

        peer.Add(header, payload.Length, now);
        if (peer.Stream is null && peer.Datagrams > 1) Tell(peer);
        return true;
    }

    /// <summary>Ends what is silent, queues what people are told; returns the nanoseconds of the next look.</summary>
    public long Look(long now)
    {
        long next = long.MaxValue;
        foreach (Iperf2Peer peer in _peers.Values)
        {
            long silentAt = peer.HeardNanoseconds + (long)Iperf2Server.Patience.TotalNanoseconds;
            if (now >= silentAt)
            {
                Remove(peer, Iperf2End.Silent);
                continue;
            }

            next = Math.Min(next, silentAt);

            // One that people were not told of has no intervals: its boundaries pass unused.
            if (options.Interval == TimeSpan.Zero || peer.Stream is null || peer.Report is not null) continue;

            while (peer.TakeInterval(options.Interval, now) is { } interval) Queue(interval);

            next = Math.Min(next, peer.NextBoundary(options.Interval));
        }

        if (now - _noticed >= NoticeNanoseconds) NoticeIgnored(now);
        return next;
    }

    public void Stop()
    {
        foreach (Iperf2Peer peer in _peers.Values) Remove(peer, Iperf2End.Stopped);
        NoticeIgnored(_noticed);
    }

    public bool TryDequeue([NotNullWhen(true)] out IperfEvent? news) => _events.TryDequeue(out news);

    /// <summary>The number of a test that is sent back.</summary>
    public int NextNumber()
    {
        lock (Gate) return ++_named;
    }

    private Iperf2Peer? Find(in Datagram datagram, long now)
    {
        if (_peers.TryGetValue(datagram.Peer, out Iperf2Peer? known)) return known;

        // Nobody is at port 0, and what came to many is answered by many.
        bool mayBeAnswered = IsWelcome(datagram.Peer) && datagram.Peer.Port != 0
            && !datagram.Peer.Address.IsMulticast && !datagram.Peer.Address.IsBroadcast
            && !datagram.LocalAddress.IsMulticast && !datagram.LocalAddress.IsBroadcast;
        if (!mayBeAnswered || datagram.Payload.Length < Iperf2Header.TimedBytes)
        {
            _strange++;
            return null;
        }

        if (_peers.Count >= options.MaxFlows && !TryMakeRoom(now))
        {
            _unfollowed++;
            return null;
        }

        return Add(datagram, now);
    }

    private bool IsWelcome(in UdpEndPoint peer) =>
        options.OnlyFrom.IsDefault || options.OnlyFrom == peer.Address;

    private Iperf2Peer Add(in Datagram datagram, long now)
    {
        Iperf2Settings settings = Iperf2Settings.Read(datagram.Payload);
        UdpEndPoint local = datagram.LocalAddress.IsDefault
            ? listening
            : new UdpEndPoint(datagram.LocalAddress, listening.Port);
        return _peers[datagram.Peer] = new Iperf2Peer(local, datagram.Peer, settings, now, readDrops());
    }

    // A client may use an address again at once; what is left of its last flow has higher numbers.
    private Iperf2Peer? Renew(Iperf2Peer peer, in Datagram datagram, long number, long now)
    {
        if (number > 1 && now - peer.HeardNanoseconds < SilentNanoseconds) return null;

        _peers.Remove(peer.Remote);
        return _last = Add(datagram, now);
    }

    private void End(Iperf2Peer peer, in Datagram datagram, long number, long now, SendBatch replies)
    {
        bool isFirst = peer.Report is null;
        peer.End(number, datagram.Payload.Length, now);
        int length = Iperf2Answer.LengthFor(datagram.Payload.Length);
        // Without room for it there is none now: the client asks again.
        if (length > 0 && replies.TryReserveReply(datagram, length, out Span<byte> answer))
        {
            Iperf2Answer.Write(answer, peer.Report!);
        }

        if (!isFirst) return;

        _fullUntil = 0;
        if (peer.Stream is null) Tell(peer);
        Queue(peer.ToReceived(Iperf2End.Finished, readDrops(), isAnswered: length > 0));
        if (options.AllowReverse && peer.Settings.Reverse == Iperf2Reverse.After) Ask(peer);
    }

    private void Tell(Iperf2Peer peer)
    {
        IperfStream stream = peer.Name(++_named);
        Queue(new IperfTest { Streams = [stream] });
        if (peer.Settings.AsksOtherwise)
        {
            Queue(new IperfMessage(
                $"{stream.Remote} requested -R or --full-duplex, which is refused: only -d and -r are supported"));
        }
        else if (peer.Settings.Reverse == Iperf2Reverse.Together
            || (peer.Settings.Reverse == Iperf2Reverse.After && !options.AllowReverse))
        {
            Ask(peer);
        }
    }

    private void Ask(Iperf2Peer peer) => Queue(new Iperf2Request(peer.Stream!, peer.Settings));

    /// <summary>Gives up the flow that was silent for longest; one that goes on stays.</summary>
    private bool TryMakeRoom(long now)
    {
        if (now < _fullUntil) return false;

        Iperf2Peer? victim = null;
        foreach (Iperf2Peer peer in _peers.Values)
        {
            if (victim is null || Age(peer) < Age(victim)) victim = peer;
        }

        if (victim!.Report is null && now - victim.HeardNanoseconds < SilentNanoseconds)
        {
            _fullUntil = victim.HeardNanoseconds + SilentNanoseconds;
            return false;
        }

        Remove(victim, Iperf2End.Replaced);
        return true;
    }

    // Those that have ended come before all others.
    private static long Age(Iperf2Peer peer) =>
        peer.Report is null ? peer.HeardNanoseconds : peer.HeardNanoseconds - (long.MaxValue / 2);

    private void Remove(Iperf2Peer peer, Iperf2End end)
    {
        _peers.Remove(peer.Remote);
        if (ReferenceEquals(_last, peer)) _last = null;
        if (peer.Report is not null) return;

        if (peer.Stream is null)
        {
            // A single datagram is no test.
            _strange++;
            return;
        }

        Queue(peer.ToReceived(end, readDrops(), isAnswered: false));
    }

    private void NoticeIgnored(long now)
    {
        if (_strange + _unfollowed + _untold == 0) return;

        // The counts wait for room, since a line that is left out would take them along.
        if (_events.Count > MaxEvents - MaxIgnoredNotices) return;

        (long strange, long unfollowed, long untold) = (_strange, _unfollowed, _untold);
        (_strange, _unfollowed, _untold, _noticed) = (0, 0, 0, now);
        if (strange > 0) Queue(new IperfMessage($"ignored datagrams of no known test: {strange}"));
        if (untold > 0) Queue(new IperfMessage($"flow lines not printed: {untold}"));
        if (unfollowed == 0) return;

        Queue(new IperfMessage(
            $"ignored datagrams of further flows: {unfollowed}; the limit is {options.MaxFlows} (--max-flows)"));
    }

    private void Queue(IperfEvent news)
    {
        if (_events.Count < MaxEvents) _events.Enqueue(news);
        else _untold++;
    }
}

/// <summary>
/// A client asks for a test in return. The request waits in the queue of events, so that the test begins after the line
/// of its flow.
/// </summary>
internal sealed record Iperf2Request(IperfStream Flow, Iperf2Settings Settings) : IperfEvent;
