using Spate.Gateway.Format;
using Spate.Gateway.Packing;
using Spate.Gateway.Pipelines;
using Spate.Gateway.Publishing;
using Spate.Gateway.Publishing.Rabbit;

namespace Spate.Gateway.Lifetime;

/// <summary>
/// The pipelines of a gateway with their publishers, from the first connection to the last accounting message.
/// </summary>
internal sealed class GatewayPipelines : IAsyncDisposable
{
    private readonly ShardPipeline[] _pipelines;
    private readonly PipelinePublisher[] _publishers;

    public GatewayPipelines(
        PipelinePlan plan, int pipelineCount, Func<int, ILink> makeLink, Action<GatewayConnectionEvent>? onConnection)
    {
        _pipelines = [.. Enumerable.Range(0, pipelineCount).Select(shardIndex => new ShardPipeline(plan, shardIndex))];
        _publishers = [.. _pipelines.Select(
            pipeline => new PipelinePublisher(pipeline, makeLink(pipeline.ShardIndex), onConnection))];
    }

    public ShardPipeline this[int shardIndex] => _pipelines[shardIndex];

    /// <summary>Completes when the first loop ends, which before the stop is a fault.</summary>
    public Task<Task> FirstEnd => Task.WhenAny(_publishers.Select(publisher => publisher.Completion));

    /// <summary>Completes when all pipelines have said everything.</summary>
    public Task AllEnds => Task.WhenAll(_publishers.Select(publisher => publisher.Completion));

    /// <summary>
    /// Connects all pipelines; the first alone, so that what is wrong is told once and queues are declared once.
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
                $"No broker could be reached within {timeout.TotalSeconds:0.###} s: start one, or use another host."
                + last,
                fault);
        }
    }

    /// <summary>Begins to publish. All pipelines are open.</summary>
    public void Start()
    {
        foreach (PipelinePublisher publisher in _publishers) publisher.Start();
    }

    /// <summary>
    /// Lets accounting messages leave. The kernel's drops are those of all sockets, so one pipeline says them.
    /// </summary>
    public void Heartbeat(in UdpCounters sockets)
    {
        foreach (ShardPipeline pipeline in _pipelines)
        {
            long? drops = pipeline.ShardIndex == 0 ? sockets.KernelDrops : null;
            pipeline.Heartbeat(drops ?? 0, drops is null ? UdpDropUnit.None : sockets.KernelDropUnit);
        }
    }

    /// <summary>Nothing more comes from the shards.</summary>
    public void Complete()
    {
        foreach (ShardPipeline pipeline in _pipelines) pipeline.Complete();
    }

    /// <summary>The time for what is held is over.</summary>
    public void GiveUp()
    {
        foreach (ShardPipeline pipeline in _pipelines) pipeline.GiveUp();
    }

    public IReadOnlyList<GatewayPipelineStatistics> Read() => Array.ConvertAll(_pipelines, pipeline => pipeline.Read());

    public async ValueTask DisposeAsync() =>
        await Task.WhenAll(_publishers.Select(publisher => publisher.DisposeAsync().AsTask())).ConfigureAwait(false);
}

/// <summary>
/// Which of several states counts. The rank is not the number of a state, so that a state can be added between others.
/// </summary>
internal static class GatewayStateRank
{
    // From the best to the worst.
    private static readonly GatewayState[] Ranks =
    [
        GatewayState.Starting,
        GatewayState.Committing,
        GatewayState.Lagging,
        GatewayState.Blocked,
        GatewayState.Disconnected,
        GatewayState.Stalled,
        GatewayState.Refused,
        GatewayState.Stopping,
        GatewayState.Stopped,
    ];

    public static GatewayState WorstOf(IReadOnlyList<GatewayPipelineStatistics> pipelines) =>
        Ranks[pipelines.Select(static pipeline => Array.IndexOf(Ranks, pipeline.State)).DefaultIfEmpty().Max()];
}

/// <summary>Makes the links of the pipelines, as the target says.</summary>
internal static class GatewayLinks
{
    /// <summary>A function that makes the link of a shard.</summary>
    /// <exception cref="GatewayException">Credentials or certificates cannot be read.</exception>
    public static Func<int, ILink> Of(UdpGatewayOptions options)
    {
        if (options.Target.IsDiscard) return _ => new NullLink();
        RabbitLinkOptions links = new()
        {
            Target = options.Target,
            Credentials = options.Credentials ?? GatewayCredentials.Read(options.Target)!,
            Tls = RabbitTls.Create(options.CertificateAuthorityFile),
            Id = options.Id,
            Names = PartitionNames.Of(options.QueueName!, options.PartitionCount),
            Kind = options.QueueKind,
            DeclaredBytes = options.Declare ? options.MaxQueueBytes : null,
        };
        return shardIndex => new RabbitLink(links, shardIndex);
    }
}
