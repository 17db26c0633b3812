using System.Net;
using Spate.Cli.Traffic;
using Spate.HostTuning.Reading.Usage;
using Spate.Serving;

namespace Spate.Cli.Bench.Targets;

/// <summary>Answers or forwards each datagram, on a thread of its own or on the pool, until it is disposed.</summary>
internal abstract class BenchServer : IDisposable
{
    public abstract IPEndPoint LocalEndPoint { get; }

    /// <summary>That of the server's own threads; null on the pool, and where the system does not tell.</summary>
    public virtual long? CpuNanoseconds => null;

    public abstract void Dispose();
}

/// <summary>The library's server with one shard. Replies leave from the memory that datagrams came into.</summary>
internal sealed class SpateServer : BenchServer
{
    private readonly UdpServer _server;

    /// <param name="destination">Receives every datagram; null sends each one back to its peer.</param>
    public SpateServer(
        int? cpu,
        IPEndPoint? destination = null,
        UdpServerWait wait = UdpServerWait.Automatic,
        UdpSocketOptions? socket = null)
    {
        UdpEndPoint next = destination is null ? default : UdpEndPoint.FromIPEndPoint(destination);
        var options = new UdpServerOptions
        {
            LocalEndPoints = [UdpEndPoint.Loopback(0)],
            ThreadCount = 1,
            Wait = wait,
            Cpus = cpu is int index ? [index] : [],
            Socket = socket ?? new UdpSocketOptions(),
        };
        _server = UdpServer.Start(
            options, shard => destination is null ? new Echo() : new Forwarder(shard, next));
    }

    public override IPEndPoint LocalEndPoint => _server.LocalEndPoints[0].ToIPEndPoint();

    public override long? CpuNanoseconds => ServerClock.ReadNanoseconds(_server);

    public override void Dispose() => _server.Dispose();

    private sealed class Echo : UdpHandler
    {
        public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
        {
            foreach (Datagram datagram in batch) replies.TryForward(datagram, datagram.Peer);
        }
    }

    private sealed class Forwarder(UdpShard shard, UdpEndPoint next) : UdpHandler
    {
        public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
        {
            foreach (Datagram datagram in batch) shard.Forward(datagram, next, default, replies);
        }
    }
}

/// <summary>Reads the CPU time of a server's threads from another thread.</summary>
internal static class ServerClock
{
    /// <summary>Null if the time of one thread cannot be read.</summary>
    public static long? ReadNanoseconds(UdpServer server)
    {
        long? sum = 0;
        foreach (UdpThreadStatistics thread in server.GetStatistics().Threads)
        {
            sum += ThreadMeter.ReadCpuNanoseconds(thread.SystemThreadId ?? 0);
        }

        return sum;
    }
}
