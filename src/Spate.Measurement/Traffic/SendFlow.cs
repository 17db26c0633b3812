using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Spate.HostTuning.Reading.Interfaces;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Counting;
using Spate.Measurement.Pacing;

namespace Spate.Measurement.Traffic;

/// <summary>Sends from one socket, at its share of the rate, to its share of the targets.</summary>
internal sealed class SendFlow : TrafficFlow
{
    // Two full GSO messages of 47 x 1380 bytes, or four of 64 small ones: a larger batch gains nothing per call, and
    // its memory no longer stays in the near caches.
    private const int BatchBytes = 2 * 65_535;
    private const int MaxBatchDatagrams = 256;
    private const int MaxErrorsRead = 1024;

    // 64 of 1500 bytes, together with the other flows, which are late with this one where the host is busy. Datagrams
    // of other sizes take a receiver's buffer by their bytes, small ones by their number.
    private const int LateBurstBytes = RatePacer.MaxLateBurstDatagrams * 1500;

    // Each copy of an announcement may be lost, above all behind a flood: five of them over 80 ms.
    private const int EndCopies = 5;
    private const int EndCopyMilliseconds = 20;

    private static readonly TimeSpan SendPatience = TimeSpan.FromMilliseconds(100);

    private readonly TimeProvider _time;
    private readonly PacerWait _wait;
    private readonly SendStream[] _streams;
    private readonly double _datagramsPerSecond;
    private readonly TimeSpan? _duration;
    private readonly int _sizeBytes;
    private readonly int _batchDatagrams;
    private readonly bool _announcesEnd;
    private readonly bool _isShared;
    private readonly PacingErrors? _gapErrors;
    private readonly int _groupDatagrams;
    private readonly int _grantDatagrams;
    private readonly double _burstSeconds;
    private readonly int _lateBurstDatagrams;
    private readonly long _leadTicks;
    private long _left;
    private int _nextStream;
    private long _datagrams;
    private long _endTicks;
    private bool _isOver;

    private SendFlow(
        int index,
        UdpSocket socket,
        SendStream[] streams,
        TrafficSenderOptions options,
        TimeProvider time,
        bool isShared = false)
        : base(index, socket)
    {
        _isShared = isShared;
        _time = time;
        _wait = PacerWait.Create(options.PaceOfFlows, time);
        _streams = streams;
        _sizeBytes = options.SizeBytes;
        _datagramsPerSecond = options.DatagramsPerSecond / options.FlowCount;
        _duration = options.Duration;
        _batchDatagrams = BatchDatagramsOf(_sizeBytes);
        _announcesEnd = options.AnnouncesEnd;
        _groupDatagrams = (int)Math.Clamp(Math.Ceiling(_datagramsPerSecond * _wait.GroupSeconds), 1, int.MaxValue);
        _grantDatagrams = IsTimed
            ? (int)Math.Clamp(_datagramsPerSecond * _wait.SharedTimeSeconds, 1, _batchDatagrams)
            : _batchDatagrams;
        _burstSeconds = _wait.BurstSeconds;
        if (options.BurstDatagrams is { } burst && !double.IsInfinity(_datagramsPerSecond))
        {
            _burstSeconds = Math.Min(burst / _datagramsPerSecond, RatePacer.BacklogSeconds);
            _groupDatagrams = burst;
            _grantDatagrams = Math.Min(burst, _grantDatagrams);
        }

        _lateBurstDatagrams = LateBurstDatagramsOf(_sizeBytes, options.FlowCount);
        _leadTicks = (long)(_wait.LeadSeconds * time.TimestampFrequency);
        _gapErrors = double.IsInfinity(_datagramsPerSecond) ? null : new PacingErrors(time.TimestampFrequency);
        _left = options.DatagramCount is long count
            ? (count / options.FlowCount) + (index < count % options.FlowCount ? 1 : 0)
            : long.MaxValue;
    }

    public IReadOnlyList<SendStream> Streams => _streams;

    public override IEnumerable<(UdpEndPoint Local, UdpEndPoint Remote)> Ends =>
        _streams.Select(stream => stream.Peer.IsDefault // the socket is connected
            ? (Socket.LocalEndPoint, Socket.Peer)
            : (LocalToward(stream.Peer), stream.Peer));

    public long Datagrams => Volatile.Read(ref _datagrams);

    /// <summary>Whether the last run has sent all that it sends. Any thread may ask.</summary>
    public bool IsOver => Volatile.Read(ref _isOver);

    public long Refused { get; private set; }

    public long Calls { get; private set; }

    public SocketError FirstError { get; private set; }

    /// <summary>How far from their schedule datagrams left; null where there is no rate. Valid after the run.</summary>
    public PacingErrors? GapErrors => _gapErrors;

    public double BurstSeconds => IsTimed ? _wait.SharedTimeSeconds : _burstSeconds;

    public long Skipped { get; private set; }

    /// <summary>
    /// ICMP errors until the end was announced; of several targets, closed ports. Valid after the run.
    /// </summary>
    public long ClosedPortErrors { get; private set; }

    public static int BatchDatagramsOf(int sizeBytes) =>
        Math.Clamp(BatchBytes / Math.Max(1, sizeBytes), 1, MaxBatchDatagrams);

    public static SendFlow Open(TrafficSenderOptions options, int index, TimeProvider time)
    {
        List<UdpEndPoint> peers = PeersOf(options, index);
        bool isConnected = peers.Count == 1;

        // A connected socket gets ICMP errors without the option.
        UdpSocketOptions socketOptions = options.SocketOptions(
            reusePort: false, broadcast: peers.Exists(static peer => peer.IsIPv4)) with
        {
            EnableTransmitTimes = options.PaceOfFlows == PaceMode.Txtime,
            ReportIcmpErrors = !isConnected && IcmpSupport.IsPossible(options.Transport.Backend),
        };
        UdpSocket socket = isConnected
            ? UdpSocket.Connect(peers[0], options: socketOptions)
            : UdpSocket.Bind(
                peers.Exists(static peer => peer.IsIPv6) ? UdpEndPoint.IPv6Any(0) : UdpEndPoint.Any(0), socketOptions);
        SendStream[] streams = [.. peers.Select(
            peer => new TestSendStream(
                peer, isConnected, options.SizeBytes, TestDatagram.NewStreamId(), options.Checksums))];
        return new SendFlow(index, socket, streams, options, time);
    }

    /// <summary>A flow over a connected socket that another thread may receive on.</summary>
    public static SendFlow Over(
        UdpSocket socket, SendStream stream, TrafficSenderOptions options, int index, TimeProvider time) =>
        new(index, socket, [stream], options, time, isShared: true);

    public void Extend(long datagramCount) => _left += datagramCount;

    public override void Run(CancellationToken stop)
    {
        using SendBatch batch = CreateBatch();
        StartTicks = _time.GetTimestamp();
        Skipped = 0;
        Begin();
        _endTicks = _duration is { } duration
            ? StartTicks + (long)(duration.TotalSeconds * _time.TimestampFrequency)
            : long.MaxValue;
        var pacer = new RatePacer(
            _datagramsPerSecond, StartTicks, _time.TimestampFrequency, _burstSeconds, _lateBurstDatagrams);
        bool isOver = false;
        bool hasMore = false;
        while (_left > 0 && !isOver && !stop.IsCancellationRequested)
        {
            if (!hasMore) WaitFor(pacer, stop);
            long now = _time.GetTimestamp() + _leadTicks;
            isOver = now >= _endTicks;

            // After the end those are sent, late, that were due before it: the rest of a group that was waited for, and
            // after a stall as much as it has delayed.
            int most = (int)Math.Min(_left, _grantDatagrams);
            int due = isOver && pacer.IsUnlimited ? 0 : pacer.Due(now, most, _endTicks);
            hasMore = due == most;
            isOver &= !pacer.HasDueBefore(_endTicks);
            if (due == 0) continue;

            _gapErrors?.Add(Math.Max(0, now - _leadTicks - pacer.GrantedDueTicks), pacer.IntervalTicks, due);
            SendDue(batch, due, pacer.GrantedDueTicks, stop);
            _left -= due;
        }

        if (!pacer.IsUnlimited)
        {
            // N datagrams at a rate take N intervals: without the last one the rate reported would be too high. Those
            // that were handed over ahead leave meanwhile.
            _wait.Until(Math.Min(pacer.NextTicks, _endTicks), pacer.ToleranceTicks, stop);
        }

        Skipped += pacer.Skipped;
        EndTicks = _time.GetTimestamp();
        Volatile.Write(ref _isOver, true);

        // The kernel reports an error at the next call. Take it here, so that it does not fail the announcement. On a
        // shared socket the call could take a datagram from the receiving thread, which is told of errors itself.
        if (!_isShared) _ = Socket.TryReceiveFrom([], out _);
        UdpCounters counters = Socket.GetCounters();
        Calls = counters.SendCalls;
        ClosedPortErrors = Socket.Peer.IsDefault ? CountClosedPorts() : counters.IcmpErrors;
    }

    private void WaitFor(RatePacer pacer, CancellationToken stop)
    {
        if (pacer.IsUnlimited) return;

        bool isPastEnd = _time.GetTimestamp() + _leadTicks >= _endTicks;
        long next = isPastEnd
            ? pacer.NextTicks
            : Math.Min(pacer.TicksOf((int)Math.Min(_left, _groupDatagrams)), _endTicks);
        _wait.Until(next - _leadTicks, pacer.ToleranceTicks, stop);
    }

    // Counts closed ports only: the errors include the system's own refusals, for example where there is no route.
    private int CountClosedPorts()
    {
        int count = 0;
        for (int read = 0; read < MaxErrorsRead && Socket.TryReceiveIcmpError(out UdpIcmpError error); read++)
        {
            if (error.Error == SocketError.ConnectionRefused) count++;
        }

        return count;
    }

    /// <summary>Announces how many datagrams were sent, so that a loss at the tail is known.</summary>
    public override void Finish()
    {
        if (!_announcesEnd) return;
        var pause = PacerWait.Create(PaceMode.Sleep, _time);
        SendStream[] begun = [.. _streams.Where(static stream => stream.NextSequence > 0)];
        using SendBatch batch = Socket.CreateSendBatch();
        for (int copy = 0; copy < EndCopies && begun.Length > 0; copy++)
        {
            if (copy > 0)
            {
                long pauseTicks = EndCopyMilliseconds * _time.TimestampFrequency / 1000;
                pause.Until(_time.GetTimestamp() + pauseTicks, pauseTicks / 2);
            }

            foreach (SendStream stream in begun)
            {
                stream.FillEnd(batch, _time.ToNanoseconds(_time.GetTimestamp()));
            }

            _ = Socket.Send(batch, SendPatience);
            batch.Clear();
        }
    }

    public override FlowCounts Sample(Dictionary<string, FlowCounts> parts)
    {
        long datagrams = Datagrams;
        var counts = new FlowCounts(datagrams, datagrams * _sizeBytes, Lost: null);
        parts.Add(string.Create(CultureInfo.InvariantCulture, $"{Index,3}"), counts);
        return counts;
    }

    // A socket with several targets has no address of its own.
    private UdpEndPoint LocalToward(UdpEndPoint peer) =>
        Socket.LocalEndPoint.Address.IsUnspecified
        && LocalAddresses.Toward(peer.ToIPEndPoint()) is { } local
            ? new UdpEndPoint(local, 0)
            : Socket.LocalEndPoint;

    /// <summary>Whether every GSO message carries the time at which it is to leave.</summary>
    private bool IsTimed => _wait.SharedTimeSeconds > 0;

    // With at least as many flows as targets, flow i serves one target; with fewer, every FlowCount-th target from i
    // on.
    private static List<UdpEndPoint> PeersOf(TrafficSenderOptions options, int index)
    {
        int targetCount = options.Targets.Count;
        var peers = new List<UdpEndPoint>();
        if (options.FlowCount >= targetCount)
        {
            peers.Add(options.Targets[index % targetCount]);
            return peers;
        }

        for (int i = index; i < targetCount; i += options.FlowCount)
        {
            peers.Add(options.Targets[i]);
        }

        return peers;
    }

    private static int LateBurstDatagramsOf(int sizeBytes, int flowCount) => Math.Max(
        1, Math.Min(RatePacer.MaxLateBurstDatagrams, LateBurstBytes / Math.Max(1, sizeBytes)) / flowCount);

    private SendBatch CreateBatch()
    {
        SendBatch batch = Socket.CreateSendBatch(new SendBatchOptions
        {
            Capacity = _batchDatagrams,
            BufferBytes = BatchBytes + SendBatch.MaxPayloadBytes,
            KeepOldBytes = true,
        });

        // The payloads are filled once. Later only their headers are written.
        var random = new Random();
        while (batch.TryReserve(_streams[0].Peer, Math.Max(1, _sizeBytes), out Span<byte> payload))
        {
            _streams[0].Prepare(payload, random);
        }

        batch.Clear();
        return batch;
    }

    /// <summary>Shares what is due among the targets, one batch each, so that every batch has one owner.</summary>
    private void SendDue(SendBatch batch, int due, long dueTicks, CancellationToken stop)
    {
        int share = due / _streams.Length;
        int extra = due % _streams.Length;
        for (int i = 0; i < _streams.Length; i++)
        {
            int count = share + (i < extra ? 1 : 0);
            if (count == 0) break;

            SendStream stream = _streams[(_nextStream + i) % _streams.Length];
            stream.Fill(
                batch, count, _time.ToNanoseconds(IsTimed ? dueTicks : _time.GetTimestamp()), IsTimed);
            Flush(batch, stream, stop);
        }

        _nextStream = (_nextStream + extra) % _streams.Length;
    }

    private void Flush(SendBatch batch, SendStream stream, CancellationToken stop)
    {
        while (true)
        {
            SendResult result = Socket.Send(batch, SendPatience);
            stream.CountSent(result.Sent);
            Volatile.Write(ref _datagrams, _datagrams + result.Sent);
            if (result.Sent > 0) Counters.Count(result.Sent);
            if (result.Refused > 0)
            {
                Refused += result.Refused;
                FirstError = FirstError == SocketError.Success ? result.FirstError : FirstError;
            }

            if (result.Remaining == 0) return;

            bool isLate = _time.GetTimestamp() >= _endTicks;
            if (isLate || stop.IsCancellationRequested || result.Status == SendStatus.Closed)
            {
                if (isLate && !double.IsInfinity(_datagramsPerSecond)) Skipped += result.Remaining;
                stream.TakeBack(result.Remaining);
                batch.Clear();
                return;
            }
        }
    }
}
