using System.Diagnostics;
using System.Runtime;
using System.Runtime.CompilerServices;

namespace Spate.Measurement.Traffic;

/// <summary>
/// Runs a sender or a receiver on private loopback sockets until the runtime has compiled its loops at the highest
/// tier. Otherwise the runtime compiles them while datagrams arrive, and a buffer of 4 MiB is full after a millisecond
/// at full rate.
/// </summary>
/// <remarks>
/// Call it before the sockets of the run are opened, whose counters then start at 0. It takes 110 to 300 ms on an idle
/// machine; in native code, which has nothing to compile, it does nothing. It throws nothing, and does almost nothing
/// where loopback is down or no socket can be opened.
/// </remarks>
internal static class TrafficWarmUp
{
    private const int BudgetMilliseconds = 280;

    // The bursts have pauses between them, because the compiler's own thread needs a CPU too.
    private const int PauseMilliseconds = 8;

    // The runtime begins to count a method's calls when it has met no new method for a while: 100 ms unless
    // TieredCompilation.CallCountingDelayMs says otherwise (the tool: 30). The warm-up ends once nothing was compiled
    // for this long.
    private const int QuietMilliseconds = 110;

    // A method is compiled at the highest tier after 30 calls, and some methods are called once in several batches.
    private const int BatchesPerBurst = 48;

    /// <summary>Warms up a receiver.</summary>
    /// <param name="options">The run's options; address, flows, end and CPUs are not used.</param>
    /// <param name="onInterval">
    /// Called with meaningless intervals, so that the code that shows intervals is compiled too.
    /// </param>
    public static void Receive(TrafficReceiverOptions options, Action<TrafficInterval>? onInterval = null) => Try(() =>
    {
        using var stop = new CancellationTokenSource();
        using TrafficReceiver receiver = TrafficReceiver.Open(new TrafficReceiverOptions
        {
            Local = UdpEndPoint.Loopback(0),
            Interval = TimeSpan.FromMilliseconds(QuietMilliseconds / 2.0),
            Accounting = options.Accounting,
            Transport = options.Transport,
        });
        using var bursts = new Bursts(OptionsOf(
            receiver.LocalEndPoint,
            TrafficSenderOptions.DefaultSizeBytes,
            checksums: options.Accounting is { Verify: true },
            options.Transport));
        var thread = new Thread(() => Try(() => receiver.Run(onInterval, stop.Token))) { IsBackground = true };
        thread.Start();
        try
        {
            Repeat(bursts);
        }
        finally
        {
            // The last burst wakes the receiver, which then sees the cancellation.
            stop.Cancel();
            Try(() => bursts.TrySend());
            thread.Join();
        }
    });

    /// <summary>Warms up a sender.</summary>
    /// <param name="options">The run's options; targets, flows, rate, end and CPUs are not used.</param>
    /// <param name="onInterval">
    /// Called with one meaningless interval, so that the code that shows intervals is compiled too.
    /// </param>
    public static void Send(TrafficSenderOptions options, Action<TrafficInterval>? onInterval = null) => Try(() =>
    {
        // Nothing reads this socket: once its buffer is full, the system drops further datagrams.
        using UdpSocket sink = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        TrafficSenderOptions burst = OptionsOf(
            sink.LocalEndPoint, options.SizeBytes, options.Checksums, options.Transport);
        using (TrafficSender sender = TrafficSender.Open(burst)) sender.Run(onInterval);
        using var bursts = new Bursts(burst);
        Repeat(bursts);
    });

    private static void Repeat(Bursts bursts)
    {
        long start = Stopwatch.GetTimestamp();
        long lastChange = start;
        long compiledCount = JitInfo.GetCompiledMethodCount();
        while (Stopwatch.GetElapsedTime(lastChange).TotalMilliseconds < QuietMilliseconds
            && Stopwatch.GetElapsedTime(start).TotalMilliseconds < BudgetMilliseconds)
        {
            if (!bursts.TrySend()) return;
            Thread.Sleep(PauseMilliseconds);
            long count = JitInfo.GetCompiledMethodCount();
            if (count == compiledCount) continue;
            compiledCount = count;
            lastChange = Stopwatch.GetTimestamp();
        }
    }

    private static TrafficSenderOptions OptionsOf(
        UdpEndPoint target, int sizeBytes, bool checksums, TransportOptions transport) => new()
        {
            Targets = [target],
            SizeBytes = sizeBytes,
            Checksums = checksums,
            DatagramCount = BatchesPerBurst * SendFlow.BatchDatagramsOf(sizeBytes),

            // Longer than any burst, so that a run reports exactly one interval, the whole run. A shorter interval may
            // end before the flow's thread has begun, and the rest may be too short for a report.
            Interval = TimeSpan.FromHours(1),
            AnnouncesEnd = false,
            Transport = transport,
        };

    private static void Try(Action action)
    {
        if (!RuntimeFeature.IsDynamicCodeCompiled) return;
        try
        {
            action();
        }
        catch (Exception)
        {
            // The run works without a warm-up. An error here meets the run too, which reports it.
        }
    }

    /// <summary>Sends one burst at a time from one socket.</summary>
    private sealed class Bursts(TrafficSenderOptions options) : IDisposable
    {
        private readonly SendFlow _flow = SendFlow.Open(options, 0, TimeProvider.System);

        /// <summary>Sends a burst; returns false where nothing was sent.</summary>
        public bool TrySend()
        {
            _flow.Run(CancellationToken.None);
            _flow.Extend(BatchesPerBurst * SendFlow.BatchDatagramsOf(options.SizeBytes));
            return _flow.Datagrams > 0;
        }

        public void Dispose() => _flow.Socket.Dispose();
    }
}
