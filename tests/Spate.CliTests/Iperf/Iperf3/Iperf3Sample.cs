using System.Net;
using Spate.Cli.Iperf;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Traffic;

namespace Spate.CliTests.Iperf.Iperf3;

/// <summary>Hand-made tests and what was counted in them: datagrams of 1400 bytes at 10 Mbit/s.</summary>
internal static class Iperf3Sample
{
    public const int Length = 1400;
    public const int ServerPort = 5299;

    public static Iperf3Test NewTest(bool isClient, Iperf3Parameters parameters)
    {
        Iperf3Parameters whole = parameters with { LengthBytes = Length, BitsPerSecond = 10_000_000, Seconds = 2 };
        var client = new IPEndPoint(IPAddress.Loopback, 33_404);
        var server = new IPEndPoint(IPAddress.Loopback, ServerPort);
        return new Iperf3Test
        {
            IsClient = isClient,
            Parameters = whole,
            Cookie = new string('a', 36),
            Local = isClient ? client : server,
            Remote = isClient ? server : client,
            MaxSegmentBytes = 32_768,
            StartedAt = new DateTimeOffset(2026, 11, 23, 1, 32, 24, TimeSpan.Zero),
            Streams = [.. Enumerable.Range(0, whole.AllStreamCount).Select(place => Stream(isClient, whole, place))],
            SendBufferBytes = 212_992,
            ReceiveBufferBytes = 212_992,
        };
    }

    public static IperfCounts Counts(long packets, double jitterSeconds = 0, long lost = 0, long outOfOrder = 0) =>
        new()
        {
            Bytes = (packets - Math.Max(0, lost)) * Length,
            Total = packets,
            Lost = lost,
            OutOfOrder = outOfOrder,
            JitterSeconds = jitterSeconds,
        };

    public static IperfInterval Interval(Iperf3Test test, double start, double end, params IperfCounts[] counts) => new(
        start,
        end,
        [.. test.Streams.Zip(counts, static (stream, one) => new IperfRow(stream.Number, stream.Sends, one))]);

    public static Iperf3StreamOutcome Stream(IperfCounts sent, IperfCounts received) => new()
    {
        Sent = sent,
        SentSeconds = 2.0003,
        Received = received,
        ReceivedSeconds = 2.0006,
    };

    public static Iperf3Outcome Outcome(params Iperf3StreamOutcome[] streams) => new()
    {
        Streams = streams,
        LocalCpu = new Iperf3Cpu(3.1, 2.5, 0.6),
        RemoteCpu = new Iperf3Cpu(1, 0.25, 0.75),
        Directions = [Direction("client")],
        Local = new TestEndReport(),
    };

    public static Iperf3Direction Direction(string from) => new()
    {
        IsExact = true,
        Sent = 1789,
        Account = new TestDirectionReport
        {
            From = from,
            Datagrams = 1789,
            Unique = 1781,
            Lost = 8,
            LostPercent = 100.0 * 8 / 1789,
            Offered = 1789,
            Verdict = "8 were lost in the socket of the receiver: a larger buffer would help.",
        },
        Duplicated = 0,
        Reordered = 3,
        AfterEnd = 4,
        ReferenceLost = 4,
        ReferenceOutOfOrder = 3,
        ReferencePackets = 1785,
    };

    private static IperfStream Stream(bool isClient, Iperf3Parameters parameters, int place)
    {
        UdpEndPoint client = UdpEndPoint.Loopback((ushort)(60_000 + place));
        UdpEndPoint server = UdpEndPoint.Loopback(ServerPort);
        int id = place == 0 ? 1 : place + 2;
        bool sends = parameters.Sends(isClient, place);
        return new IperfStream(id, isClient ? client : server, isClient ? server : client) { Sends = sends };
    }
}
