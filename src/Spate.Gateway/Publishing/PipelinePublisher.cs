using Spate.Gateway.Escaping;
using Spate.Gateway.Pipelines;

namespace Spate.Gateway.Publishing;

/// <summary>
/// Publishes what a pipeline has, over one link: one asynchronous loop from the first connection to the end of the
/// pipeline.
/// </summary>
internal sealed class PipelinePublisher(
    ShardPipeline pipeline, ILink link, Action<GatewayConnectionEvent>? onConnection)
    : IAsyncDisposable
{
    /// <summary>How long the end of the loop is awaited: it may be inside a callback of the user.</summary>
    private static readonly TimeSpan MaxLoopEnd = TimeSpan.FromSeconds(2);

    private readonly CancellationTokenSource _ending = new();
    private Task _loop = Task.CompletedTask;
    private bool _isToldConnected = true;

    /// <summary>Completes when the pipeline has ended. Faults only by a mistake in the gateway.</summary>
    public Task Completion => _loop;

    /// <summary>
    /// Connects for the first time. Hosts that do not answer are tried again until the token is cancelled.
    /// </summary>
    /// <exception cref="GatewayException">A host refused, or none could be reached in time.</exception>
    public async Task ConnectAsync(CancellationToken cancellationToken)
    {
        GatewayException? last = null;
        for (int failureCount = 1; ; failureCount++)
        {
            try
            {
                await TryConnectAsync(cancellationToken).ConfigureAwait(false);
                return;
            }
            catch (GatewayException fault) when (!fault.IsRefusal)
            {
                last = fault;
            }
            catch (OperationCanceledException) when (last is not null)
            {
                throw last;
            }

            await Task.Delay(BackOff.Pause(failureCount, BackOff.MaxConnectPause), cancellationToken)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (cancellationToken.IsCancellationRequested) throw last!;
        }
    }

    /// <summary>Begins to publish.</summary>
    public void Start() => _loop = Task.Run(RunAsync);

    /// <summary>
    /// Ends at once what is still to be said: see <see cref="ShardPipeline.Finish"/>. Completes when the loop has
    /// ended, or after two seconds if the loop is inside a callback of the user, which may itself wait for this method.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        pipeline.Finish();
        await _ending.CancelAsync().ConfigureAwait(false);

        // A publish may wait for a broker that reads nothing. The end of its connection ends it.
        await link.DisposeAsync().ConfigureAwait(false);
        await Task.WhenAny(_loop, Task.Delay(MaxLoopEnd, CancellationToken.None)).ConfigureAwait(false);
        await link.DisposeAsync().ConfigureAwait(false);
        if (_loop.IsCompleted) _ending.Dispose();
    }

    private async Task TryConnectAsync(CancellationToken cancellationToken)
    {
        ILinkListener listener = pipeline.Attach();
        try
        {
            await link.ConnectAsync(listener, cancellationToken).ConfigureAwait(false);
            pipeline.Connected(listener);
        }
        catch (GatewayException fault)
        {
            pipeline.ConnectFailed(fault);
            throw;
        }
    }

    private async Task RunAsync()
    {
        int failureCount = 0;
        while (true)
        {
            PipelineStep step = pipeline.Next(out PackBuffer? pack, out int refusalCount);
            if (step != PipelineStep.Connect && pipeline.HasProgressed) failureCount = 0;
            switch (step)
            {
                case PipelineStep.Publish:
                    await PublishAsync(pack!).ConfigureAwait(false);
                    break;
                case PipelineStep.Wait:
                    await pipeline.Signal.WaitAsync().ConfigureAwait(false);
                    break;
                case PipelineStep.Pause:
                    await PauseAsync(refusalCount, BackOff.MaxRefusalPause).ConfigureAwait(false);
                    pipeline.EndPause();
                    break;
                case PipelineStep.Connect:
                    failureCount = await ReconnectAsync(failureCount).ConfigureAwait(false);
                    break;
                default:
                    return;
            }
        }
    }

    private ValueTask PublishAsync(PackBuffer pack)
    {
        try
        {
            // As a rule the call is over when it returns; then nothing is awaited and nothing allocated.
            ValueTask call = link.PublishAsync(pack, _ending.Token);
            if (!call.IsCompletedSuccessfully) return AwaitPublishAsync(call);
            call.GetAwaiter().GetResult();
        }
        catch (Exception fault)
        {
            pipeline.Lose(OneLine.Of(fault.Message));
        }

        return ValueTask.CompletedTask;
    }

    private async ValueTask AwaitPublishAsync(ValueTask call)
    {
        try
        {
            await call.ConfigureAwait(false);
        }
        catch (Exception fault)
        {
            pipeline.Lose(OneLine.Of(fault.Message));
        }
    }

    // Returns the number of attempts since the last confirm.
    private async Task<int> ReconnectAsync(int failureCount)
    {
        if (_isToldConnected) Tell(pipeline.LossReason ?? "The connection is lost.");

        _isToldConnected = false;
        if (failureCount > 0) await PauseAsync(failureCount, BackOff.MaxConnectPause).ConfigureAwait(false);
        if (_ending.IsCancellationRequested) return failureCount;
        try
        {
            await TryConnectAsync(_ending.Token).ConfigureAwait(false);
            Tell(reason: null);
            _isToldConnected = true;
        }
        catch (GatewayException fault)
        {
            if (fault.IsRefusal) Tell(fault.Message);
        }
        catch (OperationCanceledException)
        {
            // The pipeline has ended, and says so next.
        }

        return failureCount + 1;
    }

    // The callback gets news, such as for a line of a log: its exceptions end no connection.
    private void Tell(string? reason)
    {
        try
        {
            onConnection?.Invoke(new GatewayConnectionEvent
            {
                ShardIndex = pipeline.ShardIndex,
                IsConnected = reason is null,
                Reason = reason,
            });
        }
        catch (Exception)
        {
            // The pipeline goes on; statistics have the state of the connection.
        }
    }

    private async Task PauseAsync(int failureCount, TimeSpan max) =>
        await Task.Delay(BackOff.Pause(failureCount, max), _ending.Token)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
}
