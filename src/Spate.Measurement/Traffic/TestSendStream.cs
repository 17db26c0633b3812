using Spate.Measurement.Counting;

namespace Spate.Measurement.Traffic;

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
