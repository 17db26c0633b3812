using System.Net.Sockets;
using Spate.HostTuning.Reading;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Usage;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;
using Spate.Measurement.Loss;

namespace Spate.Measurement.Traffic;

/// <summary>Watches the host's counters and stops during a test's data. One thread; it ticks often.</summary>
internal sealed class HostWatch : IDisposable
{
    // The control thread waits for 20 ms at most, so a longer gap is a thread that could not run or was stopped.
    private static readonly TimeSpan MinGap = TimeSpan.FromMilliseconds(200);

    private readonly TimeProvider _time;
    private readonly ThreadMeter _meter = new();
    private readonly HostMeter _host = new();
    private readonly UdpSocket[] _sockets;
    private long _tickTicks;
    private long _ranNanoseconds;
    private TimeSpan _stopped;

    /// <summary>Watches the connected sockets of all flows, which are used until the report is made.</summary>
    public HostWatch(UdpSocket[] sockets, TimeProvider time)
    {
        _time = time;
        _sockets = sockets;
        _tickTicks = time.GetTimestamp();
        _ranNanoseconds = RanNanoseconds();
    }

    public void Tick()
    {
        long ran = RanNanoseconds();
        TimeSpan gap = _time.GetElapsedTime(_tickTicks) - TimeSpan.FromMicroseconds((ran - _ranNanoseconds) / 1000.0);
        if (gap >= MinGap) _stopped += gap;

        (_tickTicks, _ranNanoseconds) = (_time.GetTimestamp(), ran);
    }

    public TestHostReport Report()
    {
        InterfaceFacts[] networks = FindInterfaces();
        bool[] families = [.. _sockets.Select(static socket => socket.Peer.IsIPv6).Distinct()];
        return new TestHostReport
        {
            Counters = _host.ReadCounters(),
            Interfaces = [.. networks.Select(static one => one.Name)],
            InterfaceMtuBytes = networks.Min(static one => one.MtuBytes),
            BacklogLimit = BufferLimits.Read().BacklogPackets,
            StoppedNanoseconds = (long)_stopped.TotalNanoseconds,
            IsIPv6 = families is [var family] ? family : null,
        };
    }

    public void Dispose()
    {
        _host.Dispose();
        _meter.Dispose();
    }

    // On a CPU, and ready to run on one: the rest of the time the thread waited, or was stopped.
    private long RanNanoseconds()
    {
        ThreadUsage usage = _meter.Usage;
        return (usage.CpuNanoseconds ?? 0) + (usage.RunQueueNanoseconds ?? 0);
    }

    // Empty where those of one flow are unknown.
    private InterfaceFacts[] FindInterfaces()
    {
        IReadOnlyList<InterfaceFacts> all = InterfaceFacts.ReadAll();
        List<InterfaceFacts[]> perFlow = [.. _sockets
            .DistinctBy(static socket => (socket.LocalEndPoint.Address, socket.Peer.Address))
            .Select(socket => FlowInterfaces.Find(socket.LocalEndPoint.Address.ToIPAddress(), socket.Peer, all))];
        return perFlow.Exists(static found => found.Length == 0)
            ? []
            : [.. perFlow.SelectMany(static found => found).Distinct()];
    }
}

/// <summary>What the report of a receiver says about the datagrams that did not arrive.</summary>
internal static class ReceiverEvidence
{
    public static LossEvidence Of(TrafficReport received, long missing) => new()
    {
        Missing = Math.Max(0, missing),
        Corrupted = received.Corrupted ?? 0,
        Late = received.Late ?? 0,
        SocketDrops = received.KernelDrops,
        SocketDropUnit = DropUnitText.Read(received.KernelDropUnit),
        CoalescedReceive = received.Offloads.Contains("gro", StringComparer.Ordinal),
        ReceiveBufferAskedBytes = received.BufferAskedBytes,
        ReceiveBufferGrantedBytes = received.BufferGrantedBytes,
        ThrottledSeconds = received.ThrottledSeconds,
        Readers = [.. received.Threads.Select(static thread => thread.Reader).OfType<ReaderSchedule>()],
    };

    // A receiver that is remote is the server, whose options the client names.
    public static LossEvidence Of(TestEndReport sender, TestEndReport receiver, long unique, bool isReceiverRemote)
    {
        TrafficReport sent = sender.Sent!;
        TrafficReport received = receiver.Received!;
        TestHostReport? host = receiver.Host;
        long skipped = Math.Max(0, sent.Pacing?.Skipped ?? 0);
        long offered = Saturating.Add(Saturating.Add(Math.Max(0, sent.Datagrams), Math.Max(0, sent.Refused)), skipped);
        return Of(received, offered - unique) with
        {
            Offered = offered,
            Skipped = skipped,
            Refused = Math.Max(0, sent.Refused),
            RefusedBecause = Enum.TryParse(sender.RefusedBecause, out SocketError error) ? error : default,
            SenderDelta = sender.Host?.Counters,
            ReceiverDelta = host?.Counters,
            SenderInterfaces = sender.Host?.Interfaces ?? [],
            ReceiverInterfaces = host?.Interfaces ?? [],
            SegmentedSend = sent.Offloads.Contains("gso", StringComparer.Ordinal),
            SizeBytes = sent.SizeBytes ?? 0,
            IsIPv6 = host?.IsIPv6,
            SenderMtuBytes = sender.Host?.InterfaceMtuBytes,
            ReceiverMtuBytes = host?.InterfaceMtuBytes,
            BacklogLimit = host?.BacklogLimit,
            StoppedNanoseconds = host?.StoppedNanoseconds,
            Seconds = sent.Seconds,
            IsReceiverRemote = isReceiverRemote,
        };
    }
}

/// <summary>
/// Watches the host of a receiver from the moment its sockets are open, and says where its missing datagrams were lost,
/// as far as this end alone can tell. Not thread-safe.
/// </summary>
internal sealed class LossWatch : IDisposable
{
    private readonly HostMeter _host = new();

    public void Judge(TrafficReport report)
    {
        long lost = report.Lost ?? 0;
        var account = LossAccount.Judge(ReceiverEvidence.Of(report, lost) with
        {
            Offered = Saturating.Add(report.Unique ?? 0, lost),
            ReceiverDelta = _host.ReadCounters(),
            BacklogLimit = BufferLimits.Read().BacklogPackets,
            SizeBytes = report.SizeBytes ?? 0,
            Seconds = report.Seconds,

            // Nothing on the wire tells whether the sender sends GSO messages, which most counters of the way would
            // count.
            SegmentedSend = null,
        });
        report.LostWhere = account.LostWhere;
        report.Unexplained = account.Unexplained;
        report.Verdict = lost > 0 ? account.Sentence : null;
        report.Remedy = account.Remedy;
    }

    public void Dispose() => _host.Dispose();
}
