using System.Text;
using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.Tests.Cli.Iperf.Iperf3.Wire;

/// <summary>
/// Documents of the corpus, spoilt at random. The readers never throw; what they take is in its range and survives
/// writing and reading; what they refuse has one printable line.
/// </summary>
public sealed class WireFuzzTests
{
    private const int MaxChanges = 4;

    private static readonly string[] Words =
    [
        "0", "-1", "1e400", "-1e400", "1e-400", "1e18", "9223372036854775807", "9223372036854775808",
        "18446744073709551615", "18446744073709551616", "-9223372036854775809", "0.5", "65507", "65508", "129", "null",
        "true", "false", "\"\"", "\"\\ud800\"", "\"\\u0000\"", "\"\u202e\"", "{}", "[]", "[[[[[[[[[[[[[[[[[[[[",
        "{\"a\":", "NaN", "Infinity", ",", ":", "}", "]", "\"udp\":true,", "\"len\":", "\"id\":2,", "\"streams\":[],",
        "\"spate\":{},", "\"server_output_json\":{\"a\":1},", "\\", "\"", "\n", "\0",
    ];

    private static int CaseCount => TestWidth.Of(60_000, full: 2_000_000);

    [Fact]
    public void Parameters_SpoiltAtRandom_AreRefusedOrWithinTheirRanges()
    {
        Random random = RandomCase.Create();
        byte[][] corpus = [.. WireCorpus.Names("parameters").Select(WireCorpus.Read)];
        int accepted = 0;
        for (int i = 0; i < CaseCount; i++)
        {
            byte[] json = Spoil(corpus, random);
            if (!ParameterJson.TryRead(json, out Iperf3Parameters? parameters, out int code, out string? error))
            {
                Assert.True(code > 0 && IsPrintable(error), Describe(i, json));
                continue;
            }

            accepted++;
            Assert.True(IsInRange(parameters), Describe(i, json));
            Assert.True(SurvivesWriting(parameters), Describe(i, json));
        }

        Assert.InRange(accepted, CaseCount / 100, CaseCount - 1);
    }

    [Fact]
    public void Results_SpoiltAtRandom_AreRefusedOrWithinTheirRanges()
    {
        Random random = RandomCase.Create();
        byte[][] corpus = [.. WireCorpus.Names("results").Select(WireCorpus.Read)];
        (int accepted, int own) = (0, 0);
        for (int i = 0; i < CaseCount; i++)
        {
            byte[] json = Spoil(corpus, random);
            if (!ResultsJson.TryRead(json, out Iperf3Results? results, out string? error))
            {
                Assert.True(IsPrintable(error), Describe(i, json));
                continue;
            }

            accepted++;
            if (results.Spate is not null) own++;
            Assert.True(results.Streams.All(IsInRange), Describe(i, json));
            ResultsJson.TryRead(ResultsJson.Write(results), out Iperf3Results? again, out _);
            Assert.True(again is not null, Describe(i, json));
            SameResults.Check(results, again);
        }

        Assert.InRange(accepted, CaseCount / 100, CaseCount - 1);
        Assert.InRange(own, 1, accepted);
    }

    [Fact]
    public void Datagrams_AtRandom_AreReadAsTheyWereWritten()
    {
        Random random = RandomCase.Create();
        byte[] datagram = new byte[Iperf3Datagram.HeaderBytes(is64: true)];
        for (int i = 0; i < CaseCount; i++)
        {
            random.NextBytes(datagram);
            bool is64 = random.Next(2) == 0;
            Span<byte> some = datagram.AsSpan(0, random.Next(datagram.Length + 1));
            bool isRead = Iperf3Datagram.TryRead(some, is64, out long sent, out ulong counter);

            Assert.Equal(some.Length >= Iperf3Datagram.HeaderBytes(is64), isRead);
            Assert.True(sent >= 0);
            Assert.True(is64 || counter <= uint.MaxValue);
        }
    }

    // Changes of bytes and of words, and cuts: a few at a time, so that many stay JSON.
    private static byte[] Spoil(byte[][] corpus, Random random)
    {
        List<byte> json = [.. corpus[random.Next(corpus.Length)]];
        for (int change = random.Next(1, MaxChanges + 1); change > 0; change--)
        {
            int at = random.Next(json.Count + 1);
            switch (random.Next(7))
            {
                case 0 when at < json.Count:
                    json[at] = (byte)random.Next(256);
                    break;
                case 1:
                    json.InsertRange(at, Encoding.UTF8.GetBytes(Words[random.Next(Words.Length)]));
                    break;
                case 2 when at < json.Count:
                    json.RemoveRange(at, random.Next(Math.Min(20, json.Count - at)));
                    break;
                case 3 when random.Next(10) == 0:
                    json.RemoveRange(at, json.Count - at);
                    break;
                case 4 when at < json.Count:
                    json.InsertRange(random.Next(json.Count), json.GetRange(at, random.Next(json.Count - at)));
                    break;
                default:
                    ReplaceValue(json, at, Words[random.Next(Words.Length)]);
                    break;
            }
        }

        return [.. json];
    }

    // Replaces what stands between the next colon and the comma or bracket behind it.
    private static void ReplaceValue(List<byte> json, int at, string value)
    {
        int start = at < json.Count ? json.IndexOf((byte)':', at) + 1 : 0;
        if (start == 0) return;

        int end = json.FindIndex(start, static one => one is (byte)',' or (byte)'}' or (byte)']');
        if (end < 0) return;

        json.RemoveRange(start, end - start);
        json.InsertRange(start, Encoding.UTF8.GetBytes(value));
    }

    private static bool IsInRange(Iperf3Parameters parameters) => parameters is
    {
        StreamCount: >= 1 and <= 128,
        LengthBytes: 0 or (>= 16 and <= 65_507),
        BitsPerSecond: >= 0 and <= JsonNumbers.MaxCount,
        FqBitsPerSecond: >= 0 and <= JsonNumbers.MaxCount,
        Bytes: >= 0 and <= JsonNumbers.MaxCount,
        Blocks: >= 0 and <= JsonNumbers.MaxCount,
        BurstDatagrams: >= 0 and <= 1000,
        Seconds: >= 0 and <= 86_400,
        OmitSeconds: >= 0 and <= 600,
        WindowBytes: >= 0 and <= 512 << 20,
        TrafficClass: >= 0 and <= 255,
        ServerCpu: null or (>= 0 and <= 1024),
    } && !(parameters.Reverse && parameters.Bidirectional);

    // Only texts, which the reader may have found escaped, can make the parameters too long; GSO messages are only
    // asked for where the other end can send them.
    private static bool SurvivesWriting(Iperf3Parameters parameters) =>
        ParameterJson.TryRead(ParameterJson.Write(parameters), out Iperf3Parameters? again, out _, out _)
            && (again with { Gsro = false }) == (parameters with { Gsro = false })
            && (parameters.Gsro || !again.Gsro);

    private static bool IsInRange(Iperf3StreamResult stream) => stream is
    {
        Id: >= 1,
        Bytes: >= 0 and <= JsonNumbers.MaxCount,
        Packets: >= 0 and <= JsonNumbers.MaxCount,
        OmittedPackets: >= 0 and <= JsonNumbers.MaxCount,
        Errors: >= -JsonNumbers.MaxCount and <= JsonNumbers.MaxCount,
        OmittedErrors: >= -JsonNumbers.MaxCount and <= JsonNumbers.MaxCount,
        Jitter: >= 0 and <= 1e7,
        StartSeconds: >= 0 and <= 1e7,
        EndSeconds: >= 0 and <= 1e7,
    };

    private static bool IsPrintable(string? line) =>
        line is { Length: > 0 and < 300 } && line.All(static c => c is >= ' ' and <= '~');

    private static string Describe(int index, byte[] json) => $"case {index}: {Convert.ToBase64String(json)}";
}
