namespace Spate.Cli.Bench.Baselines;

/// <summary>A sender that awaits every datagram.</summary>
internal abstract class AsyncSender : BenchSender
{
    /// <summary>
    /// A burst starts on the sender's thread. Sends over loopback complete at once, so the burst ends there too. If a
    /// send has to wait, the rest of this burst runs on a pool thread.
    /// </summary>
    public override int SendBurst()
    {
        ValueTask<int> burst = SendBurstAsync();
        return burst.IsCompletedSuccessfully ? burst.Result : burst.AsTask().GetAwaiter().GetResult();
    }

    /// <summary>Sends <see cref="BenchSender.SinglesPerBurst"/> datagrams with one await for each.</summary>
    protected abstract ValueTask<int> SendBurstAsync();
}
