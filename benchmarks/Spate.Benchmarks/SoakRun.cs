using System.Buffers.Binary;
using System.Diagnostics;

namespace Spate.Benchmarks;

/// <summary>
/// Moves many datagrams (10^8 unless told) through one way of receiving, in lockstep over loopback so that none is
/// lost, and prints
/// what was allocated on the way: `soak [batches|await|plain] [datagrams]`. A leak or an allocation per datagram that
/// is too rare
/// for a short test shows here.
/// </summary>
internal static class SoakRun
{
    private const int WindowCount = 128;
    private const int PayloadBytes = 64;
    private const long WarmUpCount = 2_000_000;

    public static async Task RunAsync(string way, long datagramCount)
    {
        UdpSocketOptions options = new()
        {
            CoalescedReceive = !string.Equals(way, "plain", StringComparison.Ordinal),
            SegmentedSend = !string.Equals(way, "plain", StringComparison.Ordinal),
        };
        using UdpSocket receiver = UdpSocket.Bind(UdpEndPoint.Loopback(0), options);
        using UdpSocket sender = UdpSocket.Connect(receiver.LocalEndPoint, options: options);
        using ReceiveBatch incoming = receiver.CreateReceiveBatch();
        using SendBatch outgoing = sender.CreateSendBatch();
        Func<long, Task<long>> run = string.Equals(way, "await", StringComparison.Ordinal)
            ? count => AwaitOneByOneAsync(receiver, sender, count)
            : count => Task.FromResult(InBatches(receiver, sender, incoming, outgoing, count));

        await run(WarmUpCount);
        long allocatedBefore = GC.GetTotalAllocatedBytes(precise: true);
        int collectionsBefore = GC.CollectionCount(0);
        long residentBefore = Environment.WorkingSet;
        var clock = Stopwatch.StartNew();
        long receivedCount = await run(datagramCount);
        double seconds = clock.Elapsed.TotalSeconds;
        long allocatedBytes = GC.GetTotalAllocatedBytes(precise: true) - allocatedBefore;
        Console.WriteLine(
            $"{way}: {receivedCount} of {datagramCount} datagrams in {seconds:F1} s, {allocatedBytes} bytes allocated "
            + $"({(double)allocatedBytes / receivedCount:F6} per datagram), "
            + $"{GC.CollectionCount(0) - collectionsBefore} gen-0 collections, "
            + $"resident {residentBefore >> 20} MiB before, {Environment.WorkingSet >> 20} MiB after");
    }

    private static long InBatches(
        UdpSocket receiver, UdpSocket sender, ReceiveBatch incoming, SendBatch outgoing, long datagramCount)
    {
        long receivedCount = 0;
        for (long sentCount = 0; sentCount < datagramCount;)
        {
            for (int i = 0; i < WindowCount && outgoing.TryReserve(PayloadBytes, out Span<byte> payload); i++)
                BinaryPrimitives.WriteInt64LittleEndian(payload, sentCount + i);
            sentCount += sender.Send(outgoing).Sent;
            while (receivedCount < sentCount && receiver.Receive(incoming) == ReceiveStatus.Received)
                receivedCount += incoming.Count;
        }

        return receivedCount;
    }

    private static async Task<long> AwaitOneByOneAsync(UdpSocket receiver, UdpSocket sender, long datagramCount)
    {
        byte[] payload = new byte[PayloadBytes];
        byte[] buffer = new byte[2048];
        long receivedCount = 0;
        for (long sentCount = 0; sentCount < datagramCount;)
        {
            // One receive waits before anything is sent, so that the awaited path is taken in every window.
            ValueTask<ReceivedDatagram> first = receiver.ReceiveFromAsync(buffer);
            for (int i = 0; i < WindowCount; i++) sentCount += (await sender.SendToAsync(payload, default)).Sent;
            await first;
            for (receivedCount++; receivedCount < sentCount; receivedCount++) await receiver.ReceiveFromAsync(buffer);
        }

        return receivedCount;
    }
}
