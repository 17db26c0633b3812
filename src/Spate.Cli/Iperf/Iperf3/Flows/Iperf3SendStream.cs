using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Flows;

/// <summary>Datagrams with iperf3's header. Its counter begins at 1.</summary>
internal sealed class Iperf3SendStream(UdpEndPoint peer, Iperf3Parameters parameters, ulong id)
    : SendStream(peer, isConnected: true, parameters.LengthBytes, id)
{
    private readonly bool _is64Bit = parameters.Counters64Bit;
    private readonly bool _repeats = parameters.RepeatingPayload;

    public override void Prepare(Span<byte> payload, Random random)
    {
        if (!_repeats)
        {
            base.Prepare(payload, random);
            return;
        }

        for (int i = 0; i < payload.Length; i++)
        {
            payload[i] = (byte)('0' + (i % 10));
        }
    }

    // The protocol has none: the control connection tells.
    public override void FillEnd(SendBatch batch, long nowNanoseconds)
    {
    }

    protected override void Write(Span<byte> payload, long sequence, long sentNanoseconds) =>
        Iperf3Datagram.Write(payload, sentNanoseconds, sequence + 1, _is64Bit);
}
