using System.Buffers.Binary;
using System.Net;
using Spate.Cli.Shell;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Relay;

/// <summary>Receives the relayed datagrams, counts them, and checks whether their numbers rise.</summary>
internal sealed class RelaySink : IDisposable
{
    private static readonly TimeSpan StopPoll = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(3);

    private readonly UdpSocket _socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
    private readonly BenchThread _thread;
    private long _received;
    private volatile bool _stopping;

    public RelaySink(int? cpu)
    {
        _thread = new BenchThread("bench relay sink", cpu, Run);
        _thread.Start();
    }

    public IPEndPoint LocalEndPoint => _socket.LocalEndPoint.ToIPEndPoint();

    /// <summary>Any thread may read it.</summary>
    public long Received => Volatile.Read(ref _received);

    /// <summary>Those numbered not above all earlier ones. Known after <see cref="Stop"/>.</summary>
    public long Reordered { get; private set; }

    public long? CpuNanoseconds => _thread.CpuNanosecondsSoFar;

    /// <summary>Throws if the thread failed or did not end.</summary>
    public void Stop()
    {
        _stopping = true;
        if (_thread.Join(Grace) && _thread.Failure is null) return;
        throw new BenchException("The sink failed: "
            + PrintableText.OneLine(_thread.Failure?.Message ?? "a call to the system hangs"));
    }

    public void Dispose()
    {
        _stopping = true;
        _socket.Dispose();
        _ = _thread.Join(Grace);
    }

    private void Run()
    {
        using ReceiveBatch batch = _socket.CreateReceiveBatch();
        ulong next = 0;
        while (!_stopping)
        {
            ReceiveStatus status = _socket.Receive(batch, StopPoll);
            if (status == ReceiveStatus.Closed) return;
            if (status != ReceiveStatus.Received) continue;
            foreach (Datagram datagram in batch)
            {
                if (!BinaryPrimitives.TryReadUInt64LittleEndian(datagram.Payload, out ulong sequence)) continue;
                if (sequence < next) Reordered++;
                else next = sequence + 1;
            }
            Volatile.Write(ref _received, _received + batch.Count);
        }
    }
}
