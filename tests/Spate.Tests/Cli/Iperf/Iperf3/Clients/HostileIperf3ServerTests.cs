using System.Text;
using Spate.Cli.Iperf.Iperf3.Clients;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.TestHelpers.Iperf3;

namespace Spate.Tests.Cli.Iperf.Iperf3.Clients;

/// <summary>Servers that are none, or hostile: the client ends with one line, and in bounded time.</summary>
public sealed class HostileIperf3ServerTests
{
    private const string Begin = """{"cpu_util_total":0,"cpu_util_user":0,"cpu_util_system":0,""";

    private static readonly Dictionary<string, (Action<HandMadeIperf3Server> Talk, string Says)> Wrong = new(
        StringComparer.Ordinal)
    {
        ["closes"] = (static server => server.Close(), "the control connection with"),
        ["banner"] = (static server => server.Send("SSH-2.0"u8.ToArray()), "it may not be an iperf3 server"),
        ["garbage"] = (static server => server.Send(77), "sent the unexpected state 77"),
        ["none"] = (static server => server.Send(0), "sent the unexpected state 0"),
        ["early start"] = (static server => server.Send(1), "sent the unexpected state 1"),
        ["busy"] = (static server => server.Send(0xFF), "the server is busy running a test"),
        ["terminates"] = (static server => server.Send(11), "the server has terminated"),
        ["half an error"] = (static server =>
        {
            server.Send(0xFE, 0, 0, 0, 27);
            server.Close();
        }, "the control connection with"),
        ["unknown error"] = (
            static server => server.Send(0xFE, 0x7F, 255, 255, 255, 0x80, 0, 0, 0), "error 2147483647"),
        ["terminates later"] = (static server =>
        {
            server.Join();
            server.Send(1, 2, 11);
            server.AwaitEnd();
        }, "the server has terminated"),
        ["refuses in the data"] = (static server =>
        {
            server.Join();
            server.Send(1, 2, 0xFE, 0, 0, 0, 27, 0, 0, 0, 0);
            server.AwaitEnd();
        }, "above the server's limit"),
        ["no results"] = (Results([0, 0, 0, 0]), "announced 0 bytes"),
        ["endless results"] = (Results([255, 255, 255, 255]), "announced 4294967295 bytes"),
        ["long results"] = (Results([0, 16, 0, 1]), "announced 1048577 bytes"),
        ["other results"] = (Results(Encoding.ASCII.GetBytes("HTTP/1.1 200 OK")), "bytes of JSON"),
        ["wrong JSON"] = (Json("{]"), "not a JSON object"),
        ["deep JSON"] = (Json(new string('[', 100_000)), "not a JSON object"),
        ["no streams"] = (Json("{}"), "no list of up to"),
        ["other streams"] = (static server =>
        {
            server.RunData();
            server.SendJson(Begin + "\"streams\":[{\"id\":2}]}");
            server.Send(14);
            server.AwaitEnd();
        }, "no results of stream 1"),
        ["text as id"] = (Json(Begin + "\"streams\":[{\"id\":\"\\u001b[2J\"}]}"), "not a number from 1"),
        ["many streams"] = (
            Json(Begin + "\"streams\":[" + string.Join(',', Enumerable.Repeat("{\"id\":1}", 257)) + "]}"),
            "no list of up to"),
    };

    private static readonly Dictionary<string, Action<HandMadeIperf3Server>> Silent = new(StringComparer.Ordinal)
    {
        ["half an error"] = static server => server.Send(0xFE, 0, 0),
        ["streams"] = static server =>
        {
            server.Begin();
            server.Send(10);
        },
        ["running"] = static server =>
        {
            server.Join();
            server.Send(1);
        },
        ["end"] = static server =>
        {
            server.Join();
            server.Send(1, 2);
        },
        ["results"] = static server => server.RunData(),
        ["half results"] = static server =>
        {
            server.RunData();
            server.Send(0, 0, 1, 0, (byte)'{');
        },
    };

    public static TheoryData<string> WrongNames => [.. Wrong.Keys];

    public static TheoryData<string> SilentNames => [.. Silent.Keys];

    [Theory]
    [MemberData(nameof(WrongNames))]
    public void Run_ServerThatIsWrong_FailsWithALine(string name)
    {
        (Action<HandMadeIperf3Server> talk, string says) = Wrong[name];
        using var server = new HandMadeIperf3Server(talk);

        string fault = Fault(RunningIperf3Server.OptionsFor(server.EndPoint));

        Assert.Contains(says, fault, StringComparison.Ordinal);
    }

    [Fact]
    public void Run_StateOfTheResultsInTheData_FailsWithALine()
    {
        using var server = new HandMadeIperf3Server(static server =>
        {
            server.Join();
            server.Send(1, 2, 13);
            server.AwaitEnd();
        });
        Iperf3ClientOptions options = RunningIperf3Server.OptionsFor(server.EndPoint);

        // At the end of the data the state would be right: they must last until the client has read it.
        string fault = Fault(options with { Parameters = options.Parameters with { Blocks = 0, Seconds = 600 } });

        Assert.Contains("sent the unexpected state 13", fault, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(SilentNames))]
    public async Task Run_ServerThatFallsSilent_FailsInTheEnd(string name)
    {
        using var server = new HandMadeIperf3Server(talking =>
        {
            Silent[name](talking);
            talking.AwaitEnd();
        });
        var time = new FakeTime();
        Task<string> run = Task.Factory.StartNew(
            () => Fault(RunningIperf3Server.OptionsFor(server.EndPoint), time),
            TestContext.Current.CancellationToken,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        time.AdvanceUntil(run, TimeSpan.FromMilliseconds(100));

        Assert.DoesNotContain("ended", await run, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(null)]
    public void Run_ServerThatIsWrongBehindItsResults_HasAnOutcome(int? state)
    {
        using var server = new HandMadeIperf3Server(talking =>
        {
            talking.RunData();
            talking.SendJson(HandMadeIperf3Client.Results(1));
            if (state is { } sent) talking.Send((byte)sent);
        });

        Iperf3Outcome outcome = RunningIperf3Server.Run(RunningIperf3Server.OptionsFor(server.EndPoint));

        Assert.Single(outcome.Streams);
    }

    [Theory]
    [InlineData("1e300")]
    [InlineData("-1e300")]
    [InlineData("18446744073709551615")]
    [InlineData("null")]
    [InlineData("\"7\"")]
    public void Run_ResultsWithAnyNumber_HasAnOutcomeWithinBounds(string number)
    {
        using var server = new HandMadeIperf3Server(talking =>
        {
            talking.RunData();
            talking.SendJson(Begin + "\"streams\":[{\"id\":1,"
                + $"\"bytes\":{number},\"packets\":{number},\"errors\":{number},\"jitter\":{number},"
                + $"\"omitted_packets\":{number},\"omitted_errors\":{number},\"end_time\":{number}}}],"
                + $"\"spate\":{{\"received\":{{\"datagrams\":{number},\"unique\":{number}}}}}}}");
            talking.Send(14);
            talking.AwaitEnd();
        });

        Iperf3Outcome outcome = RunningIperf3Server.Run(RunningIperf3Server.OptionsFor(server.EndPoint));

        Iperf3Direction direction = Assert.Single(outcome.Directions);
        Assert.Equal(number is not ("null" or "\"7\""), outcome.Notes.Any(IsDoubt));
        Assert.InRange(direction.Account.Lost, 0, 100);
        Assert.InRange(direction.AfterEnd, 0, 100);
        Assert.True(double.IsFinite(outcome.Streams[0].Received.JitterSeconds));
    }

    [Fact]
    public void Run_CountersOfAnySize_AddUp()
    {
        byte[] datagram = new byte[HandMadeIperf3Client.LengthBytes];
        datagram.AsSpan(8, 8).Fill(0x1F);
        using var server = new HandMadeIperf3Server(talking =>
        {
            talking.Join();
            talking.Send(1, 2);
            talking.SendDatagram(datagram);
            datagram[8] = 0;
            for (int i = 0; i < 8; i++)
            {
                datagram[9] = (byte)(0x10 + i);
                talking.SendDatagram(datagram);
            }

            _ = talking.Read(1);
            talking.Send(13);
            _ = talking.ReadJson();
            talking.SendJson(HandMadeIperf3Client.Results(8));
            talking.Send(14);
            talking.AwaitEnd();
        });
        Iperf3ClientOptions options = RunningIperf3Server.OptionsFor(server.EndPoint);
        Iperf3Outcome outcome = RunningIperf3Server.Run(options with
        {
            Parameters = options.Parameters with { Reverse = true, Counters64Bit = true, Blocks = 8 },
        });

        Assert.InRange(outcome.Streams[0].Received.Total, 1, 1L << 53);
        Assert.InRange(outcome.Streams[0].Received.Lost, 0, 1L << 53);
    }

    [Fact]
    public void Run_DataRightBehindTheAnswer_IsCounted()
    {
        const int count = 40;
        using var server = new HandMadeIperf3Server(static talking =>
        {
            talking.Join();
            for (uint counter = 1; counter <= count; counter++)
            {
                talking.SendDatagram(HandMadeIperf3Client.Datagram(counter));
            }

            talking.Send(1, 2);
            _ = talking.Read(1);
            talking.Send(13);
            _ = talking.ReadJson();
            talking.SendJson(HandMadeIperf3Client.Results(count));
            talking.Send(14);
            talking.AwaitEnd();
        });
        Iperf3ClientOptions options = RunningIperf3Server.OptionsFor(server.EndPoint);
        Iperf3Outcome outcome = RunningIperf3Server.Run(options with
        {
            Parameters = options.Parameters with { Reverse = true, Blocks = count },
        });

        Assert.Equal(0, outcome.Directions[0].Account.Lost);
        Assert.Equal(count, outcome.Streams[0].Received.Bytes / HandMadeIperf3Client.LengthBytes);
    }

    private static bool IsDoubt(string note) => note.Contains("are inconsistent", StringComparison.Ordinal);

    private static Action<HandMadeIperf3Server> Results(byte[] message) => server =>
    {
        server.RunData();
        server.Send(message);
        server.AwaitEnd();
    };

    private static Action<HandMadeIperf3Server> Json(string json) => server =>
    {
        server.RunData();
        server.SendJson(json);
        server.AwaitEnd();
    };

    private static string Fault(Iperf3ClientOptions options, TimeProvider? time = null)
    {
        var observer = new RecordingObserver();
        Iperf3Exception fault = Assert.Throws<Iperf3Exception>(() => Iperf3Client.Run(
            options, observer, time, TestContext.Current.CancellationToken));

        Assert.Equal(fault.Message, observer.Fault);
        Assert.Equal(1, observer.EndCount);
        Assert.DoesNotContain(fault.Message, char.IsControl);
        return fault.Message;
    }
}
