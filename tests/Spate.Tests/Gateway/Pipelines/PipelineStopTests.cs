using Spate.Gateway;
using Spate.Gateway.Pipelines;

namespace Spate.Tests.Gateway.Pipelines;

/// <summary>What becomes of what a pipeline holds when the time to stop is over.</summary>
public sealed class PipelineStopTests
{
    private readonly ShardPipeline _pipeline = new(PipelineCase.Plan(TimeProvider.System), shardIndex: 0);
    private readonly PackSlot[] _slots = [new(0)];
    private readonly List<byte[]> _published = [];

    public PipelineStopTests() => _pipeline.Open([UdpEndPoint.Loopback(9)]);

    [Fact]
    public void GiveUp_Disconnected_CommittedDroppedAndInDoubtAreAllThatWasAccepted()
    {
        ILinkListener listener = Connect();
        Submit(3);
        PublishAll();
        listener.OnConfirmed(2, multiple: true);
        Submit(5);
        PublishAll();
        listener.OnLost("The connection is lost.", isRefusal: false);
        Submit(7);
        for (int i = 0; i < 2; i++) PipelineCase.Accept(_pipeline, _slots[0]);
        _pipeline.Fold(_slots, notAllowed: 4);
        GatewayPipelineStatistics lost = _pipeline.Read();
        Assert.Equal((21L, 3L, 4L, 5L, 9L, 0L), AccountOf(lost));
        Assert.Equal(GatewayState.Disconnected, lost.State);

        // The shard's thread may be late with its last pack.
        _pipeline.GiveUp();
        Assert.Equal((21L, 3L, 11L, 5L, 2L, 0L), AccountOf(_pipeline.Read()));
        PipelineCase.Submit(_pipeline, _slots[0]);
        _pipeline.Finish();
        GatewayPipelineStatistics end = _pipeline.Read();
        Assert.Equal((21L, 3L, 13L, 5L, 0L, 0L), AccountOf(end));
        Assert.Equal((9L, 4L, GatewayState.Stopped), (end.DroppedShutdown, end.NotAllowed, end.State));
        Assert.Equal(0, end.PackBytesUsed);
    }

    [Fact]
    public void GiveUp_ReturnedBeforeTheConnectionWasLost_DroppedAsRefused()
    {
        ILinkListener listener = Connect();
        Submit(5);
        PublishAll();
        listener.OnReturned(_published[1]);
        listener.OnLost("The connection is lost.", isRefusal: false);
        _pipeline.GiveUp();
        _pipeline.Finish();
        GatewayPipelineStatistics end = _pipeline.Read();
        Assert.Equal((5L, 0L, 5L, 0L, 0L, 0L), AccountOf(end));
        Assert.Equal(5, end.DroppedRefused);
    }

    /// <summary>The second copy may have been stored, and nobody is told.</summary>
    [Fact]
    public void GiveUp_RefusedAndSentAgainOnALostConnection_InDoubt()
    {
        ILinkListener listener = Connect();
        Submit(5);
        PublishAll();
        listener.OnConfirmed(1, multiple: false);
        listener.OnRefused(2, multiple: false);
        Assert.Equal(PipelineStep.Pause, _pipeline.Next(out _, out _));
        _pipeline.EndPause();
        PublishAll();
        listener.OnLost("The connection is lost.", isRefusal: false);
        _pipeline.GiveUp();
        _pipeline.Finish();
        Assert.Equal((5L, 0L, 0L, 5L, 0L, 0L), AccountOf(_pipeline.Read()));
    }

    [Fact]
    public void Finish_WithoutGivingUp_WhatIsPublishedIsInDoubtAndTheRestDropped()
    {
        Connect();
        Submit(5);
        PublishAll();
        Submit(7);
        _pipeline.Finish();
        GatewayPipelineStatistics end = _pipeline.Read();
        Assert.Equal((12L, 0L, 7L, 5L, 0L, 0L), AccountOf(end));
        Assert.Equal((7L, GatewayState.Stopped), (end.DroppedShutdown, end.State));
    }

    private static (long Accepted, long Committed, long Dropped, long InDoubt, long InFlight, long Difference)
        AccountOf(GatewayPipelineStatistics pipeline) =>
        (pipeline.Accepted, pipeline.Committed, pipeline.Dropped,
            pipeline.InDoubt, pipeline.InFlight, pipeline.Difference);

    private ILinkListener Connect()
    {
        ILinkListener listener = _pipeline.Attach();
        _pipeline.Connected(listener);
        return listener;
    }

    private void Submit(int count) => PipelineCase.SubmitPack(_pipeline, _slots[0], count);

    private void PublishAll()
    {
        while (_pipeline.Next(out PackBuffer? pack, out _) == PipelineStep.Publish) _published.Add(
            pack!.Message.ToArray());
    }
}
