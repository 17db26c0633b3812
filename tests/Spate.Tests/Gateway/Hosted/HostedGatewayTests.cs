using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Spate.Gateway;
using Spate.Gateway.Hosted;
using Spate.TestHelpers.Gateways;
using Spate.Tests.Gateway.Diagnostics;
using Spate.Tests.Hosting;

namespace Spate.Tests.Gateway.Hosted;

/// <summary>Gateways in real hosts, which commit to nowhere.</summary>
public sealed class HostedGatewayTests
{
    private const int OversizedBytes = 20_000;

    [Fact]
    public async Task Host_DatagramsOverLoopback_CommittedMeteredHealthyAndTold()
    {
        const string name = "hosted-gateway";
        using KeptLog log = new();
        HostApplicationBuilder builder = HostCase.Builder("{}", log);
        builder.AddUdpGateway(name, _ => GatewayCase.Options);
        builder.Services.AddHealthChecks().AddUdpGatewayCheck(
            name, configure: thresholds => thresholds.MaxDropShare = null);
        using IHost host = builder.Build();
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        Assert.Equal(HealthStatus.Unhealthy, await StatusAsync(health));
        await host.StartAsync(HostCase.Cancellation);

        UdpGateway gateway = host.Services.GetRequiredService<UdpGateways>()[name];
        Assert.Equal(name, gateway.Name);
        await SendAsync(gateway, 5);
        Dictionary<string, long> values = GatewayMeterReadings.Collect(name);
        Assert.Equal((6L, 5L), (values["spate.gateway.accepted.count"], values["spate.gateway.committed.count"]));
        Assert.Equal(1, values["spate.gateway.drop.count/oversized"]);
        Assert.Equal(0, values["spate.gateway.drop.count/shutdown"]);
        Assert.Equal(0, values["spate.gateway.pending.count/in_flight"]);
        Assert.Equal(0, values["spate.gateway.difference.count"]);
        Assert.True(values["spate.gateway.message.count/confirmed"] >= 2);
        Assert.Equal(HealthStatus.Healthy, await StatusAsync(health));

        await host.StopAsync(HostCase.Cancellation);
        Assert.Equal(HealthStatus.Unhealthy, await StatusAsync(health));
        Assert.True(gateway.Completion.IsCompletedSuccessfully);
        Assert.Contains(
            $"'{name}' listens at {gateway.LocalEndPoints[0]} and commits to null:.",
            Assert.Single(log.Of(1)),
            StringComparison.Ordinal);
        Assert.Contains(
            "6 datagrams accepted, 5 committed, 1 dropped, 0 in doubt;",
            Assert.Single(log.Of(2)),
            StringComparison.Ordinal);
        Assert.Equal(2, log.Lines.Count);

        // What it has counted stays, and what it has at the moment is nothing.
        Dictionary<string, long> after = GatewayMeterReadings.Collect(name);
        Assert.Equal(6, after["spate.gateway.accepted.count"]);
        Assert.Equal(0, after["spate.gateway.memory.usage"]);
        Assert.Equal(values.Keys.Order(StringComparer.Ordinal), after.Keys.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Host_TwoGateways_FoundAndMeteredByTheirNames()
    {
        const string one = "hosted-one", two = "hosted-two";
        HostApplicationBuilder builder = HostCase.Builder("{}");
        builder.AddUdpGateway(one, _ => GatewayCase.Options);
        builder.AddUdpGateway(two, _ => GatewayCase.Options);
        using IHost host = builder.Build();
        UdpGateways gateways = host.Services.GetRequiredService<UdpGateways>();
        Assert.Equal([one, two], gateways.Names);
        Assert.Throws<InvalidOperationException>(() => gateways[one]);
        Assert.Throws<KeyNotFoundException>(() => gateways["hosted-three"]);
        Assert.False(gateways.TryGet(one, out _));
        Assert.False(gateways.TryGet("hosted-three", out _));
        await host.StartAsync(HostCase.Cancellation);
        Assert.True(gateways.TryGet(one, out UdpGateway? first));
        Assert.Same(gateways[one], first);
        await SendAsync(first, 2);
        await SendAsync(gateways[two], 3);
        await host.StopAsync(HostCase.Cancellation);
        Assert.Equal(2, GatewayMeterReadings.Collect(one)["spate.gateway.committed.count"]);
        Assert.Equal(3, GatewayMeterReadings.Collect(two)["spate.gateway.committed.count"]);
    }

    [Fact]
    public async Task Host_BusyPort_FailsWithOneLine()
    {
        using UdpSocket taken = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        string line = await FailToStartAsync(GatewayCase.Options with { LocalEndPoints = [taken.LocalEndPoint] });
        Assert.Contains(taken.LocalEndPoint.ToString(), line, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Host_NegativeDrainTimeout_FailsWithOneLine()
    {
        string line = await FailToStartAsync(GatewayCase.Options with { DrainTimeout = TimeSpan.FromSeconds(-1) });
        Assert.Contains("DrainTimeout must be from 0", line, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Host_OptionOutOfItsRange_FailsWithOneLine()
    {
        string line = await FailToStartAsync(GatewayCase.Options with { PartitionCount = 65 });
        Assert.Contains("PartitionCount must be from 1 to 64", line, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("")]
    [InlineData("two words")]
    [InlineData("a\n")]
    [InlineData("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
    public void AddUdpGateway_NameOfAnotherForm_IsRefused(string name) => Assert.Throws<ArgumentException>(
        () => new ServiceCollection().AddUdpGateway(name, _ => GatewayCase.Options));

    [Fact]
    public void AddUdpGateway_NameThatIsTaken_IsRefused()
    {
        ServiceCollection services = new();
        UdpGatewayBuilder builder = services.AddUdpGateway("logs", _ => GatewayCase.Options);
        Assert.Same(services, builder.Services);
        Assert.Equal("logs", builder.Name);
        Assert.Throws<InvalidOperationException>(() => services.AddUdpGateway("logs", _ => GatewayCase.Options));
    }

    [Fact]
    public void AddUdpGatewayCheck_OfAGatewayThatNobodyAdded_SaysWhatToDo()
    {
        ServiceCollection services = new();
        services.AddHealthChecks().AddUdpGatewayCheck("logs");
        using ServiceProvider provider = services.BuildServiceProvider();
        InvalidOperationException fault = Assert.Throws<InvalidOperationException>(
            () => provider.GetRequiredKeyedService<GatewayHealth>("udp-gateway-logs"));
        Assert.Contains("add it by AddUdpGateway", fault.Message, StringComparison.Ordinal);
    }

    private static async Task<string> FailToStartAsync(UdpGatewayOptions options)
    {
        HostApplicationBuilder builder = HostCase.Builder("{}");
        builder.AddUdpGateway("logs", _ => options);
        using IHost host = builder.Build();
        InvalidOperationException fault = await Assert.ThrowsAsync<InvalidOperationException>(
            () => host.StartAsync(HostCase.Cancellation));
        Assert.StartsWith("The gateway 'logs' cannot start: ", fault.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', fault.Message);
        return fault.Message;
    }

    // So many that are committed, and one that no message can hold.
    private static async Task SendAsync(UdpGateway gateway, int count)
    {
        using UdpSocket sender = UdpSocket.Connect(gateway.LocalEndPoints[0]);
        for (int i = 0; i < count; i++) Assert.Equal(1, sender.Send(new byte[10]).Sent);
        Assert.Equal(1, sender.Send(new byte[OversizedBytes]).Sent);
        await gateway.UntilAsync(now => now.Accepted == count + 1 && now.Committed == count);
    }

    private static async Task<HealthStatus> StatusAsync(HealthCheckService health) =>
        (await health.CheckHealthAsync(HostCase.Cancellation)).Status;
}
