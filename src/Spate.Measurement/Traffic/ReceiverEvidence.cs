using System.Net.Sockets;
using Spate.HostTuning.Reading;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;
using Spate.Measurement.Loss;

namespace Spate.Measurement.Traffic;

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
