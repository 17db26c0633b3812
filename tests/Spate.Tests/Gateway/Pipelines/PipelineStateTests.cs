using Spate.Gateway;
using Spate.Gateway.Pipelines;

namespace Spate.Tests.Gateway.Pipelines;

/// <summary>What a pipeline says that it is doing, with a clock that the test moves.</summary>
public sealed class PipelineStateTests
{
    private const int PackCount = 8;

    private static readonly TimeSpan LagsAfter = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan StalledAfter = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan Tick = TimeSpan.FromTicks(1);

    private readonly FakeTime _time = new();
    private readonly ShardPipeline _pipeline;
    private readonly PackSlot _slot = new(0);

    public PipelineStateTests()
    {
        _pipeline = new ShardPipeline(PipelineCase.Plan(_time, packCount: PackCount), shardIndex: 0);
        _pipeline.Open([UdpEndPoint.Loopback(9)]);
    }

    private GatewayState State => _pipeline.Read().State;

    [Fact]
    public void State_NeverConnected_Starting()
    {
        PipelineCase.SubmitPack(_pipeline, _slot, 1);
        _time.Advance(StalledAfter);
        Assert.Equal(GatewayState.Starting, State);
        _pipeline.Attach();
        _pipeline.ConnectFailed(new GatewayException("Nobody listens there."));
        Assert.Equal(GatewayState.Starting, State);
        Assert.Equal("Nobody listens there.", _pipeline.LossReason);
    }

    [Fact]
    public void State_NothingToCommit_CommittingHoweverLong()
    {
        ILinkListener listener = Connect();
        Assert.Equal(1, PublishAll());
        listener.OnConfirmed(1, multiple: false);
        _time.Advance(TimeSpan.FromDays(1));
        Assert.Equal(GatewayState.Committing, State);

        // What comes after a day of silence is not late.
        PipelineCase.SubmitPack(_pipeline, _slot, 1);
        Assert.Equal(1, PublishAll());
        Assert.Equal(GatewayState.Committing, State);
    }

    [Fact]
    public void State_NoConfirmComes_LaggingThenStalledUntilOneDoes()
    {
        ILinkListener listener = Connect();
        Assert.Equal(1, PublishAll());
        _time.Advance(LagsAfter - Tick);
        Assert.Equal(GatewayState.Committing, State);
        _time.Advance(Tick);
        Assert.Equal(GatewayState.Lagging, State);
        _time.Advance(StalledAfter - LagsAfter - Tick);
        Assert.Equal(GatewayState.Lagging, State);
        _time.Advance(Tick);
        Assert.Equal(GatewayState.Stalled, State);
        listener.OnConfirmed(1, multiple: false);
        Assert.Equal(GatewayState.Committing, State);
    }

    /// <summary>A broker that is slow and goes on is not one that has stopped.</summary>
    [Fact]
    public void State_ConfirmsComeSlowly_LaggingAndNeverStalled()
    {
        ILinkListener listener = Connect();
        for (int i = 0; i < 3; i++) PipelineCase.SubmitPack(_pipeline, _slot, 1);
        Assert.Equal(4, PublishAll());
        for (ulong tag = 1; tag <= 3; tag++)
        {
            _time.Advance(StalledAfter - Tick);
            Assert.Equal(GatewayState.Lagging, State);
            listener.OnConfirmed(tag, multiple: false);
            Assert.Equal(GatewayState.Lagging, State);
        }

        _time.Advance(StalledAfter);
        Assert.Equal(GatewayState.Stalled, State);
    }

    [Fact]
    public void State_MoreThanHalfOfTheMemoryInUse_Lagging()
    {
        ILinkListener listener = Connect();
        for (int i = 0; i < PackCount / 2; i++) PipelineCase.SubmitPack(_pipeline, _slot, 1);
        Assert.Equal(GatewayState.Committing, State);
        PipelineCase.SubmitPack(_pipeline, _slot, 1);
        Assert.Equal(GatewayState.Lagging, State);
        PublishAll();
        listener.OnConfirmed(0, multiple: true);
        Assert.Equal(GatewayState.Committing, State);
    }

    [Fact]
    public void State_BrokerSaysThatItIsBlocked_BlockedUntilItSaysOtherwise()
    {
        ILinkListener listener = Connect();
        PublishAll();
        listener.OnBlocked("low on memory");
        PipelineCase.SubmitPack(_pipeline, _slot, 1);
        Assert.Equal(0, PublishAll());

        // It has said why, so it is not stalled.
        _time.Advance(StalledAfter);
        Assert.Equal(GatewayState.Blocked, State);
        listener.OnConfirmed(1, multiple: false);
        Assert.Equal(GatewayState.Blocked, State);
        listener.OnBlocked(null);
        Assert.Equal(GatewayState.Committing, State);
        Assert.Equal(1, PublishAll());
    }

    [Fact]
    public void State_ConnectionLost_DisconnectedUntilThereIsAnother()
    {
        ILinkListener first = Connect();
        PublishAll();
        first.OnBlocked("low on disk");
        first.OnLost("The broker has closed the connection.", isRefusal: false);
        Assert.Equal(GatewayState.Disconnected, State);
        Assert.Equal("The broker has closed the connection.", _pipeline.LossReason);
        Assert.Equal(1, _pipeline.Read().ConnectionsLost);
        _pipeline.Attach();
        _pipeline.ConnectFailed(new GatewayException("Nobody listens there."));
        _time.Advance(StalledAfter);
        Assert.Equal(GatewayState.Disconnected, State);

        // The new connection knows nothing of the alarm, nor of the time that was spent without one.
        ILinkListener second = Connect();
        Assert.Equal(GatewayState.Committing, State);
        Assert.Equal(1, PublishAll());
        first.OnBlocked("low on disk");
        first.OnConfirmed(1, multiple: true);
        first.OnLost("Too late.", isRefusal: false);
        Assert.Equal((GatewayState.Committing, 1), (State, _pipeline.Read().MessagesUnconfirmed));
        second.OnConfirmed(1, multiple: false);
        Assert.Equal(0, _pipeline.Read().MessagesUnconfirmed);
        Assert.Equal(1, _pipeline.Read().ConnectionsLost);
    }

    [Fact]
    public void State_MessageRefused_RefusedUntilItIsConfirmed()
    {
        ILinkListener listener = Connect();
        PublishAll();
        listener.OnRefused(1, multiple: false);
        Assert.Equal(GatewayState.Refused, State);
        Assert.Equal(PipelineStep.Pause, _pipeline.Next(out _, out _));
        _pipeline.EndPause();
        Assert.Equal(1, PublishAll());
        Assert.Equal(GatewayState.Refused, State);
        listener.OnConfirmed(2, multiple: false);
        Assert.Equal(GatewayState.Committing, State);
    }

    [Fact]
    public void Next_MessageRefusedAgain_PauseWithTheNumberOfRefusals()
    {
        ILinkListener listener = Connect();
        PublishAll();
        listener.OnRefused(1, multiple: false);
        Assert.Equal(PipelineStep.Pause, _pipeline.Next(out _, out int refusalCount));
        Assert.Equal(1, refusalCount);
        _pipeline.EndPause();
        PublishAll();
        listener.OnRefused(2, multiple: false);
        Assert.Equal(PipelineStep.Pause, _pipeline.Next(out _, out refusalCount));
        Assert.Equal(2, refusalCount);
    }

    [Fact]
    public void State_ConnectionRefused_RefusedUntilAnAttemptFailsOtherwise()
    {
        Connect().OnLost("The connection is lost.", isRefusal: false);
        _pipeline.Attach();
        _pipeline.ConnectFailed(new GatewayException("The password is wrong.") { IsRefusal = true });
        Assert.Equal(GatewayState.Refused, State);
        _pipeline.Attach();
        _pipeline.ConnectFailed(new GatewayException("Nobody listens there."));
        Assert.Equal(GatewayState.Disconnected, State);
    }

    [Fact]
    public void State_PublishingIsRefusedEachTime_RefusedUntilAConfirm()
    {
        Connect().OnLost("ACCESS_REFUSED", isRefusal: true);
        Assert.Equal(GatewayState.Refused, State);
        ILinkListener listener = Connect();
        Assert.Equal(GatewayState.Refused, State);
        PublishAll();
        listener.OnConfirmed(1, multiple: false);
        Assert.Equal(GatewayState.Committing, State);
    }

    [Fact]
    public void Next_AfterALoss_OneMessageAloneUntilItsConfirm()
    {
        ILinkListener first = Connect();
        PipelineCase.SubmitPack(_pipeline, _slot, 1);
        PipelineCase.SubmitPack(_pipeline, _slot, 1);
        Assert.Equal(3, PublishAll());
        first.OnLost("The node has ended.", isRefusal: false);
        ILinkListener second = Connect();

        Assert.Equal(1, PublishAll());
        second.OnConfirmed(1, multiple: false);
        Assert.Equal(2, PublishAll());
    }

    [Fact]
    public void State_EverythingIsSaid_Stopped()
    {
        ILinkListener listener = Connect();
        PublishAll();
        _pipeline.Complete();
        listener.OnConfirmed(1, multiple: false);
        Assert.Equal(1, PublishAll());
        Assert.Equal(GatewayState.Committing, State);
        listener.OnConfirmed(2, multiple: false);
        Assert.Equal(GatewayState.Stopped, State);
        Assert.Equal(PipelineStep.End, _pipeline.Next(out _, out _));
    }

    private ILinkListener Connect()
    {
        ILinkListener listener = _pipeline.Attach();
        _pipeline.Connected(listener);
        return listener;
    }

    private int PublishAll()
    {
        int count = 0;
        while (_pipeline.Next(out _, out _) == PipelineStep.Publish) count++;
        return count;
    }
}
