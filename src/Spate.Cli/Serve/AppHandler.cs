using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Cli.Serve;

/// <summary>What the handlers of all applications share: the counts, the work, and the thread's use of CPU.</summary>
internal abstract class AppHandler : UdpHandler, IDisposable
{
    private readonly ServeLimit _limit;
    private readonly TimeProvider _time;
    private readonly ThreadGauge _gauge = new();
    private readonly int _workRounds;
    private uint _workResult;
    private long _arrivalTicks;
    private long _bytes;
    private int _minBytes;
    private int _maxBytes;

    /// <summary>Must run on the shard's thread, whose CPU use the handler measures.</summary>
    protected AppHandler(UdpShard shard, int workRounds, ServeLimit limit, TimeProvider time)
    {
        Shard = shard;
        _workRounds = workRounds;
        _limit = limit;
        _time = time;
    }

    public UdpShard Shard { get; }

    public ServeCounters Counters { get; } = new();

    /// <summary>The number of peers with a session; null where none are kept. Any thread may read.</summary>
    public virtual int? Sessions => null;

    /// <summary>The result of the work. It is readable so that the work cannot be optimised away.</summary>
    public uint WorkResult => Volatile.Read(ref _workResult);

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

    protected void Forward(
        scoped in Datagram datagram, in UdpEndPoint destination, in SendControl control, SendBatch replies)
    {
        if (replies.TryForward(datagram, destination, control)) return;
        Shard.Flush(replies);
        if (!replies.TryForward(datagram, destination, control))
        {
            throw new InvalidOperationException("An empty reply batch has no room for a datagram.");
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
