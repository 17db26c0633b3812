using System.Net.Sockets;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Loss;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.Testing;

/// <summary>Brings together what both ends of a direction say, for the verdict.</summary>
internal static class TestEvidence
{
    /// <param name="sender">The end that sent.</param>
    /// <param name="receiver">The other one.</param>
    /// <param name="unique">Different datagrams that arrived.</param>
    /// <param name="isReceiverRemote">Whether the receiver is the server, whose options the client names.</param>
    public static LossEvidence Of(TestEndReport sender, TestEndReport receiver, long unique, bool isReceiverRemote)
    {
        TrafficReport sent = sender.Sent!;
        TrafficReport received = receiver.Received!;
        TestHostReport? host = receiver.Host;
        long skipped = Math.Max(0, sent.Pacing?.Skipped ?? 0);
        long offered = Saturating.Add(Saturating.Add(Math.Max(0, sent.Datagrams), Math.Max(0, sent.Refused)), skipped);
        return new LossEvidence
        {
            Offered = offered,
            Missing = Math.Max(0, offered - unique),
            Skipped = skipped,
            Refused = sent.Refused,
            RefusedBecause = Enum.TryParse(sender.RefusedBecause, out SocketError error) ? error : default,
            SenderDelta = sender.Host?.Counters,
            ReceiverDelta = host?.Counters,
            SenderInterface = sender.Host?.Interface,
            ReceiverInterface = host?.Interface,
            SocketDrops = received.KernelDrops,
            SocketDropUnit = DropUnitText.Read(received.KernelDropUnit),
            SegmentedSend = sent.Offloads.Contains("gso", StringComparer.Ordinal),
            CoalescedReceive = received.Offloads.Contains("gro", StringComparer.Ordinal),
            SizeBytes = sent.SizeBytes ?? 0,
            IsIPv6 = host?.IsIPv6,
            SenderMtuBytes = sender.Host?.InterfaceMtuBytes,
            ReceiverMtuBytes = host?.InterfaceMtuBytes,
            ReceiveBufferAskedBytes = received.BufferAskedBytes,
            ReceiveBufferGrantedBytes = received.BufferGrantedBytes,
            BacklogLimit = host?.BacklogLimit,
            Reader = ScheduleOf(received, host),
            Seconds = sent.Seconds,
            IsReceiverRemote = isReceiverRemote,
        };
    }

    private static ReaderSchedule ScheduleOf(TrafficReport received, TestHostReport? host)
    {
        double? cpuNanoseconds = MeanOf(received.Threads, static thread => thread.CpuNanoseconds);
        return new ReaderSchedule(
            (long?)MeanOf(received.Threads, static thread => thread.RunQueueNanoseconds),
            host?.StealNanoseconds,
            host?.StoppedNanoseconds,
            cpuNanoseconds is { } cpu ? 100 * Statistics.Ratio(cpu / 1e9, received.Seconds) : null);
    }

    private static double? MeanOf(ThreadReport[] threads, Func<ThreadReport, long?> figure) =>
        threads.Select(figure).Average();
}
