using Spate.Gateway;
using Spate.Gateway.Pipelines;
using Spate.Gateway.Publishing;
using Spate.Tests.Gateway.Pipelines;

namespace Spate.Tests.Gateway.Publishing;

/// <summary>The loop between a pipeline and its link.</summary>
public sealed class PipelinePublisherTests : IAsyncDisposable
{
    private readonly ShardPipeline _pipeline = new(PipelineCase.Plan(TimeProvider.System), shardIndex: 0);
    private readonly PackSlot _slot = new(0);
    private readonly TestLink _link = new();

    public PipelinePublisherTests() => _pipeline.Open([UdpEndPoint.Loopback(9)]);

    public ValueTask DisposeAsync() => _link.DisposeAsync();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Run_FromBeginToEnd_AccountingMessageStandAroundTheRecords()
    {
        _link.ConfirmsAll = true;
        await using PipelinePublisher publisher = await StartAsync();
        PipelineCase.SubmitPack(_pipeline, _slot, 5);
        PipelineCase.SubmitPack(_pipeline, _slot, 3);
        _pipeline.Complete();
        await publisher.Completion.WaitAsync(Cancellation);

        Assert.Equal([true, false, false, true], _link.Published.Select(TestLink.IsAccounting));
        Assert.Equal([0ul, 0, 5, 8], _link.Published.Select(TestLink.FirstOf));
        Assert.Equal(8, _pipeline.Read().Committed);
        Assert.Equal(GatewayState.Stopped, _pipeline.Read().State);
    }

    [Fact]
    public async Task Lost_WithAnOpenWindow_SentAgainInOrderBeforeAnythingNew()
    {
        await using PipelinePublisher publisher = await StartAsync();
        for (int i = 0; i < 3; i++) PipelineCase.SubmitPack(_pipeline, _slot, 1);
        await _link.WaitAsync(link => link.Published.Length == 4);
        PipelineCase.SubmitPack(_pipeline, _slot, 1);

        _link.Listener.OnConfirmed(2, multiple: false);
        await _link.WaitAsync(link => link.Published.Length == 4);
        _link.Listener.OnLost("The test ends the connection.", isRefusal: false);

        // One alone, until the broker has taken it.
        await _link.WaitAsync(link => link.Published.Length == 5);
        GatewayPipelineStatistics lost = _pipeline.Read();
        _link.Listener.OnConfirmed(1, multiple: false);
        await _link.WaitAsync(link => link.Published.Length == 8);
        _link.Listener.OnConfirmed(0, multiple: true);

        Assert.Equal([0ul, 0, 1, 2, 0, 1, 2, 3], _link.Published.Select(TestLink.FirstOf));
        Assert.Equal(2, lost.InDoubt);
        Assert.Equal(0, lost.Difference);
        GatewayPipelineStatistics now = _pipeline.Read();
        Assert.Equal((4L, 0L, 0L), (now.Committed, now.InDoubt, now.InFlight));
    }

    [Fact]
    public async Task Returned_ThenConfirmed_PublishedAgainAndRefusedAtTheEnd()
    {
        await using PipelinePublisher publisher = await StartAsync();
        await _link.WaitAsync(link => link.Published.Length == 1);
        _link.Listener.OnConfirmed(1, multiple: false);
        PipelineCase.SubmitPack(_pipeline, _slot, 7);
        await _link.WaitAsync(link => link.Published.Length == 2);
        _link.Listener.OnReturned(_link.Published[1]);
        _link.Listener.OnConfirmed(2, multiple: false);
        Assert.Equal(GatewayState.Refused, _pipeline.Read().State);
        await _link.WaitAsync(link => link.Published.Length == 3);
        _link.Listener.OnRefused(3, multiple: false);
        _pipeline.GiveUp();
        await _link.WaitAsync(link => link.Published.Length == 4);
        _link.Listener.OnConfirmed(4, multiple: false);
        await publisher.Completion.WaitAsync(Cancellation);

        Assert.Equal(_link.Published[1], _link.Published[2]);
        GatewayPipelineStatistics end = _pipeline.Read();
        Assert.Equal((0L, 7L, 0L, 0L), (end.Committed, end.DroppedRefused, end.InFlight, end.Difference));
    }

    [Fact]
    public async Task Connect_HostRefuses_ThrownAtOnce()
    {
        _link.FailConnect(new GatewayException("The password is wrong.") { IsRefusal = true });
        await using PipelinePublisher publisher = new(_pipeline, _link, onConnection: null);
        GatewayException fault = await Assert.ThrowsAsync<GatewayException>(
            () => publisher.ConnectAsync(Cancellation));
        Assert.Equal("The password is wrong.", fault.Message);
        Assert.Equal(1, _link.ConnectCount);
    }

    [Fact]
    public async Task Connect_HostsDoNotAnswerAtFirst_TriedAgain()
    {
        _link.FailConnect(new GatewayException("No answer."));
        _link.FailConnect(new GatewayException("No answer."));
        await using PipelinePublisher publisher = new(_pipeline, _link, onConnection: null);
        await publisher.ConnectAsync(Cancellation);
        Assert.Equal(3, _link.ConnectCount);
        Assert.Equal(GatewayState.Committing, _pipeline.Read().State);
    }

    [Fact]
    public async Task Blocked_NothingIsPublishedUntilUnblocked()
    {
        await using PipelinePublisher publisher = await StartAsync();
        await _link.WaitAsync(link => link.Published.Length == 1);
        _link.Listener.OnConfirmed(1, multiple: false);
        _link.Listener.OnBlocked("low on memory");
        PipelineCase.SubmitPack(_pipeline, _slot, 1);
        Assert.Equal(GatewayState.Blocked, _pipeline.Read().State);
        Assert.Equal(PipelineStep.Wait, _pipeline.Next(out _, out _));
        _link.Listener.OnBlocked(null);
        await _link.WaitAsync(link => link.Published.Length == 2);
    }

    [Fact]
    public async Task Run_ConnectionsThatConfirmNothing_EachLossIsTold()
    {
        List<string?> told = [];
        await using PipelinePublisher publisher = await StartAsync(change => told.Add(change.Reason));
        await _link.WaitAsync(link => link.Published.Length == 1);
        _link.Listener.OnLost("The first.", isRefusal: false);
        await _link.WaitAsync(link => link.Published.Length == 2);
        _link.Listener.OnLost("The second.", isRefusal: false);
        await _link.WaitAsync(link => link.Published.Length == 3);

        Assert.Equal(["The first.", null, "The second.", null], told);
    }

    [Theory]
    [InlineData(1, 100)]
    [InlineData(2, 200)]
    [InlineData(6, 3200)]
    [InlineData(7, 5000)]
    [InlineData(int.MaxValue, 5000)]
    public void Pause_Failures_DoublesUpToTheLongestLessHalf(int failureCount, int milliseconds)
    {
        Assert.Equal(milliseconds, BackOff.Pause(failureCount, BackOff.MaxConnectPause, 0).TotalMilliseconds);
        Assert.Equal(milliseconds / 2.0, BackOff.Pause(failureCount, BackOff.MaxConnectPause, 1).TotalMilliseconds);
    }

    private async Task<PipelinePublisher> StartAsync(Action<GatewayConnectionEvent>? onConnection = null)
    {
        PipelinePublisher publisher = new(_pipeline, _link, onConnection);
        await publisher.ConnectAsync(Cancellation);
        publisher.Start();
        return publisher;
    }
}
