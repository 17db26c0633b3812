using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Iperf.Iperf2.Ends;

/// <summary>Ends one flow of a client: asks until the server answers.</summary>
internal sealed class Iperf2Ending : IDisposable
{
    private readonly UdpSocket _socket;
    private readonly TimeProvider _time;
    private readonly ReceiveBatch _batch;
    private readonly byte[] _payload;
    private readonly Iperf2SendStream _stream;

    public Iperf2Ending(UdpSocket socket, Iperf2SendStream stream, TimeProvider time)
    {
        _socket = socket;
        _time = time;
        _stream = stream;

        _payload = new byte[BytesOf(stream.SizeBytes)];
        _batch = socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotBytes = 2048 });
    }

    public int Bytes => _payload.Length;

    public int Tries { get; private set; }

    public Iperf2ServerReport? Report { get; private set; }

    /// <summary>As long as an answer at least: iperf 2.1.8 does not answer what is shorter.</summary>
    public static int BytesOf(int sizeBytes) => Math.Max(sizeBytes, Iperf2Answer.Bytes);

    public void Ask()
    {
        Tries++;
        _stream.WriteEnd(_payload, _time.ToNanoseconds(_time.GetTimestamp()));
        _ = _socket.TrySend(_payload);
    }

    /// <summary>Waits for the answer until a time; looks once where that is over, whatever else keeps coming.</summary>
    public void Listen(long untilTicks)
    {
        TimeSpan left;
        do
        {
            left = _time.GetElapsedTime(_time.GetTimestamp(), untilTicks);
            var patience = TimeSpan.FromMilliseconds(Math.Ceiling(Math.Max(0, left.TotalMilliseconds)));
            if (_socket.Receive(_batch, patience) != ReceiveStatus.Received) return;

            foreach (Datagram datagram in _batch) Report ??= Iperf2Answer.Read(datagram.Payload);
        }
        while (Report is null && left > TimeSpan.Zero);
    }

    public void Dispose() => _batch.Dispose();
}
