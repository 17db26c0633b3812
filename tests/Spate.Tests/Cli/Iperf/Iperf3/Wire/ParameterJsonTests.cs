using System.Text;
using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.Tests.Cli.Iperf.Iperf3.Wire;

public sealed class ParameterJsonTests
{
    private static readonly Iperf3Parameters Everything = new()
    {
        OmitSeconds = 600,
        ServerCpu = 0,
        Seconds = 86_400,
        Bytes = 1L << 53,
        Blocks = 7,
        StreamCount = 128,
        Bidirectional = true,
        WindowBytes = 512 << 20,
        LengthBytes = 1448,
        BitsPerSecond = 25_000_000_000,
        FqBitsPerSecond = 1,
        BurstDatagrams = 1000,
        TrafficClass = 255,
        Title = "a \"title\" \u00e9",
        ExtraData = "more",
        GetServerOutput = true,
        Counters64Bit = true,
        RepeatingPayload = true,
        DontFragment = true,
        Gsro = true,
        ClientVersion = "3.12",
    };

    public static TheoryData<string> RealNames => [.. WireCorpus.Names("parameters-3.12")];

    [Fact]
    public void Read_AllOptionsOfTheRealClient_AreThoseAsked()
    {
        Iperf3Parameters parameters = Read(WireCorpus.Read("parameters-3.12-everything"));

        Assert.Equal(
            new Iperf3Parameters
            {
                ServerCpu = 1,
                Seconds = 1,
                WindowBytes = 262_144,
                LengthBytes = 1200,
                BitsPerSecond = 2_000_000,
                FqBitsPerSecond = 1_000_000_000,
                BurstDatagrams = 10,
                TrafficClass = 32,
                Title = "name",
                ExtraData = "more",
                GetServerOutput = true,
                Counters64Bit = true,
                RepeatingPayload = true,
                DontFragment = true,
                ClientVersion = "3.12",
            },
            parameters);
    }

    [Theory]
    [MemberData(nameof(RealNames))]
    public void Write_WhatTheRealClientSent_IsTheSameText(string name)
    {
        byte[] sent = WireCorpus.Read(name);

        byte[] written = ParameterJson.Write(Read(sent));

        // The real client was told another time for the pacing timer, which this program has no option for.
        string expected = Encoding.UTF8.GetString(sent)
            .Replace("\"pacing_timer\":2000", "\"pacing_timer\":1000", StringComparison.Ordinal);
        Assert.Equal(expected, Encoding.UTF8.GetString(written));
    }

    [Fact]
    public void Read_OldDialect_TakesNumbersForSwitches() => Assert.Equal(
        new Iperf3Parameters { Reverse = true, LengthBytes = 8192, GetServerOutput = true },
        Read(WireCorpus.Read("parameters-3.0-old")));

    [Fact]
    public void Read_NewestDialect_TakesGsoMessages() => Assert.Equal(
        new Iperf3Parameters
        {
            OmitSeconds = 2,
            Seconds = 5,
            StreamCount = 3,
            Reverse = true,
            LengthBytes = 1448,
            BitsPerSecond = 0,
            Gsro = true,
            ClientVersion = "3.21",
        },
        Read(WireCorpus.Read("parameters-3.21-gsro")));

    [Fact]
    public void Read_NumbersOfAnyForm_AreBounded() => Assert.Equal(
        new Iperf3Parameters
        {
            Seconds = 10,
            Bytes = JsonNumbers.MaxCount,
            Blocks = JsonNumbers.MaxCount,
            LengthBytes = 1400,
            BitsPerSecond = 2_500_000_000,
            BurstDatagrams = 10,
        },
        Read(WireCorpus.Read("parameters-exponents")));

    [Theory]
    [InlineData("", 10, 0)]
    [InlineData(",\"num\":5", 0, 5)]
    [InlineData(",\"time\":3,\"num\":5", 3, 5)]
    [InlineData(",\"time\":0", 0, 0)]
    public void Read_NamesNoTime_TakesTenSecondsUnlessAnotherEndIsNamed(string fields, int seconds, long bytes)
    {
        Iperf3Parameters parameters = Read(Encoding.UTF8.GetBytes($"{{\"udp\":true{fields}}}"));

        Assert.Equal((seconds, bytes), (parameters.Seconds, parameters.Bytes));
        Assert.Equal((1, 0, 0L), (parameters.StreamCount, parameters.LengthBytes, parameters.BitsPerSecond));
    }

    [Theory]
    [InlineData("{}", 131, "no protocol is requested")]
    [InlineData("{\"udp\":false,\"tcp\":true}", 131, "TCP is requested")]
    [InlineData("{\"sctp\":true}", 131, "SCTP is requested")]
    [InlineData("{\"udp\":\"x\"}", 114, "udp is \"x\", not true or false")]
    [InlineData("{\"udp\":null}", 114, "udp is null")]
    [InlineData("{\"udp\":true,\"time\":86401}", 5, "time is 86401, not a number from 0 to 86400")]
    [InlineData("{\"udp\":true,\"time\":-1}", 5, "time is -1")]
    [InlineData("{\"udp\":true,\"time\":1e400}", 5, "time is 1e400")]
    [InlineData("{\"udp\":true,\"omit\":601}", 12, "omit is 601")]
    [InlineData("{\"udp\":true,\"parallel\":0}", 6, "parallel is 0")]
    [InlineData("{\"udp\":true,\"parallel\":129}", 6, "parallel is 129")]
    [InlineData("{\"udp\":true,\"parallel\":\"4\"}", 6, "parallel is \"4\"")]
    [InlineData("{\"udp\":true,\"len\":15}", 20, "len is 15, not a number from 16 to 65507")]
    [InlineData("{\"udp\":true,\"len\":0}", 20, "len is 0")]
    [InlineData("{\"udp\":true,\"len\":65508}", 20, "len is 65508")]
    [InlineData("{\"udp\":true,\"len\":18446744073709551616}", 20, "len is 18446744073709551616")]
    [InlineData("{\"udp\":true,\"window\":536870913}", 8, "window is 536870913")]
    [InlineData("{\"udp\":true,\"burst\":1001}", 15, "burst is 1001")]
    [InlineData("{\"udp\":true,\"TOS\":256}", 21, "TOS is 256")]
    [InlineData("{\"udp\":true,\"server_affinity\":1025}", 132, "server_affinity is 1025")]
    [InlineData("{\"udp\":true,\"bandwidth\":-1}", 114, "bandwidth is -1")]
    [InlineData("{\"udp\":true,\"num\":[]}", 114, "num is []")]
    [InlineData("{\"udp\":true,\"title\":{}}", 114, "title is {}, not text")]
    [InlineData("{\"udp\":true,\"reverse\":true,\"bidirectional\":1}", 25, "both reverse and bidirectional")]
    [InlineData("{\"udp\":true,\"title\":\"\\ud800\"}", 114, "not a JSON object")]
    [InlineData("{\"udp\":true,\"\\udfff\":1}", 114, "")]
    [InlineData("{\"udp\":true,\"title\":\"", 114, "not a JSON object")]
    [InlineData("{\"udp\":true}}", 114, "not a JSON object")]
    [InlineData("[]", 114, "not a JSON object")]
    [InlineData("NaN", 114, "not a JSON object")]
    [InlineData("{\"udp\":true,\"len\":NaN}", 114, "not a JSON object")]
    [InlineData("", 114, "not a JSON object")]
    public void Read_WrongParameters_NamesFieldAndNumber(string json, int code, string expected)
    {
        bool isRead = ParameterJson.TryRead(Encoding.UTF8.GetBytes(json), out _, out int errorCode, out string? error);

        // A name that nobody looks up need not be Unicode; what counts is that nothing is thrown.
        if (expected.Length == 0 && isRead) return;

        Assert.False(isRead);
        Assert.Contains(expected, error, StringComparison.Ordinal);
        Assert.Equal(code, errorCode);
    }

    [Fact]
    public void Read_RawBytesThatAreNoUtf8_IsRefused()
    {
        byte[] json = "{\"udp\":true,\"title\":\"?\"}"u8.ToArray();
        json[Array.IndexOf(json, (byte)'?')] = 0xFF;

        Assert.False(ParameterJson.TryRead(json, out _, out int code, out string? error));
        Assert.Equal((114, true), (code, error.Contains("not a JSON object", StringComparison.Ordinal)));
    }

    [Fact]
    public void Read_UnknownKeysOfAnyType_AreIgnored() => Assert.Equal(
        new Iperf3Parameters { BitsPerSecond = 0 },
        Read("{\"x\":{\"y\":[1e999,null]},\"udp\":true,\"authtoken\":7,\"MSS\":\"a\",\"gso_dg_size\":[]}"u8.ToArray()));

    [Fact]
    public void Read_KeyTwice_TakesTheLast() =>
        Assert.Equal(32, Read("{\"udp\":true,\"len\":1,\"len\":16,\"len\":32}"u8.ToArray()).LengthBytes);

    [Fact]
    public void Read_FaultOfATerminalsCode_IsPrintable()
    {
        ParameterJson.TryRead("{\"udp\":true,\"len\":\"\x1b[2J\u202e\"}"u8.ToArray(), out _, out _, out string? fault);
        string raw = "{\"udp\":true,\"len\":\"" + new string('\u202e', 100) + "\"}";
        ParameterJson.TryRead(Encoding.UTF8.GetBytes(raw), out _, out _, out string? error);

        Assert.All([fault!, error!], static one => Assert.DoesNotContain(one, static c => c is < ' ' or > '~'));
        Assert.True(error!.Length < 200);
    }

    [Theory]
    [InlineData(15, true)]
    [InlineData(16, false)]
    [InlineData(4000, false)]
    public void Read_Nested_IsReadToADepth(int levels, bool isRead)
    {
        string json = $"{{\"udp\":true,\"x\":{new string('[', levels)}{new string(']', levels)}}}";

        Assert.Equal(isRead, ParameterJson.TryRead(Encoding.UTF8.GetBytes(json), out _, out _, out _));
    }

    [Fact]
    public void Read_LongerThanTheLimit_IsRefused()
    {
        byte[] json = Encoding.UTF8.GetBytes("{\"udp\":true}".PadRight(ParameterJson.MaxBytes + 1));

        Assert.False(ParameterJson.TryRead(json, out _, out _, out string? error));
        Assert.Contains("8193 bytes", error, StringComparison.Ordinal);
        Assert.True(ParameterJson.TryRead(json.AsMemory(0, ParameterJson.MaxBytes), out _, out _, out _));
    }

    [Fact]
    public void Write_AllOptions_AreReadBack() => Assert.Equal(Everything, Read(ParameterJson.Write(Everything)));

    [Theory]
    [InlineData(507, false)]
    [InlineData(508, true)]
    [InlineData(65_507, true)]
    [InlineData(0, false)]
    public void Write_GsoMessages_OnlyOfSegmentsThatThePeerCanSend(int length, bool isAsked)
    {
        byte[] json = ParameterJson.Write(new Iperf3Parameters { Gsro = true, LengthBytes = length });

        Assert.Equal(isAsked, Read(json).Gsro);
    }

    [Fact]
    public void Write_LongTitle_SaysWhatToShorten()
    {
        var parameters = new Iperf3Parameters { Title = new string('x', ParameterJson.MaxBytes) };

        Iperf3Exception fault = Assert.Throws<Iperf3Exception>(() => ParameterJson.Write(parameters));
        Assert.Contains("shorten the title", fault.Message, StringComparison.Ordinal);
    }

    private static Iperf3Parameters Read(byte[] json)
    {
        bool isRead = ParameterJson.TryRead(json, out Iperf3Parameters? parameters, out int code, out string? error);
        Assert.True(isRead, error);
        Assert.Equal(0, code);
        return parameters!;
    }
}
