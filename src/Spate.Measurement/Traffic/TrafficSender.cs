using System.Globalization;
using System.Net.Sockets;
using Spate.Measurement.Counting;
using Spate.Measurement.Pacing;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Traffic;

/// <summary>Sends numbered datagrams to one or several targets, with one thread and one socket per flow.</summary>
/// <remarks>Each object serves one run. <see cref="Run"/> blocks; cancel its token to end it.</remarks>
internal sealed class TrafficSender : IDisposable
{
    private readonly TrafficSenderOptions _options;
    private readonly TimeProvider _time;
    private readonly SendFlow[] _flows;

    private TrafficSender(TrafficSenderOptions options, TimeProvider time, SendFlow[] flows)
    {
        _options = options;
        _time = time;
        _flows = flows;
    }

    /// <summary>The first socket's backend, offloads and buffers; all sockets of a run are alike.</summary>
    public UdpSocket FirstSocket => _flows[0].Socket;

    /// <summary>Why the system refused a datagram, the first time it did; success where it never did.</summary>
    public SocketError FirstError =>
        _flows.Select(static flow => flow.FirstError).FirstOrDefault(static error => error != SocketError.Success);

    /// <summary>
    /// Usually of a target's closed port, but not for announcements. Valid after the run. With several targets on Linux
    /// only, and not with the portable backend.
    /// </summary>
    public long ClosedPortErrors => _flows.Sum(static flow => flow.ClosedPortErrors);

    /// <summary>Throws where files or the backend are not to be had, or where times to leave are not kept.</summary>
    public static TrafficSender Open(TrafficSenderOptions options, TimeProvider? timeProvider = null)
    {
        options.Validate();
        if (options.PaceOfFlows == PaceMode.Txtime) RequireTransmitTimes(options.Targets);
        TimeProvider time = timeProvider ?? TimeProvider.System;
        var flows = new List<SendFlow>(options.FlowCount);
        try
        {
            for (int i = 0; i < options.FlowCount; i++)
            {
                flows.Add(SendFlow.Open(options, i, time));
            }

            return new TrafficSender(options, time, [.. flows]);
        }
        catch (Exception fault)
        {
            int openedCount = flows.Count;
            flows.ForEach(static flow => flow.Socket.Dispose());
            if (TrafficException.OfFlows(fault, openedCount, options.FlowCount) is { } tooMany) throw tooMany;
            throw;
        }
    }

    /// <summary>The sockets stay their owner's: other threads may receive on them. Targets are not used.</summary>
    internal static TrafficSender Over(SendFlow[] flows, TrafficSenderOptions options, TimeProvider time)
    {
        options.Validate();
        return new TrafficSender(options, time, flows);
    }

    /// <summary>Whether all flows have begun. Any thread may ask.</summary>
    internal bool HasBegun => Array.TrueForAll(_flows, static flow => flow.HasBegun);

    /// <summary>Whether nothing is sent any more; the report may not be there yet. Any thread may ask.</summary>
    internal bool IsOver => Array.TrueForAll(_flows, static flow => flow.IsOver);

    /// <summary>Datagrams that left so far; any thread may ask.</summary>
    internal long CountSent() => _flows.Sum(static flow => flow.Datagrams);

    internal long[] StreamTotals() =>
        [.. _flows.SelectMany(static flow => flow.Streams).Select(static stream => stream.NextSequence)];

    /// <summary>Ends as the options name, or if cancelled. Intervals are told on the calling thread.</summary>
    public TrafficReport Run(Action<TrafficInterval>? onInterval = null, CancellationToken cancellationToken = default)
    {
        var report = new TrafficReport
        {
            Kind = TrafficReport.SendKind,
            SizeBytes = _options.SizeBytes,
            RateAskedDatagramsPerSecond =
                double.IsInfinity(_options.DatagramsPerSecond) ? null : _options.DatagramsPerSecond,
        };
        using var run = new TrafficRun(TrafficReport.SendKind, _flows, _options, _time, cancellationToken);
        run.Execute(onInterval, report);

        foreach (SendFlow flow in _flows)
        {
            report.Datagrams += flow.Datagrams;
            report.Refused += flow.Refused;
            report.Calls += flow.Calls;
            report.Streams += flow.Streams.Count;
        }

        report.Bytes = report.Datagrams * _options.SizeBytes;
        report.SetWire(FirstSocket.LocalEndPoint.IsIPv6);
        IEnumerable<SendStream> streams = _flows.SelectMany(static flow => flow.Streams);
        report.PerStream = [.. streams.Select(static stream => stream.ToReport())];
        report.Pacing = double.IsInfinity(_options.DatagramsPerSecond) ? null : ReportPacing();
        report.BufferAskedBytes = _options.Transport.SendBufferBytes;
        report.BufferGrantedBytes = FirstSocket.SendBufferBytes;
        return report;
    }

    private static void RequireTransmitTimes(IEnumerable<UdpEndPoint> targets)
    {
        foreach (UdpEndPoint target in targets)
        {
            if (TransmitTimeOffer.Fault(target.Address) is { } fault) throw new PlatformNotSupportedException(fault);
        }
    }

    private PacingReport ReportPacing()
    {
        var errors = new PacingErrors(_time.TimestampFrequency);
        foreach (SendFlow flow in _flows) errors.Merge(flow.GapErrors!);
        return new PacingReport
        {
            Mode = NameText.Of(_options.PaceOfFlows),
            MaxBurstMicroseconds = 1e6 * _flows[0].BurstSeconds,
            Bursts = errors.Bursts,
            MostPerBurst = errors.MostPerBurst,
            Skipped = _flows.Sum(static flow => flow.Skipped),
            GapError = errors.ToReport(),
        };
    }

    public void Dispose()
    {
        foreach (SendFlow flow in _flows)
        {
            flow.Socket.Dispose();
        }
    }
}

/// <summary>The numbered datagrams of one flow to one target, in the form of one protocol.</summary>
internal abstract class SendStream(UdpEndPoint peer, bool isConnected, int sizeBytes, ulong id)
{
    public UdpEndPoint Peer { get; } = isConnected ? default : peer;

    public ulong Id { get; } = id;

    public int SizeBytes { get; } = sizeBytes;

    /// <summary>The next datagram's number. Datagrams that the system refused have a number too.</summary>
    public long NextSequence { get; private set; }

    public long Sent { get; private set; }

    public virtual bool IsNumbered => true;

    /// <summary>All carry the time: of the send call, or at which they are to leave if timed.</summary>
    public void Fill(SendBatch batch, int datagramCount, long sentNanoseconds, bool isTimed)
    {
        SendControl control = isTimed ? new() { TransmitTimeMonotonicNanoseconds = sentNanoseconds } : default;
        for (int i = 0; i < datagramCount; i++)
        {
            bool isReserved = isTimed
                ? batch.TryReserve(Peer, control, SizeBytes, out Span<byte> payload)
                : batch.TryReserve(Peer, SizeBytes, out payload);
            if (!isReserved) throw new InvalidOperationException("The batch has less room than requested.");

            Write(payload, NextSequence++, sentNanoseconds);
        }
    }

    /// <summary>Fills a payload once, before the run. Each datagram then only changes the header.</summary>
    public virtual void Prepare(Span<byte> payload, Random random) => random.NextBytes(payload);

    /// <summary>Takes back the numbers of datagrams that were never tried; they were the last of their batch.</summary>
    public void TakeBack(int datagramCount) => NextSequence -= datagramCount;

    public void CountSent(int datagramCount) => Sent += datagramCount;

    /// <summary>Adds an announcement of the end to a batch, where the protocol has one.</summary>
    public abstract void FillEnd(SendBatch batch, long nowNanoseconds);

    public StreamReport ToReport() => new()
    {
        StreamId = Id.ToString("x16", CultureInfo.InvariantCulture),
        Datagrams = Sent,
        Bytes = Sent * SizeBytes,
        Ended = IsNumbered && NextSequence > 0,
    };

    /// <summary>Numbers a datagram in place; the rest of the payload stays as it is.</summary>
    protected abstract void Write(Span<byte> payload, long sequence, long sentNanoseconds);
}

/// <summary>Datagrams that carry a <see cref="TestDatagram"/>, where they have room for it.</summary>
internal sealed class TestSendStream(UdpEndPoint peer, bool isConnected, int sizeBytes, ulong id, bool checksums)
    : SendStream(peer, isConnected, sizeBytes, id)
{
    public override bool IsNumbered => SizeBytes >= TestDatagram.HeaderBytes;

    public override void FillEnd(SendBatch batch, long nowNanoseconds)
    {
        int headerBytes = checksums ? TestDatagram.ChecksummedHeaderBytes : TestDatagram.HeaderBytesOf(SizeBytes);
        if (!batch.TryReserve(Peer, headerBytes, out Span<byte> payload)) return;

        if (IsNumbered) TestDatagram.WriteEnd(payload, Id, NextSequence, nowNanoseconds);
        if (checksums) TestDatagram.WriteChecksum(payload);
        if (!IsNumbered) TestDatagram.WriteTotal(payload, Id, NextSequence);
    }

    protected override void Write(Span<byte> payload, long sequence, long sentNanoseconds)
    {
        if (IsNumbered) TestDatagram.WriteData(payload, Id, sequence, sentNanoseconds);
        if (checksums) TestDatagram.WriteChecksum(payload);
    }
}
