using Spate.Cli.Serve;
using Spate.Measurement.Counting;

namespace Spate.Tests.Cli.Serve;

/// <summary>When <c>serve --once</c> has heard all there is to hear, by a clock that the tests move.</summary>
public sealed class SenderWatchTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan Nearly = Patience - TimeSpan.FromTicks(1);
    private static readonly TimeSpan Tick = TimeSpan.FromTicks(1);

    private readonly FakeTime _time = new();
    private readonly ServeLedgers _books = new();
    private readonly BatchCounts _page;
    private readonly SenderWatch _watch;

    public SenderWatchTests()
    {
        _page = new BatchCounts(_books.Open(keepsPeers: true, threadCount: 2));
        _ = _books.Open(keepsPeers: true, threadCount: 2);
        _watch = new SenderWatch(_books, _time, Patience);
    }

    [Fact]
    public void HaveAllEnded_NobodyHeard_IsNeverTrue()
    {
        Assert.False(_watch.HaveAllEnded());
        _time.Advance(TimeSpan.FromDays(1));
        Assert.False(_watch.HaveAllEnded());
    }

    [Fact]
    public void HaveAllEnded_Announced_IsTrueAtOnceAndNobodyWasSilent()
    {
        Data(stream: 1, 0);
        Assert.False(_watch.HaveAllEnded());
        End(stream: 1, total: 1);

        Assert.True(_watch.HaveAllEnded());
        Assert.Equal(0, _watch.SilentSenders);
    }

    [Fact]
    public void HaveAllEnded_SenderThatDied_IsTrueAfterThePatienceAndNotBefore()
    {
        Data(stream: 1, 0);
        Assert.False(_watch.HaveAllEnded());
        _time.Advance(Nearly);
        Assert.False(_watch.HaveAllEnded());
        _time.Advance(Tick);

        Assert.True(_watch.HaveAllEnded());
        Assert.Equal(1, _watch.SilentSenders);
        Assert.Equal(0, _books.Totals.EndedStreams);
    }

    [Fact]
    public void HaveAllEnded_SlowSender_IsWaitedForAsLongAsItSends()
    {
        for (int sequence = 0; sequence < 20; sequence++)
        {
            Data(stream: 1, sequence);
            Assert.False(_watch.HaveAllEnded());
            _time.Advance(Nearly);
            Assert.False(_watch.HaveAllEnded());
        }

        _time.Advance(Patience);
        Assert.True(_watch.HaveAllEnded());
    }

    [Fact]
    public void HaveAllEnded_OneDiedAndOneSends_WaitsForTheOther()
    {
        Data(stream: 1, 0);
        Data(stream: 2, 0);
        Assert.False(_watch.HaveAllEnded());
        _time.Advance(Patience);
        Data(stream: 2, 1);
        Assert.False(_watch.HaveAllEnded());
        End(stream: 2, total: 2);

        Assert.True(_watch.HaveAllEnded());
        Assert.Equal(1, _watch.SilentSenders);
        Assert.Equal(1, _books.Totals.EndedStreams);
    }

    [Fact]
    public void HaveAllEnded_DatagramsWithoutNumbersAndNoAnnouncement_EndsAfterThePatience()
    {
        Other();
        Assert.False(_watch.HaveAllEnded());
        _time.Advance(Nearly);
        Other();
        Assert.False(_watch.HaveAllEnded());
        _time.Advance(Nearly);
        Assert.False(_watch.HaveAllEnded());
        _time.Advance(Tick);

        Assert.True(_watch.HaveAllEnded());
        Assert.Equal(1, _watch.SilentSenders);
    }

    private void Data(ulong stream, long sequence) =>
        Post(payload => TestDatagram.WriteData(payload, stream, sequence));

    private void End(ulong stream, long total) => Post(payload => TestDatagram.WriteEnd(payload, stream, total));

    private void Other() => Post(static _ => { });

    private void Post(Action<byte[]> write)
    {
        byte[] payload = new byte[TestDatagram.HeaderBytes];
        write(payload);
        _page.Add(payload);
        _page.Post();
    }
}
