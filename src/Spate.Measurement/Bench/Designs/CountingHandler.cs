using System.Buffers.Binary;
using Spate.Measurement.Accounting;
using Spate.Measurement.Serving;
using Spate.Serving;

namespace Spate.Measurement.Bench.Designs;

/// <summary>
/// What every design runs: counts the generator's datagrams, adds up their numbers, so that a lost one and a doubled
/// one cannot hide each other, and works as long for each as was asked. One per thread.
/// </summary>
internal sealed class CountingHandler(int workRounds) : UdpHandler
{
    private uint _workState = 1;
    private int _leastPerCall = int.MaxValue;
    private int _mostPerCall;
    private (long Datagrams, long Calls, long Checksum) _primed;

    /// <summary>Datagrams since <see cref="BeginMeasuring"/>.</summary>
    public long Datagrams => Counters.Datagrams - _primed.Datagrams;

    /// <summary>Batches that brought them.</summary>
    public long Calls => Counters.Calls - _primed.Calls;

    /// <summary>The sum of their numbers.</summary>
    public long NumberSum => Counters.Checksum - _primed.Checksum;

    /// <summary>The fewest in a batch; 0 before the first.</summary>
    public int LeastPerCall => Calls == 0 ? 0 : Volatile.Read(ref _leastPerCall);

    /// <summary>The most in a batch.</summary>
    public int MostPerCall => Volatile.Read(ref _mostPerCall);

    /// <summary>What the work came to; read so that it cannot be left out.</summary>
    public uint WorkState => Volatile.Read(ref _workState);

    private BenchCounters Counters { get; } = new();

    /// <summary>From now on it counts; for the measuring thread, while nothing arrives.</summary>
    public void BeginMeasuring()
    {
        _primed = (Counters.Datagrams, Counters.Calls, Counters.Checksum);
        Volatile.Write(ref _leastPerCall, int.MaxValue);
        Volatile.Write(ref _mostPerCall, 0);
    }

    /// <inheritdoc/>
    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        int datagrams = 0;
        long bytes = 0;
        long sum = 0;
        uint workState = _workState;
        foreach (Datagram datagram in batch)
        {
            ReadOnlySpan<byte> payload = datagram.Payload;
            if (!DatagramNumber.TryRead(payload, out long number)) continue;
            datagrams++;
            bytes += payload.Length;
            sum += number;
            if (workRounds > 0) workState = WorkLoad.Do(workRounds, workState + (uint)number);
        }
        Volatile.Write(ref _workState, workState);
        if (datagrams < _leastPerCall) Volatile.Write(ref _leastPerCall, datagrams);
        if (datagrams > _mostPerCall) Volatile.Write(ref _mostPerCall, datagrams);
        Counters.Add(datagrams, bytes, sum);
    }
}

/// <summary>
/// How the generator numbers its datagrams: with the header of <see cref="TestDatagram"/> where it fits, otherwise with
/// eight bytes.
/// </summary>
internal static class DatagramNumber
{
    public static void Write(Span<byte> payload, ulong streamId, long number)
    {
        if (payload.Length >= TestDatagram.HeaderBytes)
        {
            TestDatagram.WriteData(payload, streamId, number);
        }
        else
        {
            BinaryPrimitives.WriteInt64BigEndian(payload, number);
        }
    }

    public static bool TryRead(ReadOnlySpan<byte> payload, out long number)
    {
        if (payload.Length >= TestDatagram.HeaderBytes)
        {
            bool isOurs = TestDatagram.TryRead(payload, out TestDatagram datagram);
            number = datagram.Sequence;
            return isOurs && datagram.Kind == TestDatagramKind.Data;
        }
        return BinaryPrimitives.TryReadInt64BigEndian(payload, out number);
    }
}
