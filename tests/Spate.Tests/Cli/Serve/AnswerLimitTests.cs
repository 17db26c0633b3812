using Spate.Cli.Serve;
using Spate.Measurement.Counting;

namespace Spate.Tests.Cli.Serve;

/// <summary>The answers and pauses of each peer, in virtual time.</summary>
public sealed class AnswerLimitTests
{
    private const int Answers = 100;
    private const ulong Stream = 7;

    private static readonly UdpEndPoint Peer = UdpEndPoint.Loopback(5000);

    private readonly FakeTime _time = new();
    private readonly AnswerLimit _limit;

    public AnswerLimitTests() => _limit = new AnswerLimit(Answers, _time, maxPeers: 4);

    [Fact]
    public void Allows_ClientOutlivesThePause_GetsTwiceAsMany()
    {
        Assert.Equal(Answers, AllowedOf(Peer, [1, 2, 3], 1000));
        Pass(TimeSpan.FromMilliseconds(900));
        Assert.Equal(0, AllowedOf(Peer, [1, 2, 3], 1000));

        Pass(TimeSpan.FromMilliseconds(100));
        Assert.Equal(2 * Answers, AllowedOf(Peer, [1, 2, 3], 1000));
        Pass(TimeSpan.FromSeconds(1));
        Assert.Equal(4 * Answers, AllowedOf(Peer, [1, 2, 3], 1000));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(100)]
    [InlineData(900)]
    public void Allows_SlowLoop_EndsAfterTheAnswers(int roundTripMilliseconds)
    {
        // Each answer comes back once, and a withheld one never.
        int allowed = 0;
        while (allowed < 10 * Answers && Allows(Peer, [1, 2, 3]))
        {
            allowed++;
            Pass(TimeSpan.FromMilliseconds(roundTripMilliseconds));
        }

        Assert.Equal(Answers, allowed);
    }

    [Fact]
    public void Allows_SecondPeerWhileTheFirstPauses_IsUntouched()
    {
        Assert.Equal(Answers, AllowedOf(Peer, [1, 2, 3], 1000));

        Assert.Equal(Answers, AllowedOf(UdpEndPoint.Loopback(5001), [1, 2, 3], 1000));
    }

    [Fact]
    public void Allows_LargestNumberOfAnswers_DoesNotOverflow()
    {
        var limit = new AnswerLimit(ServeOptions.MaxAnswersPerPeer, _time);
        ref AnswerLimit.Account account = ref limit.AccountOf(in Peer);
        Assert.True(limit.TryPay(ref account, 0));
        for (long second = 1; second < 5; second++)
        {
            account.AnswersLeft = 0;

            Assert.True(limit.TryPay(ref account, second * 1_000_000_000));
            Assert.Equal(ServeOptions.MaxAnswersPerPeer - 1, account.AnswersLeft);
        }
    }

    [Theory]
    [InlineData(TestDatagram.HeaderBytes)]
    [InlineData(TestDatagram.TimedHeaderBytes)]
    public void Allows_NumberedDatagrams_OnlyCopiesCost(int sizeBytes)
    {
        const int count = 10_000;
        byte[][] sent = [.. Enumerable.Range(0, count).Select(i => Numbered(sizeBytes, Stream, i, 1 + (i / 64)))];

        Assert.Equal(count, sent.Count(payload => Allows(Peer, payload)));

        // Another echo server sends all of them back, in their order. The first of all has cost one answer.
        Assert.Equal(Answers - 1, sent.Count(payload => Allows(Peer, payload)));
        Assert.Equal(0, sent.Reverse().Count(payload => Allows(Peer, payload)));
        Assert.True(Allows(Peer, Numbered(sizeBytes, Stream, count, 1 + (count / 64))));
    }

    [Fact]
    public void Allows_StreamsThatTakeTurns_CopiesOfBothCost()
    {
        byte[][] sent = [.. Enumerable.Range(0, 10_000).Select(
            static i => Numbered(64, Stream + (ulong)(i % 2), i / 2, 1 + i))];

        Assert.Equal(sent.Length, sent.Count(payload => Allows(Peer, payload)));
        Assert.Equal(Answers - 1, sent.Count(payload => Allows(Peer, payload)));
    }

    [Fact]
    public void Allows_MorePeersThanFit_ShareOneAccount()
    {
        for (int port = 1; port <= 4; port++) Assert.True(Allows(UdpEndPoint.Loopback(port), [0]));

        int allowed = Enumerable.Range(5, 10_000).Count(port => Allows(UdpEndPoint.Loopback(port), [0]));

        Assert.Equal(Answers, allowed);
        Assert.Equal(Answers - 1, AllowedOf(UdpEndPoint.Loopback(1), [0], 1000));
    }

    [Fact]
    public void Allows_PeerSilentForSeconds_MakesRoomForAnother()
    {
        for (int port = 1; port <= 4; port++) Assert.Equal(Answers, AllowedOf(UdpEndPoint.Loopback(port), [0], 1000));
        Assert.Equal(Answers, AllowedOf(UdpEndPoint.Loopback(5), [0], 1000));

        Pass(TimeSpan.FromSeconds(15));

        Assert.Equal(Answers, AllowedOf(UdpEndPoint.Loopback(6), [0], 1000));
    }

    private int AllowedOf(UdpEndPoint peer, byte[] payload, int count) =>
        Enumerable.Range(0, count).Count(_ => Allows(peer, payload));

    private bool Allows(UdpEndPoint peer, byte[] payload)
    {
        ref AnswerLimit.Account account = ref _limit.AccountOf(in peer);
        return account.IsNewer(payload)
            || _limit.TryPay(ref account, _time.GetTimestamp() * TimeSpan.NanosecondsPerTick);
    }

    private void Pass(TimeSpan time)
    {
        TimeSpan step = TimeSpan.FromMilliseconds(100);
        for (TimeSpan left = time; left > TimeSpan.Zero; left -= step)
        {
            if (left < step) step = left;
            _time.Advance(step);
            _limit.Age();
        }
    }

    private static byte[] Numbered(int sizeBytes, ulong stream, long sequence, long sentNanoseconds)
    {
        byte[] payload = new byte[sizeBytes];
        TestDatagram.WriteData(payload, stream, sequence, sentNanoseconds);
        return payload;
    }
}
