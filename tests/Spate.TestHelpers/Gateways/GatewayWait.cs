using Spate.Gateway;

namespace Spate.TestHelpers.Gateways;

/// <summary>
/// Waits until a gateway is as a test needs it, with a bound.
/// </summary>
internal static class GatewayWait
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(90);
    private static readonly TimeSpan LookInterval = TimeSpan.FromMilliseconds(10);

    /// <summary>Waits until the statistics are so, calling <paramref name="meanwhile"/> at each look.</summary>
    public static async Task<GatewayStatistics> UntilAsync(
        this UdpGateway gateway, Func<GatewayStatistics, bool> isSo, Action? meanwhile = null)
    {
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        patience.CancelAfter(Patience);
        using var looks = new PeriodicTimer(LookInterval);
        while (true)
        {
            GatewayStatistics now = gateway.GetStatistics();
            Assert.Equal(0, now.Difference);
            if (isSo(now)) return now;
            meanwhile?.Invoke();
            await looks.WaitForNextTickAsync(patience.Token);
        }
    }
}
