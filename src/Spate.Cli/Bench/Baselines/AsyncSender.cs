namespace Spate.Cli.Bench.Baselines;

/// <summary>A sender that awaits every datagram.</summary>
internal abstract class AsyncSender : BenchSender
{
    /// <summary>If a send has to wait, which none does over loopback, the rest of the burst runs on the pool.</summary>
    public override int SendBurst()
    {
        ValueTask<int> burst = SendBurstAsync();
        return burst.IsCompletedSuccessfully ? burst.Result : burst.AsTask().GetAwaiter().GetResult();
    }

    protected abstract ValueTask<int> SendBurstAsync();
}
