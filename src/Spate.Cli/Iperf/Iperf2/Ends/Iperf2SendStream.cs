using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf2.Ends;

/// <summary>The numbered datagrams of one flow of a client.</summary>
internal sealed class Iperf2SendStream(
    Iperf2ClientOptions options, Iperf2Settings settings, ulong id, long wallOffsetNanoseconds)
    : SendStream(options.Server, isConnected: true, options.Size, id)
{
    /// <summary>Writes a datagram that ends the flow; each copy has the same number, so that the total stays.</summary>
    public void WriteEnd(Span<byte> payload, long nowNanoseconds) =>
        WriteHeader(payload, -(NextSequence + 1), nowNanoseconds);

    // The flow is ended when its thread is done, and answered.
    public override void FillEnd(SendBatch batch, long nowNanoseconds)
    {
    }

    protected override void Write(Span<byte> payload, long sequence, long sentNanoseconds) =>
        WriteHeader(payload, sequence + 1, sentNanoseconds);

    private void WriteHeader(Span<byte> payload, long number, long nowNanoseconds)
    {
        new Iperf2Header(number, nowNanoseconds + wallOffsetNanoseconds).Write(payload);
        settings.Write(payload);
    }
}
