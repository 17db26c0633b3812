using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Spate.Hosting;
using Spate.Hosting.Hosted;
using Spate.Serving;
using Spate.Tests.Serving;

namespace Spate.Tests.Hosting.Hosted;

public sealed class ServerHealthTests
{
    private const string Name = "health";

    [Fact]
    public async Task Check_HandlerDoesNotReturn_IsStalledUntilItDoes()
    {
        using Signal entered = new(), release = new(), left = new(2);
        FakeTime time = new();
        using IHost host = await StartAsync(new TestHandler
        {
            Datagrams = (_, _) =>
            {
                entered.Set();
                release.Wait();
                left.Set();
            },
        });
        ServerHealth health = new(
            host.Services.GetRequiredKeyedService<HostedServer>(Name), new UdpServerHealthThresholds(), time);
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(health)).Status);
        using UdpSocket client = UdpSocket.Connect(Server(host).LocalEndPoints[0]);
        client.Send([1]);
        Assert.True(entered.Wait());

        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(health)).Status);
        time.Advance(TimeSpan.FromSeconds(4));
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(health)).Status);
        time.Advance(TimeSpan.FromSeconds(1));
        HealthCheckResult stalled = await CheckAsync(health);
        Assert.Equal(HealthStatus.Unhealthy, stalled.Status);
        Assert.Equal(1, stalled.Data["stalledShards"]);

        release.Set();
        client.Send([1]);
        Assert.True(left.Wait());
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(health)).Status);
        await host.StopAsync(HostCase.Cancellation);
    }

    [Fact]
    public async Task Check_HandlerDropsItsBatches_IsDegradedForOneInterval()
    {
        using Signal thrown = new(10);
        FakeTime time = new();
        using IHost host = await StartAsync(new TestHandler
        {
            Datagrams = (batch, _) =>
            {
                for (int i = 0; i < batch.Count; i++) thrown.Set();
                throw new FormatException("Bad datagram.");
            },
        });
        ServerHealth health = new(
            host.Services.GetRequiredKeyedService<HostedServer>(Name), new UdpServerHealthThresholds(), time);
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(health)).Status);
        using UdpSocket client = UdpSocket.Connect(Server(host).LocalEndPoints[0]);
        for (int i = 0; i < 10; i++) client.Send([1]);
        Assert.True(thrown.Wait());
        Assert.True(SpinWait.SpinUntil(
            () => Server(host).GetStatistics().Threads.Sum(thread => thread.DatagramsFaulted) == 10,
            ServerCase.Patience));

        time.Advance(TimeSpan.FromSeconds(2));
        HealthCheckResult dropping = await CheckAsync(health);
        Assert.Equal(HealthStatus.Degraded, dropping.Status);
        Assert.Equal((5.0, 1.0), (dropping.Data["dropsPerSecond"], dropping.Data["dropShare"]));
        Assert.Equal(HealthStatus.Degraded, (await CheckAsync(health)).Status);
        time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(health)).Status);
        await host.StopAsync(HostCase.Cancellation);
    }

    [Theory]
    [InlineData(1.1, null)]
    [InlineData(double.NaN, null)]
    [InlineData(null, -1.0)]
    public void AddUdpServerCheck_BadThreshold_IsRefused(double? share, double? perSecond) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new ServiceCollection().AddHealthChecks().AddUdpServerCheck(
            Name,
            configure: thresholds =>
            {
                thresholds.MaxDropShare = share;
                thresholds.MaxDropsPerSecond = perSecond;
            }));

    private static async Task<IHost> StartAsync(TestHandler handler)
    {
        HostApplicationBuilder builder = HostCase.Builder(HostCase.Json(Name));
        builder.AddUdpServer(Name).AddHandler((_, _) => handler);
        IHost host = builder.Build();
        await host.StartAsync(HostCase.Cancellation);
        return host;
    }

    private static UdpServer Server(IHost host) => host.Services.GetRequiredService<UdpServers>()[Name];

    private static Task<HealthCheckResult> CheckAsync(ServerHealth health) => health.CheckHealthAsync(
        new HealthCheckContext
        {
            Registration = new HealthCheckRegistration(Name, health, HealthStatus.Unhealthy, null),
        },
        HostCase.Cancellation);
}
