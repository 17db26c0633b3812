using Spate.Measurement.Counting;

namespace Spate.Measurement.Traffic;

/// <summary>Accounts for datagrams that carry a <see cref="TestDatagram"/>.</summary>
internal sealed class TestReceiveFlow(
    int index,
    UdpSocket socket,
    DatagramLimit limit,
    TimeSpan? duration,
    TimeProvider time,
    StreamLedger ledger)
    : ReceiveFlow(index, socket, limit, duration, time, ledger)
{
    private readonly BatchCounts _page = new(ledger);

    /// <summary>From datagram 0 on. Other ids are a stranger's and get no memory of their own.</summary>
    public static TestReceiveFlow OfStream(
        int index, UdpSocket socket, ulong streamId, AccountingOptions accounting, TimeProvider time)
    {
        var ledger = new StreamLedger(capacity: 1, options: accounting);
        _ = ledger.TryBegin(streamId, first: 0);
        return new TestReceiveFlow(index, socket, new DatagramLimit(datagramCount: null), duration: null, time, ledger);
    }

    protected override BatchSum Account(ReceiveBatch batch, long arrivalNanoseconds)
    {
        _page.Begin(arrivalNanoseconds);
        var sum = new BatchSum();
        foreach (Datagram datagram in batch)
        {
            ReadOnlySpan<byte> payload = datagram.Payload;
            if (!IsLimitReached && _page.Add(payload) && TryTake()) sum.Add(payload.Length);
        }

        _page.Post();
        return sum;
    }
}

/// <summary>Looks at the peer, the length and the first byte of each, the least that any program does.</summary>
internal sealed class VisitingFlow(
    int index, UdpSocket socket, DatagramLimit limit, TimeSpan? duration, TimeProvider time)
    : ReceiveFlow(index, socket, limit, duration, time, ledger: null)
{
    private uint _visited;

    /// <summary>The result of the visits. It is readable so that they cannot be optimised away.</summary>
    public uint Visited => Volatile.Read(ref _visited);

    protected override BatchSum Account(ReceiveBatch batch, long arrivalNanoseconds)
    {
        var sum = new BatchSum();
        uint visited = 0;
        foreach (Datagram datagram in batch)
        {
            if (!TryTake()) break;
            ReadOnlySpan<byte> payload = datagram.Payload;
            visited += (uint)datagram.Peer.Port;
            if (payload.Length > 0) visited += payload[0];
            sum.Add(payload.Length);
        }

        Volatile.Write(ref _visited, _visited + visited);
        return sum;
    }
}
