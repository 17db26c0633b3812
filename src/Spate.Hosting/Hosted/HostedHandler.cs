using Microsoft.Extensions.DependencyInjection;
using Spate.Serving;

namespace Spate.Hosting.Hosted;

/// <summary>
/// A handler with its scope, which ends after it. It tells other threads whether the handler is at work, at the cost of
/// two writes per batch.
/// </summary>
internal sealed class HostedHandler(UdpHandler inner, AsyncServiceScope scope) : UdpHandler, IDisposable
{
    private long _steps;

    /// <summary>
    /// A number that each call of the handler makes odd and its return even again. The same odd number, seen twice, is
    /// the same call.
    /// </summary>
    public long Steps => Volatile.Read(ref _steps);

    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        Step();
        try
        {
            inner.OnDatagrams(batch, replies);
        }
        finally
        {
            Step();
        }
    }

    public override void OnTick(TimeSpan elapsed, SendBatch replies)
    {
        Step();
        try
        {
            inner.OnTick(elapsed, replies);
        }
        finally
        {
            Step();
        }
    }

    public override void OnStop(SendBatch replies) => inner.OnStop(replies);

    public void Dispose()
    {
        try
        {
            if (inner is IAsyncDisposable later) later.DisposeAsync().AsTask().GetAwaiter().GetResult();
            else (inner as IDisposable)?.Dispose();
        }
        finally
        {
            End(scope);
        }
    }

    /// <summary>Ends a scope on the shard's thread, which has nothing else to do then.</summary>
    public static void End(AsyncServiceScope scope) => scope.DisposeAsync().AsTask().GetAwaiter().GetResult();

    // Only the shard's thread writes.
    private void Step() => Volatile.Write(ref _steps, _steps + 1);
}
