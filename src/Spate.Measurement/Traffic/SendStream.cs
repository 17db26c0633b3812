using System.Globalization;
using Spate.Measurement.Accounting;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Traffic;

/// <summary>The numbered datagrams of one flow to one target.</summary>
internal sealed class SendStream(
    UdpEndPoint peer, bool isConnected, int sizeBytes, ulong id, bool checksums)
{
    public UdpEndPoint Peer { get; } = isConnected ? default : peer;

    public ulong Id { get; } = id;

    /// <summary>The next datagram's number. Datagrams that the system refused have a number too.</summary>
    public long NextSequence { get; private set; }

    public long Sent { get; private set; }

    public bool IsNumbered => sizeBytes >= TestDatagram.HeaderBytes;

    /// <summary>Adds datagrams to a batch.</summary>
    /// <param name="batch">An empty batch with room for them.</param>
    /// <param name="datagramCount">The number of datagrams to add.</param>
    /// <param name="sentNanoseconds">
    /// The time of the send call, or the time at which they are to leave; all of them carry it.
    /// </param>
    /// <param name="isTimed">Whether they are to leave at that time, and not at once.</param>
    public void Fill(SendBatch batch, int datagramCount, long sentNanoseconds, bool isTimed)
    {
        SendControl control = isTimed ? new() { TransmitTime = sentNanoseconds } : default;
        for (int i = 0; i < datagramCount; i++)
        {
            bool isReserved = isTimed
                ? batch.TryReserve(Peer, control, sizeBytes, out Span<byte> payload)
                : batch.TryReserve(Peer, sizeBytes, out payload);
            if (!isReserved) throw new InvalidOperationException("The batch has less room than was asked for.");

            if (IsNumbered) TestDatagram.WriteData(payload, Id, NextSequence, sentNanoseconds);
            if (checksums) TestDatagram.WriteChecksum(payload);

            NextSequence++;
        }
    }

    /// <summary>Takes back the numbers of datagrams that were never tried; they were the last of their batch.</summary>
    public void TakeBack(int datagramCount) => NextSequence -= datagramCount;

    public void CountSent(int datagramCount) => Sent += datagramCount;

    public void FillEnd(SendBatch batch, long nowNanoseconds)
    {
        int headerBytes = checksums ? TestDatagram.ChecksummedHeaderBytes : TestDatagram.HeaderBytesOf(sizeBytes);
        if (batch.TryReserve(Peer, headerBytes, out Span<byte> payload))
        {
            if (IsNumbered) TestDatagram.WriteEnd(payload, Id, NextSequence, nowNanoseconds);
            if (checksums) TestDatagram.WriteChecksum(payload);
            if (!IsNumbered) TestDatagram.WriteTotal(payload, Id, NextSequence);
        }
    }

    public StreamReport ToReport() => new()
    {
        StreamId = Id.ToString("x16", CultureInfo.InvariantCulture),
        Datagrams = Sent,
        Bytes = Sent * sizeBytes,
        Ended = IsNumbered && NextSequence > 0,
    };
}
