namespace Spate.Measurement.Bench.Baselines;

/// <summary>A sender that awaits every datagram.</summary>
internal abstract class AsyncSender : BenchSender
{
    /// <summary>
    /// A burst starts on the sender's thread. Sends over loopback complete at once, so it ends there too; should one
    /// have to wait, the rest of that burst alone runs on a pool thread.
    /// </summary>
    public override int SendBurst()
    {
        ValueTask<int> burst = SendBurstAsync();
        return burst.IsCompletedSuccessfully ? burst.Result : burst.AsTask().GetAwaiter().GetResult();
    }

    /// <summary>Sends <see cref="BenchSender.SinglesPerBurst"/> datagrams, one await each.</summary>
    protected abstract ValueTask<int> SendBurstAsync();
}
