using System.Diagnostics;
using Spate.HostTuning.Usage;
using Spate.Measurement.Arithmetic;
using Spate.Serving;

namespace Spate.Measurement.Bench.Designs;

/// <summary>
/// One row for one round: starts the server, then the generator, waits until every datagram is handled or nothing
/// moves any more, and reads all counts while the server's threads still live.
/// </summary>
internal sealed class DesignRound(
    DesignOptions options,
    DesignTarget target,
    int threadCount,
    int workRounds,
    CancellationToken cancellationToken)
{
    private static readonly TimeSpan StopGrace = TimeSpan.FromSeconds(10);

    // A call that is stuck in one batch of the longest work per datagram may take this long.
    private static readonly TimeSpan QuietMeansEnd = TimeSpan.FromMilliseconds(400);

    // The threads' last slice is accounted for when they have gone to sleep.
    private const int SettleMilliseconds = 2;

    private readonly CountingHandler[] _handlers = new CountingHandler[threadCount];

    /// <summary>Measures the row.</summary>
    /// <param name="count">Datagrams to send.</param>
    /// <param name="sending">How long sending may take: what could not be sent by then is not.</param>
    /// <param name="generatorCpu">The generator's CPU; null for any.</param>
    /// <exception cref="BenchException">The server or the generator failed, or counts contradict.</exception>
    public DesignMeasurement Measure(long count, TimeSpan sending, int? generatorCpu)
    {
        UdpServer? server = null;
        try
        {
            server = UdpServer.Start(ServerOptions(), MakeHandler);
            using var generator = new DesignGenerator(
                server.LocalEndPoints[0],
                count,
                sending,
                options,
                options.FlowCount ?? threadCount,
                generatorCpu,
                target.IsCoalesced);
            return Measure(server, generator, (2 * sending) + QuietMeansEnd);
        }
        catch (InvalidOperationException e)
        {
            throw new BenchException(BenchText.OneLine(e.Message), e);
        }
        finally
        {
            // What was not handled by now is counted already.
            _ = server?.StopAsync(TimeSpan.Zero).Wait(StopGrace);
        }
    }

    private DesignMeasurement Measure(UdpServer server, DesignGenerator generator, TimeSpan longest)
    {
        using var threads = new ServerThreadMeters(server);

        // What earlier rows left behind is not this row's, nor what the first call of each kind needs.
        Prime(server, generator);
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
        Array.ForEach(_handlers, static handler => handler.BeginMeasuring());
        UdpServerStatistics before = server.GetStatistics();
        var hostBefore = SystemCounts.Read();
        ThreadUsage[] usageBefore = threads.Read();
        long allocatedBefore = GC.GetTotalAllocatedBytes(precise: true);
        generator.Start();
        long lastProgress = WaitForEnd(generator, longest);
        Thread.Sleep(SettleMilliseconds);
        long allocated = GC.GetTotalAllocatedBytes(precise: true) - allocatedBefore;
        SystemCounts hostUse = SystemCounts.Read() - hostBefore;
        ThreadUsage[] usage = threads.Read();
        if (generator.Failure is Exception failure)
        {
            throw new BenchException(BenchText.OneLine(failure.Message), failure);
        }
        UdpServerStatistics statistics = server.GetStatistics();
        List<DesignThreadRow> rows = [.. statistics.Threads.Select(
            (thread, i) => RowOf(thread, before.Threads[i], usage[i] - usageBefore[i]))];
        CheckSum(generator);
        return new DesignMeasurement
        {
            Sent = generator.Sent,
            Handled = Handled,
            KernelDrops = statistics.Sockets.KernelDrops is >= 0 and long drops ? drops : null,
            BacklogDrops = hostUse.BacklogDrops,
            Refused = generator.Refused,
            Elapsed = Stopwatch.GetElapsedTime(generator.StartTicks, lastProgress),
            Sending = generator.Sending,
            GeneratorCpuNanoseconds = generator.CpuNanoseconds,
            ServerCpuNanoseconds = rows.Aggregate((long?)0, static (sum, thread) => sum + thread.CpuNanoseconds),
            AllocatedBytes = allocated,
            Interrupts = hostUse.Interrupts,
            LockedBytes = MemoryUsage.Read().LockedBytes,
            BufferGrantedBytes = server.ReceiveBufferBytes,
            Backend = server.Backend,
            Demotions = generator.Demotions,
            Threads = rows,
        };
    }

    private long Handled
    {
        get
        {
            long handled = 0;
            foreach (CountingHandler handler in _handlers)
            {
                handled += handler.Datagrams;
            }
            return handled;
        }
    }

    private UdpServerOptions ServerOptions() => new()
    {
        LocalEndPoints = [UdpEndPoint.Loopback(0)],
        Design = target.Design,
        ThreadCount = threadCount,
        CpuIndexes = options.ServerCpus,
        Receive = new ReceiveBatchOptions { SlotBytes = options.SizeBytes <= 2048 ? null : options.SizeBytes },
        Socket = new UdpSocketOptions
        {
            CoalescedReceive = target.IsCoalesced,
            ReceiveBufferBytes = target.Design == UdpServerDesign.Sharded
                ? Math.Max(4096, options.BufferBytes / threadCount)
                : options.BufferBytes,
        },
    };

    private CountingHandler MakeHandler(UdpShard shard) =>
        _handlers[shard.Index] = new CountingHandler(workRounds);

    /// <summary>
    /// Sends datagrams one at a time, until every flow and every batch between threads was used once: what they
    /// allocate for the system's calls they allocate then.
    /// </summary>
    private void Prime(UdpServer server, DesignGenerator generator)
    {
        int count = Math.Max(options.FlowCount ?? threadCount, 2 * (server.GetStatistics().Threads.Count + 2));
        for (int i = 0; i < count; i++)
        {
            long before = Handled;
            generator.SendPrimer(i);
            long start = Stopwatch.GetTimestamp();
            while (Handled == before && Stopwatch.GetElapsedTime(start) < QuietMeansEnd)
            {
                _ = Thread.Yield();
            }
            if (Handled == before) throw new BenchException("no datagram came through the loopback interface");
        }
    }

    private DesignThreadRow RowOf(in UdpThreadStatistics after, in UdpThreadStatistics before, in ThreadUsage usage)
    {
        bool isReceiver = after.ShardIndex < 0;
        CountingHandler[] handlers = isReceiver ? _handlers : [_handlers[after.ShardIndex]];
        long datagrams = after.Datagrams - before.Datagrams;
        long calls = after.Calls - before.Calls;
        return new DesignThreadRow
        {
            IsReceiver = isReceiver,
            Datagrams = datagrams,
            Calls = calls,
            LeastPerCall = handlers.Where(static handler => handler.Calls > 0)
                .Select(static handler => handler.LeastPerCall).DefaultIfEmpty().Min(),
            MeanPerCall = Statistics.Ratio(datagrams, calls),
            MostPerCall = handlers.Max(static handler => handler.MostPerCall),
            VoluntarySwitches = usage.VoluntarySwitches,
            InvoluntarySwitches = usage.InvoluntarySwitches,
            CpuNanoseconds = usage.CpuNanoseconds,
        };
    }

    /// <summary>When the last datagram was seen to be handled, as <see cref="Stopwatch"/> counts.</summary>
    private long WaitForEnd(DesignGenerator generator, TimeSpan longest)
    {
        long start = Stopwatch.GetTimestamp();
        long lastProgress = start;
        long seen = 0;
        bool isSent = false;
        while (!(isSent && seen >= generator.Sent))
        {
            cancellationToken.ThrowIfCancellationRequested();
            isSent = isSent || generator.Join(TimeSpan.Zero);
            Thread.Sleep(1);
            long handled = Handled;
            long now = Stopwatch.GetTimestamp();
            if (handled != seen)
            {
                seen = handled;
                lastProgress = now;
            }
            else if (isSent && Stopwatch.GetElapsedTime(lastProgress, now) > QuietMeansEnd)
            {
                break;
            }
            if (Stopwatch.GetElapsedTime(start, now) > longest)
            {
                throw new BenchException(
                    $"{generator.Sent - handled} datagrams were not handled after {longest.TotalSeconds:0.#} s; "
                    + "allow a longer time, or name less work");
            }
        }
        return lastProgress;
    }

    private void CheckSum(DesignGenerator generator)
    {
        long sum = _handlers.Sum(static handler => handler.NumberSum);
        GC.KeepAlive(_handlers.Sum(static handler => (long)handler.WorkState));
        bool isComplete = Handled == generator.Sent && generator.Refused == 0;
        if (Handled > generator.Sent || (isComplete && sum != generator.NumberSum))
        {
            throw new BenchException("its handlers were given other datagrams than were sent");
        }
    }
}
