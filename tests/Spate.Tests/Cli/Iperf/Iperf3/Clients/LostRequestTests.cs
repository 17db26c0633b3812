using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.TestHelpers.Iperf3;

namespace Spate.Tests.Cli.Iperf.Iperf3.Clients;

/// <summary>Requests for streams, and answers, that are lost or are of an old release.</summary>
public sealed class LostRequestTests
{
    [Fact]
    public void Run_AnswerLost_AsksAgainWithADatagramThatCountsNothing()
    {
        using var server = new HandMadeIperf3Server(static talking => Serve(talking, ignored: 2));

        _ = RunningIperf3Server.Run(RunningIperf3Server.OptionsFor(server.EndPoint));

        Assert.Equal("9876"u8.ToArray(), server.Requests[0]);
        Assert.Equal(3, server.Requests.Count);
        foreach (byte[] repeat in server.Requests.Skip(1))
        {
            Assert.Equal(HandMadeIperf3Client.LengthBytes, repeat.Length);
            Assert.True(Iperf3Datagram.TryRead(repeat, is64: false, out _, out ulong counter));
            Assert.Equal(0u, counter);
        }
    }

    [Theory]
    [InlineData("6789")]
    [InlineData("9876")]
    [InlineData("\u00b1\u0068\u00de\u003a")]
    [InlineData("\u003a\u00de\u0068\u00b1")]
    public void Run_AnswerOfAnyRelease_IsTaken(string answer)
    {
        using var server = new HandMadeIperf3Server(talking => Serve(talking, ignored: 0, answer));

        _ = RunningIperf3Server.Run(RunningIperf3Server.OptionsFor(server.EndPoint));

        Assert.Equal("9876"u8.ToArray(), Assert.Single(server.Requests));
    }

    [Fact]
    public void Run_LastAnswerLostAndTestBegun_Runs()
    {
        using var server = new HandMadeIperf3Server(static talking =>
        {
            talking.Begin();
            talking.Send(10, 1, 2);
            End(talking);
        });

        Iperf3Outcome outcome = RunningIperf3Server.Run(RunningIperf3Server.OptionsFor(server.EndPoint));

        Assert.Equal(100, outcome.Directions[0].Account.Datagrams);
    }

    private static void Serve(HandMadeIperf3Server talking, int ignored, string answer = "6789")
    {
        talking.Join(ignored, answer);
        talking.Send(1, 2);
        End(talking);
    }

    private static void End(HandMadeIperf3Server talking)
    {
        Assert.Equal(4, talking.Read(1)[0]);
        talking.Send(13);
        _ = talking.ReadJson();
        talking.SendJson(HandMadeIperf3Client.Results(100));
        talking.Send(14);
        talking.AwaitEnd();
    }
}
