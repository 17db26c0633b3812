using Spate.Gateway.Lanes;
using Spate.Gateway.Packing;
using Spate.Gateway.Publishing;

namespace Spate.Gateway.Lifetime;

/// <summary>The lanes of a gateway with their publishers, from the first connection to the last statement.</summary>
internal sealed class GatewayLanes : IAsyncDisposable
{
    private readonly Lane[] _lanes;
    private readonly LanePublisher[] _publishers;

    public GatewayLanes(LanePlan plan, int laneCount, Func<int, ILink> makeLink, Action<int, string?>? onConnection)
    {
        _lanes = [.. Enumerable.Range(0, laneCount).Select(shardIndex => new Lane(plan, shardIndex))];
        _publishers = [.. _lanes.Select(lane => new LanePublisher(lane, makeLink(lane.ShardIndex), onConnection))];
    }

    public Lane this[int shardIndex] => _lanes[shardIndex];

    /// <summary>Completes when the first loop ends, which before the stop is a fault.</summary>
    public Task<Task> FirstEnd => Task.WhenAny(_publishers.Select(publisher => publisher.Completion));

    /// <summary>Completes when all lanes have said everything.</summary>
    public Task AllEnds => Task.WhenAll(_publishers.Select(publisher => publisher.Completion));

    /// <summary>
    /// Connects all lanes; the first alone, so that what is wrong is told once and queues are declared once.
    /// </summary>
    /// <exception cref="GatewayException">A host refused, or none could be reached in time.</exception>
    public async Task ConnectAsync(TimeSpan timeout, CancellationToken cancellationToken)
    {
        using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        end.CancelAfter(timeout);
        try
        {
            await _publishers[0].ConnectAsync(end.Token).ConfigureAwait(false);
            await Task.WhenAll(_publishers.Skip(1).Select(publisher => publisher.ConnectAsync(end.Token)))
                .ConfigureAwait(false);
        }
        catch (Exception fault) when (fault is OperationCanceledException or GatewayException { IsRefusal: false })
        {
            cancellationToken.ThrowIfCancellationRequested();
            string last = fault is GatewayException ? $" The last attempt: {fault.Message}" : "";
            throw new GatewayException(
                $"No broker could be reached within {timeout.TotalSeconds:0.###} s: start one, or name another host."
                + last,
                fault);
        }
    }

    /// <summary>Begins to publish. All lanes are open.</summary>
    public void Start()
    {
        foreach (LanePublisher publisher in _publishers) publisher.Start();
    }

    /// <summary>Lets statements leave. The kernel's drops are those of all sockets, so one lane says them.</summary>
    public void Beat(in UdpCounters sockets)
    {
        foreach (Lane lane in _lanes)
        {
            bool isFirst = lane.ShardIndex == 0 && sockets.KernelDrops >= 0;
            lane.Beat(
                isFirst ? sockets.KernelDrops : 0, isFirst ? sockets.KernelDropUnit : UdpDropUnit.None);
        }
    }

    /// <summary>Nothing more comes from the shards.</summary>
    public void Complete()
    {
        foreach (Lane lane in _lanes) lane.Complete();
    }

    /// <summary>The time for what is held is over.</summary>
    public void GiveUp()
    {
        foreach (Lane lane in _lanes) lane.GiveUp();
    }

    public IReadOnlyList<GatewayLaneStatistics> Read() => Array.ConvertAll(_lanes, lane => lane.Read());

    public async ValueTask DisposeAsync() =>
        await Task.WhenAll(_publishers.Select(publisher => publisher.DisposeAsync().AsTask())).ConfigureAwait(false);
}
