using Spate.Measurement.Arithmetic;
using Spate.Measurement.Counting;
using Spate.Measurement.HostUse;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Cli.Serve;

/// <summary>What the handlers of all applications share: the counts, the work, and the thread's use of CPU.</summary>
/// <remarks>Made on the shard's thread, whose CPU use the handler measures.</remarks>
internal abstract class AppHandler(UdpShard shard, ServeOptions options, ServeLimit limit, TimeProvider time)
    : UdpHandler, IDisposable
{
    private readonly ServeLimit _limit = limit;
    private readonly TimeProvider _time = time;
    private readonly ThreadGauge _gauge = new();
    private readonly int _workRounds = options.WorkRounds;

    // Written for each datagram, so that the work cannot be optimised away.
    private uint _workResult;
    private long _arrivalTicks;
    private long _bytes;
    private int _minBytes;
    private int _maxBytes;

    public UdpShard Shard { get; } = shard;

    public ServeCounters Counters { get; } = new();

    /// <summary>The number of peers with a session; null where none are kept. Any thread may read.</summary>
    public virtual int? Sessions => null;

    /// <summary>What the thread has used since the handler was made. Safe to read from any thread.</summary>
    public ThreadUse Use => _gauge.Use;

    /// <summary>The CPUs that the thread may run on; null where unknown. Safe to read from any thread.</summary>
    public string? AllowedCpuList => _gauge.AllowedCpuList;

    public sealed override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        (_bytes, _minBytes, _maxBytes) = (0, int.MaxValue, -1);
        _arrivalTicks = _time.GetTimestamp();
        int counted = Handle(batch, replies);
        if (counted == 0) return;
        Counters.CountCall(counted, _bytes, _minBytes, _maxBytes, _arrivalTicks);
        if (_limit.IsSet) _limit.Take(counted);
    }

    public override void OnStop(SendBatch replies) => _gauge.Finish();

    public void Dispose() => _gauge.Dispose();

    protected long ArrivalNanoseconds => _time.ToNanoseconds(_arrivalTicks);

    /// <summary>Calls <see cref="Visit"/> for each datagram that counts, and returns their number.</summary>
    protected abstract int Handle(ReceiveBatch batch, SendBatch replies);

    protected void Visit(ReadOnlySpan<byte> payload)
    {
        _bytes += payload.Length;
        _minBytes = Math.Min(_minBytes, payload.Length);
        _maxBytes = Math.Max(_maxBytes, payload.Length);
        if (_workRounds > 0)
        {
            uint seed = payload.IsEmpty ? 0u : payload[0];
            Volatile.Write(ref _workResult, WorkLoad.Do(_workRounds, _workResult ^ seed));
        }
    }
}

/// <summary>Tells when all handlers together have counted a given number of datagrams.</summary>
internal sealed class ServeLimit(long? datagramCount, Action onReached)
{
    private long _left = datagramCount ?? long.MaxValue;

    /// <summary>Whether there is a limit. Without one, handlers need not touch the counter that all share.</summary>
    public bool IsSet => datagramCount is not null;

    public void Take(int datagramCount)
    {
        if (Interlocked.Add(ref _left, -datagramCount) <= 0) onReached();
    }
}

/// <summary>Counts datagrams and follows their streams.</summary>
internal sealed class CountHandler(
    UdpShard shard, ServeOptions options, ServeLimit limit, TimeProvider time, StreamLedger ledger)
    : AppHandler(shard, options, limit, time)
{
    /// <summary>How long a thread keeps what it has counted before it posts it, while nothing more arrives.</summary>
    public static readonly TimeSpan PostInterval = TimeSpan.FromMilliseconds(100);

    private readonly BatchCounts _page = new(ledger);

    // The number of datagrams of each peer, in place of what a real server keeps about a peer. The table holds 65,536
    // peers at a time and admits them at any rate, because a count must include every peer.
    private readonly SessionTable<long>? _sessions = shard.KeepsPeers
        ? shard.CreateSessionTable<long>(
            new SessionTableOptions { NewSessionsPerSecond = null, NewSessionsPerSecondPerPrefix = null })
        : null;

    private int _sessionCount;

    public override int? Sessions => _sessions is null ? null : Volatile.Read(ref _sessionCount);

    public override void OnTick(TimeSpan elapsed, SendBatch replies)
    {
        _page.Post();
        _sessions?.RemoveExpired();
        NoteSessions();
    }

    public override void OnStop(SendBatch replies)
    {
        _page.Post();
        base.OnStop(replies);
    }

    protected override int Handle(ReceiveBatch batch, SendBatch replies)
    {
        int counted = 0;
        _page.Begin(ArrivalNanoseconds);
        foreach (Datagram datagram in batch)
        {
            Span<byte> payload = datagram.Payload;
            if (!_page.Add(payload)) continue;
            Visit(payload);
            if (_sessions is not null) CountPeer(_sessions, datagram.Peer);
            counted++;
        }

        _page.PostIfDue();
        NoteSessions();
        return counted;
    }

    private static void CountPeer(SessionTable<long> sessions, in UdpEndPoint peer)
    {
        if (sessions.TryGet(peer, out SessionRef<long> session)
            || sessions.GetOrAdmit(peer, out session) == SessionAdmission.Admitted)
        {
            session.Value++;
        }
    }

    private void NoteSessions()
    {
        if (_sessions is not null) Volatile.Write(ref _sessionCount, _sessions.Count);
    }
}

/// <summary>Receives datagrams, does the work for each, and sends nothing.</summary>
internal sealed class DiscardHandler(UdpShard shard, ServeOptions options, ServeLimit limit, TimeProvider time)
    : AppHandler(shard, options, limit, time)
{
    protected override int Handle(ReceiveBatch batch, SendBatch replies)
    {
        foreach (Datagram datagram in batch) Visit(datagram.Payload);
        return batch.Count;
    }
}

/// <summary>What one handler has counted. Only its thread writes; any thread may read.</summary>
internal sealed class ServeCounters
{
    private readonly CallCounters _calls = new();
    private long _bytes;
    private long _firstTicks;
    private long _lastTicks;
    private long _unanswered;
    private long _wornOut;
    private long _withheld;
    private long _announcements;
    private int _minBytes = int.MaxValue;
    private int _maxBytes = -1;

    public CallCounters Calls => _calls;

    public long Bytes => Volatile.Read(ref _bytes);

    public int MinBytes => Volatile.Read(ref _minBytes);

    public int MaxBytes => Volatile.Read(ref _maxBytes);

    /// <summary>Time stamp of the first call; 0 before it.</summary>
    public long FirstTicks => Volatile.Read(ref _firstTicks);

    public long LastTicks => Volatile.Read(ref _lastTicks);

    /// <summary>Datagrams that the application had reason not to answer or forward because of their peer.</summary>
    public long Unanswered => Volatile.Read(ref _unanswered);

    public long WornOut => Volatile.Read(ref _wornOut);

    public long Withheld => Volatile.Read(ref _withheld);

    /// <summary>Announcements of an end that were forwarded.</summary>
    public long Announcements => Volatile.Read(ref _announcements);

    public void CountCall(int datagrams, long bytes, int minBytes, int maxBytes, long nowTicks)
    {
        if (_calls.Calls == 0) Volatile.Write(ref _firstTicks, nowTicks);
        Volatile.Write(ref _lastTicks, nowTicks);
        Volatile.Write(ref _bytes, _bytes + bytes);
        if (minBytes < _minBytes) Volatile.Write(ref _minBytes, minBytes);
        if (maxBytes > _maxBytes) Volatile.Write(ref _maxBytes, maxBytes);
        _calls.Count(datagrams);
    }

    public void CountAnnouncement() => Volatile.Write(ref _announcements, _announcements + 1);

    public void CountUnanswered() => Volatile.Write(ref _unanswered, _unanswered + 1);

    public void CountWornOut() => Volatile.Write(ref _wornOut, _wornOut + 1);

    public void CountWithheld() => Volatile.Write(ref _withheld, _withheld + 1);
}
