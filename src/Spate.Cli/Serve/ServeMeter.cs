using Spate.HostTuning.Counters;
using Spate.HostTuning.Reading.Usage;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Counting;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Cli.Serve;

/// <summary>Takes the figures of a running server, interval by interval and as a whole.</summary>
internal sealed class ServeMeter : IDisposable
{
    private readonly UdpServer _server;
    private readonly ServerThreadMeter _threads;
    private readonly ServeLedgers _ledgers;
    private readonly TimeProvider _time;
    private readonly long _startTicks;
    private readonly SystemCounts _hostBefore = SystemCounts.Read();
    private readonly bool _keepsPeers;
    private readonly bool _spins;
    private ThreadIntervalReport[] _placedThreads;
    private long? _lockedBytes;
    private long? _nonPagedPoolBytes;
    private long? _kernelDropsAtEnd;
    private double _seconds;
    private double _cpuSecondsAtEnd;
    private Last _last;

    public ServeMeter(
        UdpServer server, List<AppHandler> handlers, ServeLedgers ledgers, TimeProvider time, ServeOptions options)
    {
        _spins = options.Wait == UdpServerWait.Spinning;
        Intervals = new IntervalMeter(
            options.ShowsAllCores,
            options.Interval,
            time,
            server.LocalEndPoints.Select(static local => (local, default(UdpEndPoint))));
        _server = server;
        _ledgers = ledgers;
        _time = time;
        _threads = new ServerThreadMeter(server, handlers);
        _placedThreads = _threads.Read();
        _keepsPeers = server.Shards[0].KeepsPeers;
        _startTicks = time.GetTimestamp();
        NoteMemory();
    }

    private readonly record struct Last(
        double Seconds, long Datagrams, long Bytes, long? Lost, long? KernelDrops);

    public IntervalMeter Intervals { get; }

    public void Look() => Intervals.Look(_threads.Datagrams, () => TakePlaces(_threads.Read()));

    public ServeInterval TakeInterval() => ReadInterval(
        _time.GetElapsedTime(_startTicks).TotalSeconds,
        Intervals.Cpu.Total,
        _server.GetStatistics().Sockets.KernelDrops);

    /// <summary>
    /// Whether more ICMP errors came back than announcements of an end were forwarded. A receiver that has all
    /// datagrams may be gone when an announcement arrives, so that error is expected.
    /// </summary>
    public bool HasMetClosedPort(int destinationCount) =>
        _server.GetStatistics().Sockets.IcmpErrors > _threads.Sum(static one => one.Announcements) * destinationCount;

    /// <summary>The rest of the run, up to <see cref="Stop"/>.</summary>
    public ServeInterval TakeLastInterval() => ReadInterval(_seconds, _cpuSecondsAtEnd, _kernelDropsAtEnd);

    /// <summary>
    /// Stops the server. Before that, reads all that is known only while the server runs or that must not include its
    /// end.
    /// </summary>
    public void Stop(Action stop, ServeReport report)
    {
        NoteMemory();
        _seconds = _time.GetElapsedTime(_startTicks).TotalSeconds;
        _cpuSecondsAtEnd = Intervals.Cpu.Total;
        SystemCounts host = SystemCounts.Read() - _hostBefore;
        report.InterruptsPerSecond = host.Interrupts is { } interrupts
            ? Statistics.Ratio(interrupts, _seconds)
            : null;
        (report.HostUdpReceived, report.HostUdpErrors, report.HostUdpNoPorts) =
            (host.UdpReceived, host.UdpErrors, host.UdpNoPorts);
        report.Ports = [.. _server.LocalEndPoints.Select(static endPoint => endPoint.Port).Distinct()];
        report.Backend = NameText.Of(_server.Backend);
        report.Offloads = OffloadsOf(_server, report.App);
        report.Spins = _spins;
        _ = _threads.Report(); // the thread that receives for others cannot be read once it has ended
        _kernelDropsAtEnd = _server.GetStatistics().Sockets.KernelDrops;
        stop();
        Intervals.FillProcess(report);
    }

    public void Fill(ServeReport report)
    {
        report.Datagrams = _threads.Datagrams;
        report.Bytes = _threads.Bytes;
        report.SizeBytes = _threads.CommonSizeBytes;
        report.Seconds = _threads.Seconds(_time) ?? _seconds;
        report.WornOut = _threads.Sum(static one => one.WornOut);
        report.AnswersWithheld = _threads.Sum(static one => one.Withheld);
        report.Unanswered = _threads.Sum(static one => one.Unanswered) + report.WornOut + report.AnswersWithheld;
        report.Threads = _threads.Report();
        Intervals.FillEnd(report, TakePlaces(_threads.Read()));
        SetTotals(report, _ledgers.Totals);

        UdpServerStatistics statistics = _server.GetStatistics();
        foreach (UdpThreadStatistics thread in statistics.Threads)
        {
            report.Sent += thread.RepliesSent;
            report.Refused += thread.RepliesRefused;
            report.SendDropped += thread.RepliesDropped;
            report.HandlerFaults += thread.HandlerFaults;
            report.DatagramsFaulted += thread.DatagramsFaulted;
        }

        UdpCounters sockets = statistics.Sockets;
        report.Calls = sockets.ReceiveCalls;
        report.GsoFallbacks = sockets.GsoFallbacks;
        report.BufferGrantedBytes = _server.ReceiveBufferBytes;
        report.KernelDropUnit = DropUnitText.Of(sockets.KernelDropUnit);
        report.KernelDrops = _kernelDropsAtEnd;
        report.TurnedAwayAtEnd = sockets.KernelDrops - report.KernelDrops;
        report.LockedBytes = _lockedBytes;
        report.NonPagedPoolBytes = _nonPagedPoolBytes;
        report.LockedLimitBytes = MemoryUsage.ReadLockedLimitBytes();
        report.SetWire(_server.LocalEndPoints.Any(static local => local.IsIPv6));
        report.SetHost();
    }

    public void Dispose()
    {
        _threads.Dispose();
        Intervals.Dispose();
    }

    private void SetTotals(ServeReport report, StreamTotals totals)
    {
        // Without a ledger these figures are unknown: they stay null and are not 0.
        if (!_ledgers.HasAny) return;
        SequenceCounts counts = totals.Counts;
        _ledgers.Fill(report);
        report.Processed = counts.Unique + Math.Min(totals.OtherDatagrams, totals.UnnumberedSent);
        report.ProcessedOf = Saturating.Add(
            Saturating.Add(Saturating.Add(counts.Unique, counts.Lost), counts.MissedBeforeFirst),
            totals.UnnumberedSent);
        report.ProcessedPercent = report.ProcessedOf > 0 ? 100.0 * report.Processed / report.ProcessedOf : null;
        if (_keepsPeers) return;

        // Threads that share a peer post its datagrams in any order, so the order of arrival is unknown.
        (report.Reordered, report.ReorderExtent) = (null, null);
        foreach (StreamReport stream in report.PerStream) stream.Reordered = null;
    }

    private ServeInterval ReadInterval(double nowSeconds, double cpuSeconds, long? kernelDrops)
    {
        NoteMemory();

        // Where threads share a peer, datagrams that are not posted yet look like a loss for a moment.
        var now = new Last(
            nowSeconds,
            _threads.Datagrams,
            _threads.Bytes,
            _keepsPeers && _ledgers.HasAny ? _ledgers.Totals.Counts.Lost : null,
            kernelDrops);
        double seconds = now.Seconds - _last.Seconds;
        ThreadIntervalReport[] threads = _threads.Read();
        var report = new IntervalReport
        {
            StartSeconds = _last.Seconds,
            Seconds = seconds,
            Datagrams = now.Datagrams - _last.Datagrams,
            Bytes = now.Bytes - _last.Bytes,
            Lost = now.Lost - (_last.Lost ?? 0),
            Threads = _threads.TakeInterval(threads),
        };
        Intervals.Fill(report, TakePlaces(threads), cpuSeconds);
        long? drops = now.KernelDrops - (_last.KernelDrops ?? 0);
        _last = now;
        return new ServeInterval(report, drops);
    }

    private CpuAttribution TakePlaces(ThreadIntervalReport[] now)
    {
        ThreadIntervalReport[] last = _placedThreads;
        _placedThreads = now;
        var places = new CpuAttribution();
        IReadOnlyList<UdpThreadStatistics> statistics = _server.GetStatistics().Threads;
        foreach (ThreadIntervalReport thread in now.Select((thread, i) => thread.Since(last[i])))
        {
            UdpThreadStatistics own =
                statistics.First(one => (one.ShardIndex ?? ServerThreadReport.ReaderIndex) == thread.Index);
            places.AddThread(thread, own.Cpu, _spins);
        }

        return places;
    }

    private void NoteMemory()
    {
        var memory = MemoryUsage.Read();
        if (memory.LockedBytes is { } locked) _lockedBytes = Math.Max(_lockedBytes ?? 0, locked);
        if (memory.NonPagedPoolBytes is { } pool) _nonPagedPoolBytes = Math.Max(_nonPagedPoolBytes ?? 0, pool);
    }

    private static string[] OffloadsOf(UdpServer server, string app)
    {
        bool sends = app is "echo" or "relay";
        List<string> offloads = [];
        if (server.CoalescedReceive) offloads.Add("gro");
        if (sends && server.SegmentedSend) offloads.Add("gso");
        return [.. offloads];
    }
}

/// <summary>One interval of a server, reported while the run goes on.</summary>
/// <param name="KernelDrops">What the kernel dropped because a socket was full; null where unknown.</param>
internal sealed record ServeInterval(IntervalReport Total, long? KernelDrops) : RunInterval(Total);
