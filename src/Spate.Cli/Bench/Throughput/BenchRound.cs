using System.Diagnostics;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Shell;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Throughput;

/// <summary>Runs one cell for one round: opens, sends, lets the receiver drain its queue, and closes.</summary>
internal sealed class BenchRound(CpuPlacement placement, int bufferBytes)
{
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan MaxDrain = TimeSpan.FromSeconds(1);

    // A receiver takes a queued datagram every few microseconds. After this long without one the queue is empty.
    private static readonly TimeSpan MaxQuiet = TimeSpan.FromMilliseconds(25);

    /// <summary>Throws if an end fails or does not stop in time, or if nothing arrives.</summary>
    public RoundMeasurement Run(BenchTarget target, int sizeBytes, TimeSpan duration)
    {
        var setup = new BenchSetup(sizeBytes, bufferBytes);
        using BenchReceiver receiver = target.CreateReceiver(setup);
        using BenchSender sender = target.CreateSender(setup, receiver.LocalEndPoint);
        using var round = new Round(target, receiver, sender, placement, duration);
        return round.Measure();
    }

    /// <summary>The state that the two threads and the measuring thread share during one round.</summary>
    private sealed class Round : IDisposable
    {
        private readonly BenchTarget _target;
        private readonly BenchReceiver _receiver;
        private readonly BenchSender _sender;
        private readonly TimeSpan _duration;
        private readonly BenchThread _receiving;
        private readonly BenchThread _sending;
        private readonly ManualResetEventSlim _primed = new();
        private readonly ManualResetEventSlim _go = new();
        private long _primerSent;
        private long _sent;
        private long _receivedAtStop;
        private long _sendingTicks;
        private volatile bool _abandoned;

        public Round(
            BenchTarget target, BenchReceiver receiver, BenchSender sender, CpuPlacement placement, TimeSpan duration)
        {
            _target = target;
            _receiver = receiver;
            _sender = sender;
            _duration = duration;

            // Where pool threads receive, the receiver's thread only waits for them and need not be pinned.
            int? receiverCpu = target.ReceivesElsewhere ? null : placement.ReceiverCpu;
            _receiving = new BenchThread("bench receiver", receiverCpu, receiver.Run);
            _sending = new BenchThread("bench sender", placement.SenderCpu, Send);
        }

        public RoundMeasurement Measure()
        {
            _receiving.Start();
            _sending.Start();
            if (!_primed.Wait(Grace) || _sending.Failure is not null || _receiver.Counters.Datagrams == 0)
            {
                throw Explain("no datagram arrived over the loopback interface");
            }

            // This row must not pay for the garbage of earlier ones.
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
            long receivedBefore = _receiver.Counters.Datagrams;
            long bytesBefore = _receiver.Counters.Bytes;
            long callsBefore = _receiver.Calls;
            TimeSpan processCpuBefore = Environment.CpuUsage.TotalTime;
            int gen0Before = GC.CollectionCount(0);
            long allocatedBefore = GC.GetTotalAllocatedBytes(precise: true);

            _go.Set();
            if (!_sending.Join(_duration + Grace)) throw Explain("the sender did not stop");
            DrainWait.Run(() => _receiver.Counters.Datagrams, receivedBefore + _sent, MaxQuiet, MaxDrain);

            long allocated = GC.GetTotalAllocatedBytes(precise: true) - allocatedBefore;
            int gen0 = GC.CollectionCount(0) - gen0Before;
            TimeSpan processCpu = Environment.CpuUsage.TotalTime - processCpuBefore;
            long received = _receiver.Counters.Datagrams - receivedBefore;
            long bytes = _receiver.Counters.Bytes - bytesBefore;
            long calls = _receiver.Calls - callsBefore;
            int bufferGrantedBytes = StopReceiver();
            return new RoundMeasurement
            {
                Sent = _sent,
                Received = received,
                ReceivedWhileSending = _receivedAtStop - receivedBefore,
                ReceivedBytes = bytes,
                Calls = calls,
                Sending = Stopwatch.GetElapsedTime(0, _sendingTicks),
                SenderCpuNanoseconds = Scale(_sending.CpuNanoseconds, _sent, _sent + _primerSent),
                ReceiverCpuNanoseconds = _target.ReceivesElsewhere
                    ? NanosecondsLess(processCpu, _sending.CpuNanoseconds)
                    : Scale(_receiving.CpuNanoseconds, received, received + receivedBefore),
                SenderUse = _sending.Use,
                ReceiverUse = _target.ReceivesElsewhere ? null : _receiving.Use,
                AllocatedBytes = allocated,
                Gen0Collections = gen0,
                BufferGrantedBytes = bufferGrantedBytes,
                GsoFallbacks = _sender.GsoFallbacks,
            };
        }

        /// <summary>Ends the threads that a failure left running.</summary>
        public void Dispose()
        {
            _abandoned = true;
            _go.Set();
            _receiver.Stop();

            // The sockets close next. A thread that is still in a call then leaves it with an error.
            _ = _receiving.Join(Grace);
            _ = _sending.Join(Grace);
            _primed.Dispose();
            _go.Dispose();
        }

        private void Send()
        {
            // The first burst shows that datagrams arrive, and pays for first calls before the clock runs.
            try
            {
                _primerSent = _sender.SendBurst();
                WaitForPrimer();
            }
            finally
            {
                _primed.Set();
            }
            if (!_go.Wait(Grace) || _abandoned) return;
            long sent = 0;
            long start = Stopwatch.GetTimestamp();
            long end = start + (long)(_duration.TotalSeconds * Stopwatch.Frequency);
            long now = start;
            while (now < end && !_abandoned)
            {
                sent += _sender.SendBurst();
                now = Stopwatch.GetTimestamp();
            }
            _receivedAtStop = _receiver.Counters.Datagrams;
            _sendingTicks = now - start;
            _sent = sent;
        }

        private void WaitForPrimer()
        {
            long start = Stopwatch.GetTimestamp();
            while (_receiver.Counters.Datagrams < _primerSent && !_abandoned
                && Stopwatch.GetElapsedTime(start) < MaxDrain)
            {
                Thread.Sleep(1);
            }
        }

        private int StopReceiver()
        {
            int bufferGrantedBytes = _receiver.BufferGrantedBytes;
            _receiver.Stop();
            if (!_receiving.Join(Grace) || _receiving.Failure is not null || _sending.Failure is not null)
            {
                throw Explain("the receiver did not stop");
            }
            return bufferGrantedBytes;
        }

        private BenchException Explain(string otherwise)
        {
            Exception? failure = _sending.Failure ?? _receiving.Failure;
            string what = failure is null ? otherwise : PrintableText.OneLine(failure.Message);
            return failure is null ? new BenchException(what) : new BenchException(what, failure);
        }

        // The threads' CPU times include the first burst, so the counted datagrams get their share of them.
        private static long? Scale(long? nanoseconds, long counted, long all) =>
            nanoseconds is long some && all > 0 ? (long)((double)some * counted / all) : null;

        private static long? NanosecondsLess(TimeSpan process, long? senderNanoseconds) =>
            senderNanoseconds is long sender
                ? Math.Max(0, (process.Ticks * TimeSpan.NanosecondsPerTick) - sender)
                : null;
    }
}

/// <summary>The counts of one cell in one round, and the figures computed from them.</summary>
internal sealed record RoundMeasurement
{
    /// <summary>Accepted by the system.</summary>
    public required long Sent { get; init; }

    /// <summary>Including those in flight when the sender stopped.</summary>
    public required long Received { get; init; }

    /// <summary>The rate is computed from them.</summary>
    public required long ReceivedWhileSending { get; init; }

    public required long ReceivedBytes { get; init; }

    /// <summary>Receive calls that returned at least one datagram.</summary>
    public required long Calls { get; init; }

    public required TimeSpan Sending { get; init; }

    /// <summary>Null where the system does not tell.</summary>
    public required long? SenderCpuNanoseconds { get; init; }

    /// <summary>Null where the system does not tell.</summary>
    public required long? ReceiverCpuNanoseconds { get; init; }

    public ThreadUse SenderUse { get; init; }

    /// <summary>Null where pool or library threads receive, which move.</summary>
    public ThreadUse? ReceiverUse { get; init; }

    /// <summary>Bytes that the whole process allocated between the first datagram and the last.</summary>
    public required long AllocatedBytes { get; init; }

    public required int Gen0Collections { get; init; }

    public int BufferGrantedBytes { get; init; }

    public long GsoFallbacks { get; init; }

    public double DatagramsPerSecond =>
        Sending > TimeSpan.Zero ? ReceivedWhileSending / Sending.TotalSeconds : 0;

    public double BitsPerSecond =>
        Received > 0 ? DatagramsPerSecond * 8 * ((double)ReceivedBytes / Received) : 0;

    public double LostPercent => Sent > 0 ? Math.Clamp(100.0 * (1 - ((double)Received / Sent)), 0, 100) : 0;

    public double? SendNanosecondsPerDatagram => Per(SenderCpuNanoseconds, Sent);

    public double? ReceiveNanosecondsPerDatagram => Per(ReceiverCpuNanoseconds, Received);

    public double? AllocatedBytesPerDatagram => Per(AllocatedBytes, Received);

    public double? DatagramsPerCall => Per(Received, Calls);

    private static double? Per(long? amount, long count) =>
        amount is long some && count > 0 ? (double)some / count : null;
}
