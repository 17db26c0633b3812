namespace Spate.Measurement.Traffic;

/// <summary>
/// Looks at the peer, the length and the first byte of each datagram, which is the least that any program does.
/// </summary>
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
