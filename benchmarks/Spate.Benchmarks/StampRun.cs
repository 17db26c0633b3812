using System.Buffers.Binary;
using System.Diagnostics;

namespace Spate.Benchmarks;

/// <summary>
/// Judges the pacing of a sender from outside, by the kernel's stamps of arrival: `stamps PORT SECONDS RATE`. It
/// receives what `spate send --rate RATE` sends to a port of this machine. It prints how far the gaps between datagrams
/// were from 1 / RATE, and how much later each datagram came than the schedule that the earliest one gives. It sleeps
/// between two looks at the socket, so that it does not disturb the sender.
/// </summary>
internal static class StampRun
{
    // The header of a test datagram: docs/measure/protocol.md.
    private const int KindOffset = 5;
    private const byte DataKind = 1;
    private const int SequenceOffset = 16;
    private const int HeaderBytes = 24;
    private const int LookMilliseconds = 20;
    private const int BufferBytes = 64 << 20;

    public static void Run(int port, double seconds, double rate)
    {
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback((ushort)port), new UdpSocketOptions
        {
            Metadata = UdpMetadata.Timestamp,
            CoalescedReceive = false,
            ReceiveBufferBytes = BufferBytes,
        });
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        var stamps = new List<long>((int)(seconds * rate * 1.1) + 1000);
        var sequences = new List<long>(stamps.Capacity);
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start).TotalSeconds < seconds)
        {
            Thread.Sleep(LookMilliseconds);
            while (socket.TryReceive(batch) == ReceiveStatus.Received) Note(batch, stamps, sequences);
        }

        Print(stamps, sequences, 1e9 / rate);
    }

    private static void Note(ReceiveBatch batch, List<long> stamps, List<long> sequences)
    {
        foreach (Datagram datagram in batch)
        {
            if (datagram.Payload.Length < HeaderBytes || datagram.Payload[KindOffset] != DataKind) continue;
            stamps.Add(datagram.TimestampUnixNanoseconds ?? 0);
            sequences.Add(BinaryPrimitives.ReadInt64BigEndian(datagram.Payload[SequenceOffset..]));
        }
    }

    private static void Print(List<long> stamps, List<long> sequences, double interval)
    {
        var gaps = new List<double>();
        var offsets = new List<double>();
        for (int i = 0; i < stamps.Count; i++)
        {
            offsets.Add(stamps[i] - stamps[0] - ((sequences[i] - sequences[0]) * interval));
            if (i == 0 || sequences[i] != sequences[i - 1] + 1) continue;
            gaps.Add(Math.Abs(stamps[i] - stamps[i - 1] - interval));
        }

        if (gaps.Count == 0)
        {
            Console.WriteLine("nothing arrived");
            return;
        }

        double least = offsets.Min();
        long missing = sequences[^1] - sequences[0] + 1 - sequences.Count;
        double achieved = (stamps.Count - 1) * 1e9 / (stamps[^1] - stamps[0]);
        Console.WriteLine($"{stamps.Count} datagrams, {missing} missing, {achieved:F1}/s by the stamps");
        Console.WriteLine($"gap error us: {Percentiles(gaps)}");
        Console.WriteLine($"off schedule us: {Percentiles([.. offsets.Select(offset => offset - least)])}");
    }

    private static string Percentiles(List<double> nanoseconds)
    {
        nanoseconds.Sort();
        double At(double share) => nanoseconds[(int)Math.Ceiling(share * nanoseconds.Count) - 1] / 1000;
        return $"p50 {At(0.5):F1}, p90 {At(0.9):F1}, p99 {At(0.99):F1}, max {At(1):F1}";
    }
}
