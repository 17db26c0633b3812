using System.Diagnostics;
using Spate.Gateway;
using Spate.Gateway.Lifetime;
using Spate.Gateway.Packing;
using Spate.Gateway.Pipelines;
using Spate.Gateway.Publishing;
using Spate.Serving;

namespace Spate.Benchmarks;

/// <summary>
/// What packing costs: `pack [SIZE [PAIRS]]`. A server's thread drains a socket that was filled before, once looking at
/// each datagram's length and peer only, and once packing it as a gateway does, in turn (A B B A). Prints the medians
/// of the nanoseconds per datagram, the kernel's part included.
/// </summary>
internal static class PackRun
{
    private const int MaxDatagramCount = 65_536;
    private const int MaxPayloadBytes = 20 << 20;
    private const int BatchCount = 512;
    private const int BufferBytes = 256 << 20;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    public static async Task RunAsync(int payloadBytes, int pairCount)
    {
        UdpGatewayOptions options = new() { LocalEndPoints = [], Target = GatewayTarget.Discard };
        PackClock clock = new(TimeProvider.System);
        GatewayPipelines pipelines = new(PipelinePlan.Of(options, 1, clock), 1, _ => new NullLink(), null);
        await pipelines.ConnectAsync(TimeSpan.FromSeconds(1), CancellationToken.None);
        await using (pipelines)
        {
            TimedHandler? visiting = null, packing = null;
            await using UdpServer visitServer = Start(_ => visiting = new TimedHandler(new VisitHandler()));
            await using UdpServer packServer = Start(shard =>
            {
                pipelines[0].Open(shard.LocalEndPoints);
                PackHandlerOptions handlers = new(options, null, clock, TimeSpan.FromMilliseconds(10));
                return packing = new TimedHandler(new PackHandler(pipelines[0], shard, handlers));
            });
            pipelines.Start();
            using UdpSocket sender = UdpSocket.Bind(UdpEndPoint.Loopback(0));
            using SendBatch batch = sender.CreateSendBatch(new SendBatchOptions { Capacity = BatchCount });
            (TimedHandler, UdpEndPoint) visit = (visiting!, visitServer.LocalEndPoints[0]);
            (TimedHandler, UdpEndPoint) pack = (packing!, packServer.LocalEndPoints[0]);
            List<double> visits = [], packs = [];
            for (int pair = 0; pair <= pairCount; pair++)
            {
                bool isSwapped = pair % 2 == 1;
                double first = Measure(isSwapped ? pack : visit, sender, batch, payloadBytes);
                double second = Measure(isSwapped ? visit : pack, sender, batch, payloadBytes);
                if (pair == 0) continue;
                visits.Add(isSwapped ? second : first);
                packs.Add(isSwapped ? first : second);
            }

            int count = CountOf(payloadBytes);
            Console.WriteLine($"{payloadBytes} bytes, {pairCount} pairs of {count} datagrams, ns per datagram:");
            Console.WriteLine($"receive and visit {Median(visits):F1}");
            Console.WriteLine($"receive and pack  {Median(packs):F1}");
            Console.WriteLine($"packing more      {Median([.. packs.Zip(visits, (p, v) => p - v)]):F1}");
        }
    }

    private static UdpServer Start(Func<UdpShard, UdpHandler> handlers) => UdpServer.Start(
        new UdpServerOptions
        {
            LocalEndPoints = [UdpEndPoint.Loopback(0)],
            ThreadCount = 1,
            Socket = new UdpSocketOptions { ReceiveBufferBytes = BufferBytes },
        },
        handlers);

    // As many as the socket's buffer holds in any size.
    private static int CountOf(int payloadBytes) =>
        Math.Min(MaxDatagramCount, MaxPayloadBytes / payloadBytes / BatchCount * BatchCount);

    private static double Measure(
        (TimedHandler Handler, UdpEndPoint Address) server, UdpSocket sender, SendBatch batch, int payloadBytes)
    {
        // One datagram alone leads the thread into the gate; the others wait in the socket until it opens.
        int count = CountOf(payloadBytes);
        server.Handler.Arm(count);
        Send(server.Address, sender, batch, 1, payloadBytes);
        server.Handler.WaitForEntry();
        for (int sent = 0; sent < count; sent += BatchCount)
        {
            Send(server.Address, sender, batch, BatchCount, payloadBytes);
        }

        return server.Handler.Time() / count;
    }

    private static void Send(UdpEndPoint to, UdpSocket sender, SendBatch batch, int count, int payloadBytes)
    {
        for (int i = 0; i < count; i++) _ = batch.TryReserve(to, payloadBytes, out _);
        if (!sender.Send(batch).AllSent) throw new InvalidOperationException("A datagram was not sent.");
    }

    private static double Median(List<double> values)
    {
        values.Sort();
        return values[values.Count / 2];
    }

    /// <summary>What a server that does nothing with its datagrams does with them.</summary>
    private sealed class VisitHandler : UdpHandler
    {
        public long Sum { get; private set; }

        public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
        {
            foreach (Datagram datagram in batch) Sum += datagram.Payload.Length + datagram.Peer.Port;
        }
    }

    /// <summary>Holds the thread until a socket is full, and times what it does then.</summary>
    private sealed class TimedHandler(UdpHandler inner) : UdpHandler
    {
        private readonly object _gate = new();
        private Phase _phase = Phase.Idle;
        private long _start;
        private long _end;
        private int _left;

        public void Arm(int count)
        {
            _left = count;
            Enter(Phase.Armed);
        }

        public void WaitForEntry() => WaitFor(Phase.Entered);

        public double Time()
        {
            Enter(Phase.Open);
            WaitFor(Phase.Idle);
            return Stopwatch.GetElapsedTime(_start, _end).TotalNanoseconds;
        }

        public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
        {
            inner.OnDatagrams(batch, replies);
            if (_phase == Phase.Armed)
            {
                Enter(Phase.Entered);
                WaitFor(Phase.Open);
                _start = Stopwatch.GetTimestamp();
                return;
            }

            _left -= batch.Count;
            if (_left > 0) return;
            _end = Stopwatch.GetTimestamp();
            Enter(Phase.Idle);
        }

        public override void OnTick(TimeSpan elapsed, SendBatch replies) => inner.OnTick(elapsed, replies);

        public override void OnStop(SendBatch replies) => inner.OnStop(replies);

        private void Enter(Phase phase)
        {
            lock (_gate)
            {
                _phase = phase;
                Monitor.PulseAll(_gate);
            }
        }

        private void WaitFor(Phase phase)
        {
            lock (_gate)
            {
                while (_phase != phase)
                {
                    if (Monitor.Wait(_gate, Patience)) continue;
                    throw new InvalidOperationException($"{_left} datagrams did not come.");
                }
            }
        }

        private enum Phase
        {
            Idle,
            Armed,
            Entered,
            Open,
        }
    }
}
