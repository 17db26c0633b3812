using System.Diagnostics;
using Spate.Cli.Shell;
using Spate.HostTuning.Counters;
using Spate.HostTuning.Reading.Usage;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;
using Spate.Serving;

namespace Spate.Cli.Bench.Designs;

/// <summary>Runs one row for one round, and reads all counts while the server's threads still run.</summary>
internal sealed class DesignRound(
    DesignOptions options,
    DesignTarget target,
    int threadCount,
    int workRounds,
    CancellationToken cancellationToken)
{
    private static readonly TimeSpan StopGrace = TimeSpan.FromSeconds(10);

    // A handler may take this long for one batch with the most work per datagram.
    private static readonly TimeSpan MaxQuiet = TimeSpan.FromMilliseconds(400);

    // The kernel adds a thread's last CPU time when the thread goes to sleep, so the round waits for that.
    private const int SettleMilliseconds = 2;

    private readonly CountingHandler[] _handlers = new CountingHandler[threadCount];

    /// <summary>What is not sent within <paramref name="sending"/> is left out.</summary>
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
            return Measure(server, generator, (2 * sending) + MaxQuiet);
        }
        catch (InvalidOperationException e)
        {
            throw new BenchException(PrintableText.OneLine(e.Message), e);
        }
        finally
        {
            // The datagrams that are not handled yet are already counted as missing.
            _ = server?.StopAsync(TimeSpan.Zero).Wait(StopGrace);
        }
    }

    private DesignMeasurement Measure(UdpServer server, DesignGenerator generator, TimeSpan maxTime)
    {
        // This row must not pay for first calls, nor for the garbage of earlier rows.
        Prime(server, generator);
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
        Array.ForEach(_handlers, static handler => handler.BeginMeasuring());
        UdpServerStatistics before = server.GetStatistics();
        using var gauges = new ThreadGauges(before.Threads.Select(static thread => thread.SystemThreadId ?? 0));
        var hostBefore = SystemCounts.Read();
        long allocatedBefore = GC.GetTotalAllocatedBytes(precise: true);
        generator.Start();
        long lastProgress = WaitForEnd(generator, maxTime);
        Thread.Sleep(SettleMilliseconds);
        long allocated = GC.GetTotalAllocatedBytes(precise: true) - allocatedBefore;
        SystemCounts hostUse = SystemCounts.Read() - hostBefore;
        ThreadUse[] uses = gauges.Read();
        string?[] allowed = gauges.ReadAllowedCpuLists();
        if (generator.Failure is Exception failure)
        {
            throw new BenchException(PrintableText.OneLine(failure.Message), failure);
        }
        var memory = MemoryUsage.Read();
        UdpServerStatistics statistics = server.GetStatistics();
        List<DesignThreadRow> rows = [.. statistics.Threads.Select(
            (thread, i) => RowOf(thread, before.Threads[i], uses[i]) with { AllowedCpuList = allowed[i] })];
        CheckSum(generator);
        return new DesignMeasurement
        {
            Sent = generator.Sent,
            Handled = Handled,
            KernelDrops = statistics.Sockets.KernelDrops,
            BacklogDrops = hostUse.BacklogDrops,
            HostUdpErrors = hostUse.UdpErrors,
            Refused = generator.Refused,
            Elapsed = Stopwatch.GetElapsedTime(generator.StartTicks, lastProgress),
            Sending = generator.Sending,
            GeneratorCpuNanoseconds = generator.CpuNanoseconds,
            ServerCpuNanoseconds = rows.Aggregate((long?)0, static (sum, thread) => sum + thread.CpuNanoseconds),
            AllocatedBytes = allocated,
            Interrupts = hostUse.Interrupts,
            LockedBytes = memory.LockedBytes,
            NonPagedPoolBytes = memory.NonPagedPoolBytes,
            BufferGrantedBytes = server.ReceiveBufferBytes,
            Backend = server.Backend,
            GsoFallbacks = generator.GsoFallbacks,
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
        Design = target.Design.Kind,
        ThreadCount = threadCount,
        Cpus = options.ServerCpus,
        Wait = target.Design.Wait ?? UdpServerWait.Automatic,
        Socket = new UdpSocketOptions
        {
            Backend = target.Design.Backend ?? UdpBackend.Automatic,
            CoalescedReceive = target.IsCoalesced,
            ReceiveBufferBytes = target.Design.Kind == UdpServerDesign.Sharded
                ? Math.Max(4096, options.BufferBytes / threadCount)
                : options.BufferBytes,
        },
    };

    private CountingHandler MakeHandler(UdpShard shard) =>
        _handlers[shard.Index] = new CountingHandler(workRounds);

    /// <summary>Uses every flow, and every batch between threads, once: each allocates at its first use.</summary>
    private void Prime(UdpServer server, DesignGenerator generator)
    {
        int count = Math.Max(options.FlowCount ?? threadCount, 2 * (server.GetStatistics().Threads.Count + 2));
        for (int i = 0; i < count; i++)
        {
            long before = Handled;
            generator.SendPrimer(i);
            long start = Stopwatch.GetTimestamp();
            while (Handled == before && Stopwatch.GetElapsedTime(start) < MaxQuiet)
            {
                _ = Thread.Yield();
            }
            if (Handled == before) throw new BenchException("no datagram arrived over the loopback interface");
        }
    }

    private DesignThreadRow RowOf(in UdpThreadStatistics after, in UdpThreadStatistics before, in ThreadUse use)
    {
        CountingHandler[] handlers = after.ShardIndex is { } index ? [_handlers[index]] : _handlers;
        long datagrams = after.Datagrams - before.Datagrams;
        long calls = after.Calls - before.Calls;
        return new DesignThreadRow
        {
            IsReceiver = after.ShardIndex is null,
            Datagrams = datagrams,
            Calls = calls,
            LeastPerCall = handlers.Where(static handler => handler.Calls > 0)
                .Select(static handler => handler.LeastPerCall).DefaultIfEmpty().Min(),
            MeanPerCall = Statistics.Ratio(datagrams, calls),
            MostPerCall = handlers.Max(static handler => handler.MostPerCall),
            CpuNanoseconds = use.Usage.CpuNanoseconds,
            UserNanoseconds = use.Times.UserNanoseconds,
            SystemNanoseconds = use.Times.SystemNanoseconds,
            VoluntarySwitches = use.Usage.VoluntarySwitches,
            InvoluntarySwitches = use.Usage.InvoluntarySwitches,
            Cycles = use.Usage.Cycles,
            SystemThreadId = after.SystemThreadId,
        };
    }

    /// <summary>Returns when the last datagram was seen to be handled, in ticks of <see cref="Stopwatch"/>.</summary>
    private long WaitForEnd(DesignGenerator generator, TimeSpan maxTime)
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
            else if (isSent && Stopwatch.GetElapsedTime(lastProgress, now) > MaxQuiet)
            {
                break;
            }
            if (Stopwatch.GetElapsedTime(start, now) > maxTime)
            {
                throw new BenchException(
                    $"{generator.Sent - handled} datagrams were not handled after {maxTime.TotalSeconds:0.#} s; "
                    + "allow more time, or use less work");
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
            throw new BenchException("its handlers received datagrams that the generator did not send");
        }
    }
}

/// <summary>The counts of one row in one round. A figure that the system does not tell is null.</summary>
internal sealed record DesignMeasurement
{
    /// <summary>Datagrams that the system accepted from the generator.</summary>
    public required long Sent { get; init; }

    public required long Handled { get; init; }

    /// <summary>Datagrams dropped at the server's sockets. With coalescing the kernel counts buffers instead.</summary>
    public required long? KernelDrops { get; init; }

    /// <summary>Datagrams that the whole system dropped before its sockets.</summary>
    public required long? BacklogDrops { get; init; }

    /// <summary>Datagrams that the UDP of the whole host could not deliver, for all programs.</summary>
    public long? HostUdpErrors { get; init; }

    public required long Refused { get; init; }

    /// <summary>The time from the first datagram sent to the last one handled.</summary>
    public required TimeSpan Elapsed { get; init; }

    public required TimeSpan Sending { get; init; }

    public required long? GeneratorCpuNanoseconds { get; init; }

    public required long? ServerCpuNanoseconds { get; init; }

    /// <summary>Bytes that the whole process allocated during the round.</summary>
    public required long AllocatedBytes { get; init; }

    /// <summary>Interrupts of the whole system during the round.</summary>
    public required long? Interrupts { get; init; }

    /// <summary>Bytes of the process's memory that cannot be paged out.</summary>
    public required long? LockedBytes { get; init; }

    /// <summary>Bytes of the kernel's non-paged pool that are charged to the process.</summary>
    public long? NonPagedPoolBytes { get; init; }

    /// <summary>The receive buffer that the system granted to one socket, in bytes.</summary>
    public required long BufferGrantedBytes { get; init; }

    public required UdpBackend Backend { get; init; }

    public required long GsoFallbacks { get; init; }

    /// <summary>The server's threads. A thread that receives for others comes first.</summary>
    public required IReadOnlyList<DesignThreadRow> Threads { get; init; }

    public double DatagramsPerSecond => Statistics.Ratio(Handled, Elapsed.TotalSeconds);

    public double? NanosecondsPerDatagram =>
        ServerCpuNanoseconds is long cpu ? Statistics.Ratio(cpu, Handled) : null;

    public double? GeneratorNanosecondsPerDatagram =>
        GeneratorCpuNanoseconds is long cpu ? Statistics.Ratio(cpu, Sent) : null;

    public double AllocatedBytesPerDatagram => Statistics.Ratio(AllocatedBytes, Handled);

    public double? InterruptsPerSecond =>
        Interrupts is long interrupts ? Statistics.Ratio(interrupts, Elapsed.TotalSeconds) : null;
}
