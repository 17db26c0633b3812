using System.Globalization;
using Spate.Measurement.Counting;

namespace Spate.Measurement.Traffic;

/// <summary>The numbered datagrams of one flow to one target, in the form of one protocol.</summary>
internal abstract class SendStream(UdpEndPoint peer, bool isConnected, int sizeBytes, ulong id)
{
    public UdpEndPoint Peer { get; } = isConnected ? default : peer;

    public ulong Id { get; } = id;

    public int SizeBytes { get; } = sizeBytes;

    /// <summary>The next datagram's number. Datagrams that the system refused have a number too.</summary>
    public long NextSequence { get; private set; }

    public long Sent { get; private set; }

    public virtual bool IsNumbered => true;

    /// <summary>All carry the time: of the send call, or at which they are to leave if timed.</summary>
    public void Fill(SendBatch batch, int datagramCount, long sentNanoseconds, bool isTimed)
    {
        SendControl control = isTimed ? new() { TransmitTimeMonotonicNanoseconds = sentNanoseconds } : default;
        for (int i = 0; i < datagramCount; i++)
        {
            bool isReserved = isTimed
                ? batch.TryReserve(Peer, control, SizeBytes, out Span<byte> payload)
                : batch.TryReserve(Peer, SizeBytes, out payload);
            if (!isReserved) throw new InvalidOperationException("The batch has less room than was asked for.");

            Write(payload, NextSequence++, sentNanoseconds);
        }
    }

    /// <summary>Fills a payload once, before the run. Each datagram then only changes the header.</summary>
    public virtual void Prepare(Span<byte> payload, Random random) => random.NextBytes(payload);

    /// <summary>Takes back the numbers of datagrams that were never tried; they were the last of their batch.</summary>
    public void TakeBack(int datagramCount) => NextSequence -= datagramCount;

    public void CountSent(int datagramCount) => Sent += datagramCount;

    /// <summary>Adds an announcement of the end to a batch, where the protocol has one.</summary>
    public abstract void FillEnd(SendBatch batch, long nowNanoseconds);

    public StreamReport ToReport() => new()
    {
        StreamId = Id.ToString("x16", CultureInfo.InvariantCulture),
        Datagrams = Sent,
        Bytes = Sent * SizeBytes,
        Ended = IsNumbered && NextSequence > 0,
    };

    /// <summary>Numbers a datagram in place; the rest of the payload stays as it is.</summary>
    protected abstract void Write(Span<byte> payload, long sequence, long sentNanoseconds);
}

/// <summary>Datagrams that carry a <see cref="TestDatagram"/>, where they have room for it.</summary>
internal sealed class TestSendStream(UdpEndPoint peer, bool isConnected, int sizeBytes, ulong id, bool checksums)
    : SendStream(peer, isConnected, sizeBytes, id)
{
    public override bool IsNumbered => SizeBytes >= TestDatagram.HeaderBytes;

    public override void FillEnd(SendBatch batch, long nowNanoseconds)
    {
        int headerBytes = checksums ? TestDatagram.ChecksummedHeaderBytes : TestDatagram.HeaderBytesOf(SizeBytes);
        if (!batch.TryReserve(Peer, headerBytes, out Span<byte> payload)) return;

        if (IsNumbered) TestDatagram.WriteEnd(payload, Id, NextSequence, nowNanoseconds);
        if (checksums) TestDatagram.WriteChecksum(payload);
        if (!IsNumbered) TestDatagram.WriteTotal(payload, Id, NextSequence);
    }

    protected override void Write(Span<byte> payload, long sequence, long sentNanoseconds)
    {
        if (IsNumbered) TestDatagram.WriteData(payload, Id, sequence, sentNanoseconds);
        if (checksums) TestDatagram.WriteChecksum(payload);
    }
}
