using System.Net;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Spate.Gateway;
using Spate.Gateway.Hosted;
using Spate.TestHelpers.Gateways;
using Spate.Tests.Gateway.Publishing;
using Spate.Tests.Hosting;

namespace Spate.Tests.Gateway.Hosted;

/// <summary>What the health check says of each state, and of drops.</summary>
public sealed class GatewayHealthTests
{
    private const string Name = "gateway-health";
    private const int OversizedBytes = 20_000;

    private readonly FakeTime _time = new();

    [Theory]
    [InlineData(HealthStatus.Unhealthy)]
    [InlineData(HealthStatus.Degraded)]
    public async Task Check_NotStarted_IsTheFailureStatus(HealthStatus failure)
    {
        await using HostedGateway hosted = NewHosted(GatewayCase.Options);
        HealthCheckResult result = await CheckAsync(new GatewayHealth(hosted, new(), _time), failure);
        Assert.Equal((failure, "The gateway has not started."), (result.Status, result.Description));
    }

    [Fact]
    public async Task Check_BrokerConfirmsNothing_LaggingThenStalledUntilItDoes()
    {
        FakeTime time = new();
        TestLink link = new();
        await using UdpGateway gateway = await StartAsync(
            link, GatewayCase.Options with { Socket = new UdpSocketOptions { TimeProvider = time } });
        GatewayHealth health = HealthOf(gateway);
        await link.WaitAsync(link => link.Published.Length == 1);
        Assert.Equal((HealthStatus.Healthy, "Committing"), await StateAsync(health));
        time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal((HealthStatus.Degraded, "Lagging"), await StateAsync(health));
        time.Advance(TimeSpan.FromSeconds(3));
        Assert.Equal((HealthStatus.Unhealthy, "Stalled"), await StateAsync(health));
        link.ConfirmsAll = true;
        link.Listener.OnConfirmed(0, multiple: true);
        Assert.Equal((HealthStatus.Healthy, "Committing"), await StateAsync(health));
    }

    [Fact]
    public async Task Check_BlockedRefusedAndDisconnected_AsEachStateSays()
    {
        FakeTime time = new();
        TestLink link = new();
        await using UdpGateway gateway = await StartAsync(
            link, GatewayCase.Options with { Socket = new UdpSocketOptions { TimeProvider = time } });
        GatewayHealth health = HealthOf(gateway);
        await link.WaitAsync(link => link.Published.Length == 1);
        link.Listener.OnBlocked("low on memory");
        Assert.Equal((HealthStatus.Degraded, "Blocked"), await StateAsync(health));
        link.Listener.OnBlocked(null);
        Assert.Equal((HealthStatus.Healthy, "Committing"), await StateAsync(health));
        link.Listener.OnRefused(1, multiple: false);
        Assert.Equal((HealthStatus.Unhealthy, "Refused"), await StateAsync(health));
        for (int i = 0; i < 1_000; i++) link.FailConnect(new GatewayException("Nobody listens there."));
        link.Listener.OnLost("The test ends the connection.", isRefusal: false);
        Assert.Equal((HealthStatus.Unhealthy, "Disconnected"), await StateAsync(health));

        await gateway.StopAsync(TimeSpan.Zero, GatewayCase.Cancellation);
        Assert.Equal((HealthStatus.Unhealthy, "Stopped"), await StateAsync(health));
    }

    [Fact]
    public async Task Check_BeingStopped_DegradedUntilItHasStopped()
    {
        TestLink link = new();
        await using UdpGateway gateway = await StartAsync(link, GatewayCase.Options);
        GatewayHealth health = HealthOf(gateway);
        await link.WaitAsync(link => link.Published.Length == 1);
        Task<GatewayStatistics> stop = gateway.StopAsync(GatewayCase.Patience, GatewayCase.Cancellation);
        Assert.Equal((HealthStatus.Degraded, "Stopping"), await StateAsync(health));
        link.ConfirmsAll = true;
        link.Listener.OnConfirmed(0, multiple: true);
        await stop;
        Assert.Equal((HealthStatus.Unhealthy, "Stopped"), await StateAsync(health));
    }

    /// <summary>An unexpected exception of the link ends the loop, as a mistake in the gateway would.</summary>
    [Fact]
    public async Task Check_EndedByAnException_SaysWhich()
    {
        TestLink link = new() { ConfirmsAll = true };
        await using UdpGateway gateway = await StartAsync(link, GatewayCase.Options);
        GatewayHealth health = HealthOf(gateway);
        link.FailConnect(new FormatException("A link throws."));
        link.Listener.OnLost("The test ends the connection.", isRefusal: false);
        FormatException thrown = await Assert.ThrowsAsync<FormatException>(
            () => gateway.Completion.WaitAsync(GatewayCase.Patience, GatewayCase.Cancellation));
        HealthCheckResult result = await CheckAsync(health);
        Assert.Equal(HealthStatus.Unhealthy, result.Status);
        Assert.Same(thrown, result.Exception);
    }

    [Theory]
    [InlineData(0.0, 1, 1, HealthStatus.Degraded)]
    [InlineData(0.0, 2, 0, HealthStatus.Healthy)]
    [InlineData(0.5, 1, 1, HealthStatus.Healthy)]
    [InlineData(0.5, 1, 3, HealthStatus.Degraded)]
    [InlineData(null, 0, 2, HealthStatus.Healthy)]
    public async Task Check_Drops_JudgedByTheirShareBetweenTwoChecks(
        double? maxShare, int fine, int oversized, HealthStatus expected)
    {
        await using HostedGateway hosted = NewHosted(GatewayCase.Options);
        await hosted.StartAsync(GatewayCase.Cancellation);
        GatewayHealth health = new(hosted, new() { MaxDropShare = maxShare }, _time);
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(health)).Status);
        await SendAsync(
            hosted.Gateway!, [.. Enumerable.Repeat(10, fine), .. Enumerable.Repeat(OversizedBytes, oversized)]);

        // Too soon: the last judgement stands.
        _time.Advance(TimeSpan.FromSeconds(1) - TimeSpan.FromTicks(1));
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(health)).Status);
        _time.Advance(TimeSpan.FromTicks(1));
        HealthCheckResult judged = await CheckAsync(health);
        Assert.Equal(expected, judged.Status);
        Assert.Equal(oversized / (double)(fine + oversized), judged.Data["dropShare"]);
        Assert.Equal((long)oversized, judged.Data["dropped"]);
        Assert.Equal(expected, (await CheckAsync(health)).Status);

        // Nothing was dropped since then.
        _time.Advance(TimeSpan.FromSeconds(1));
        HealthCheckResult after = await CheckAsync(health);
        Assert.Equal((HealthStatus.Healthy, 0.0), (after.Status, after.Data["dropShare"]));
    }

    [Fact]
    public async Task Check_DatagramsFromElsewhere_AreNoDrops()
    {
        await using HostedGateway hosted = NewHosted(
            GatewayCase.Options with { AllowedPrefixes = [IPNetwork.Parse("10.0.0.0/8")] });
        await hosted.StartAsync(GatewayCase.Cancellation);
        GatewayHealth health = new(hosted, new(), _time);
        await CheckAsync(health);
        await SendAsync(hosted.Gateway!, [10, 10, 10]);
        _time.Advance(TimeSpan.FromSeconds(1));
        HealthCheckResult result = await CheckAsync(health);
        Assert.Equal((HealthStatus.Healthy, 3L), (result.Status, result.Data["dropped"]));
    }

    [Theory]
    [InlineData(1.1, 1)]
    [InlineData(-0.1, 1)]
    [InlineData(double.NaN, 1)]
    [InlineData(null, -1)]
    public void AddUdpGatewayCheck_BadThreshold_IsRefused(double? share, int seconds) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new ServiceCollection().AddHealthChecks().AddUdpGatewayCheck(
            Name,
            configure: thresholds =>
            {
                thresholds.MaxDropShare = share;
                thresholds.MinInterval = TimeSpan.FromSeconds(seconds);
            }));

    private static HostedGateway NewHosted(UdpGatewayOptions options) =>
        new(new ServiceCollection().BuildServiceProvider(), Name, _ => options with { DrainTimeout = TimeSpan.Zero });

    private static Task<UdpGateway> StartAsync(TestLink link, UdpGatewayOptions options) =>
        UdpGateway.StartAsync(options, _ => _ => link, GatewayCase.Cancellation);

    private static async Task SendAsync(UdpGateway gateway, int[] sizes)
    {
        using UdpSocket sender = UdpSocket.Connect(gateway.LocalEndPoints[0]);
        foreach (int size in sizes) Assert.Equal(1, sender.Send(new byte[size]).Sent);
        await gateway.UntilAsync(now => now.Accepted == sizes.Length);
    }

    private static Task<HealthCheckResult> CheckAsync(
        GatewayHealth health, HealthStatus failure = HealthStatus.Unhealthy) => health.CheckHealthAsync(
        new HealthCheckContext { Registration = new HealthCheckRegistration(Name, health, failure, null) },
        GatewayCase.Cancellation);

    private static async Task<(HealthStatus Status, string State)> StateAsync(GatewayHealth health)
    {
        HealthCheckResult result = await CheckAsync(health);
        Assert.False(string.IsNullOrEmpty(result.Description));
        return (result.Status, (string)result.Data["state"]);
    }

    private GatewayHealth HealthOf(UdpGateway gateway)
    {
        HostedGateway hosted = NewHosted(GatewayCase.Options);
        hosted.Gateway = gateway;
        return new GatewayHealth(hosted, new GatewayHealthThresholds(), _time);
    }
}
