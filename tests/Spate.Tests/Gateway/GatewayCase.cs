using Spate.Gateway;

namespace Spate.Tests.Gateway;

/// <summary>Gateways over loopback, with nothing behind them.</summary>
internal static class GatewayCase
{
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    /// <summary>Small: one thread, little memory, packs that are closed soon.</summary>
    public static UdpGatewayOptions Options => new()
    {
        LocalEndPoints = [UdpEndPoint.Loopback(0)],
        Target = GatewayTarget.Discard,
        ThreadCount = 1,
        ConfirmWindow = 4,
        PackBytes = 16 * 1024,
        PackWait = TimeSpan.FromMilliseconds(2),
        MemoryBytes = 4 << 20,
        Id = "test",
    };

    public static CancellationToken Cancellation => TestContext.Current.CancellationToken;
}
