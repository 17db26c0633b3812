using System.Globalization;
using System.Text.Json.Nodes;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Cli.Shell;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Iperf.Iperf3.Text;

/// <summary>The parts of iperf3's JSON document: names and types of 3.12, with what 3.21 has added.</summary>
internal static class Iperf3JsonParts
{
    private const int BitsPerByte = 8;

    /// <summary>The start of a test that has not begun: what is known of this end.</summary>
    public static JsonObject Start() => new()
    {
        ["connected"] = new JsonArray(),
        ["version"] = ToolVersion.Line,
        ["system_info"] = SystemText.Line,
    };

    public static JsonObject Start(Iperf3Test test, string host, TimeSpan interval)
    {
        Iperf3Parameters parameters = test.Parameters;
        JsonObject start = Start();
        start["connected"] = new JsonArray([.. test.Streams.Select(Connected)]);
        start["timestamp"] = new JsonObject
        {
            ["time"] = test.StartedAt.UtcDateTime.ToString("R", CultureInfo.InvariantCulture),
            ["timesecs"] = test.StartedAt.ToUnixTimeSeconds(),
        };
        start[test.IsClient ? "connecting_to" : "accepted_connection"] = new JsonObject
        {
            ["host"] = test.IsClient ? host : test.Remote.Address.ToString(),
            ["port"] = test.Remote.Port,
        };
        start["cookie"] = test.Cookie;
        start["target_bitrate"] = parameters.BitsPerSecond;
        start["fq_rate"] = parameters.FqBitsPerSecond;
        start["sock_bufsize"] = parameters.WindowBytes;
        start["sndbuf_actual"] = test.SendBufferBytes;
        start["rcvbuf_actual"] = test.ReceiveBufferBytes;
        start["test_start"] = TestStart(parameters, interval);
        return start;
    }

    public static JsonObject Interval(Iperf3Test test, Iperf3Interval interval)
    {
        var streams = new JsonArray();
        for (int place = 0; place < test.Streams.Count; place++)
        {
            Iperf3Stream stream = test.Streams[place];
            JsonObject row = IntervalRow(interval, interval.Streams[place], stream.Sends);
            row.Insert(0, "socket", Iperf3SocketNumber.Of(stream));
            streams.Add((JsonNode)row);
        }

        var part = new JsonObject { ["streams"] = streams };
        foreach ((string suffix, bool sends) in Groups(test))
        {
            Iperf3Counts sum = Iperf3Sum.Of(interval, Iperf3Sum.Places(test, sends));
            part["sum" + suffix] = IntervalRow(interval, sum, sends);
        }

        return part;
    }

    public static JsonObject End(Iperf3Test test, Iperf3Outcome outcome)
    {
        var streams = new JsonArray();
        for (int place = 0; place < test.Streams.Count; place++)
        {
            Iperf3Stream stream = test.Streams[place];
            Iperf3StreamOutcome counts = outcome.Streams[place];
            JsonObject row = EndRow(counts.SentSeconds, counts, stream.Sends);
            row.Insert(0, "socket", Iperf3SocketNumber.Of(stream));
            row.Insert(row.IndexOf("sender"), "out_of_order", counts.Received.OutOfOrder);
            streams.Add((JsonNode)new JsonObject { ["udp"] = row });
        }

        var end = new JsonObject { ["streams"] = streams };
        foreach ((string suffix, bool sends) in Groups(test))
        {
            Iperf3StreamOutcome sum = Iperf3Sum.Of(outcome, Iperf3Sum.Places(test, sends));
            var sent = new Iperf3Counts { Bytes = sum.Sent.Bytes, Packets = sum.Sent.Packets };
            end["sum" + suffix] = EndRow(sum.ReceivedSeconds, sum, sends);
            end["sum_sent" + suffix] = Row(sum.SentSeconds, sent, isSender: true);
            end["sum_received" + suffix] = Row(sum.ReceivedSeconds, sum.Received, isSender: false);
        }

        end["cpu_utilization_percent"] = new JsonObject
        {
            ["host_total"] = outcome.LocalCpu.TotalPercent,
            ["host_user"] = outcome.LocalCpu.UserPercent,
            ["host_system"] = outcome.LocalCpu.SystemPercent,
            ["remote_total"] = outcome.RemoteCpu.TotalPercent,
            ["remote_user"] = outcome.RemoteCpu.UserPercent,
            ["remote_system"] = outcome.RemoteCpu.SystemPercent,
        };
        return end;
    }

    private static JsonObject Connected(Iperf3Stream stream) => new()
    {
        ["socket"] = Iperf3SocketNumber.Of(stream),
        ["local_host"] = stream.Local.Address.ToString(),
        ["local_port"] = stream.Local.Port,
        ["remote_host"] = stream.Remote.Address.ToString(),
        ["remote_port"] = stream.Remote.Port,
    };

    private static JsonObject TestStart(Iperf3Parameters test, TimeSpan interval) => new()
    {
        ["protocol"] = "UDP",
        ["num_streams"] = test.StreamCount,
        ["blksize"] = test.LengthBytes,
        ["omit"] = test.OmitSeconds,
        ["duration"] = test.Seconds,
        ["bytes"] = test.Bytes,
        ["blocks"] = test.Blocks,
        ["reverse"] = test.Reverse ? 1 : 0,
        ["tos"] = test.TrafficClass,
        ["target_bitrate"] = test.BitsPerSecond,
        ["bidir"] = test.Bidirectional ? 1 : 0,
        ["fqrate"] = test.FqBitsPerSecond,
        ["interval"] = interval.TotalSeconds,
        ["gso"] = test.Gsro ? 1 : 0,
        ["gro"] = test.Gsro ? 1 : 0,
    };

    // The names of the sums of a test in both directions: the first one as elsewhere, the second one with a suffix.
    private static IEnumerable<(string Suffix, bool Sends)> Groups(Iperf3Test test) => test.Streams
        .Select(static stream => stream.Sends)
        .Distinct()
        .Select(static (sends, place) => (place == 0 ? "" : "_bidir_reverse", sends));

    private static JsonObject IntervalRow(Iperf3Interval interval, Iperf3Counts counts, bool sends)
    {
        JsonObject row = Span(interval.StartSeconds, interval.EndSeconds, counts.Bytes);
        if (sends) row["packets"] = counts.Packets;
        else AddLoss(row, counts);

        row["omitted"] = interval.IsOmitted;
        row["sender"] = sends;
        return row;
    }

    // iperf3 mixes both ends here: bytes and rate of the sender, loss and jitter of the receiver.
    private static JsonObject EndRow(double seconds, Iperf3StreamOutcome outcome, bool sends)
    {
        JsonObject row = Span(0, seconds, outcome.Sent.Bytes);
        row["bits_per_second"] = Rate(outcome.Sent.Bytes, outcome.SentSeconds);
        AddLoss(row, outcome.Received);
        row["sender"] = sends;
        return row;
    }

    private static JsonObject Row(double seconds, Iperf3Counts counts, bool isSender)
    {
        JsonObject row = Span(0, seconds, counts.Bytes);
        AddLoss(row, counts);
        row["sender"] = isSender;
        return row;
    }

    private static JsonObject Span(double start, double end, long bytes) => new()
    {
        ["start"] = start,
        ["end"] = end,
        ["seconds"] = end - start,
        ["bytes"] = bytes,
        ["bits_per_second"] = Rate(bytes, end - start),
    };

    private static void AddLoss(JsonObject row, Iperf3Counts counts)
    {
        row["jitter_ms"] = counts.JitterSeconds * 1000;
        row["lost_packets"] = counts.Lost;
        row["packets"] = counts.Packets;
        row["lost_percent"] = 100 * Statistics.Ratio(counts.Lost, counts.Packets);
    }

    private static double Rate(long bytes, double seconds) => Statistics.Ratio((double)bytes * BitsPerByte, seconds);
}
