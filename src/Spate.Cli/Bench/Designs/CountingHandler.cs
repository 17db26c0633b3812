using System.Buffers.Binary;
using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Cli.Bench.Designs;

/// <summary>
/// The handler of every design, one per thread. It adds up the numbers of the datagrams, so that a lost one and a
/// duplicate cannot cancel each other out.
/// </summary>
internal sealed class CountingHandler(int workRounds) : UdpHandler
{
    private uint _workState = 1;
    private int _leastPerCall = int.MaxValue;
    private int _mostPerCall;
    private (long Datagrams, long Calls, long Checksum) _primed;

    /// <summary>Datagrams since <see cref="BeginMeasuring"/>.</summary>
    public long Datagrams => Counters.Datagrams - _primed.Datagrams;

    public long Calls => Counters.Calls - _primed.Calls;

    public long NumberSum => Counters.Checksum - _primed.Checksum;

    /// <summary>The fewest datagrams of a batch; 0 before the first batch.</summary>
    public int LeastPerCall => Calls == 0 ? 0 : Volatile.Read(ref _leastPerCall);

    public int MostPerCall => Volatile.Read(ref _mostPerCall);

    /// <summary>The result of the work. The bench reads it, so that the compiler cannot leave the work out.</summary>
    public uint WorkState => Volatile.Read(ref _workState);

    private BenchCounters Counters { get; } = new();

    /// <summary>Starts counting from zero. The measuring thread calls it while nothing arrives.</summary>
    public void BeginMeasuring()
    {
        _primed = (Counters.Datagrams, Counters.Calls, Counters.Checksum);
        Volatile.Write(ref _leastPerCall, int.MaxValue);
        Volatile.Write(ref _mostPerCall, 0);
    }

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
/// The number of a datagram: in the header of <see cref="TestDatagram"/> if it fits, else in 8 bytes.
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
