using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Spate.Hosting;
using Spate.Hosting.Hosted;
using Spate.Serving;
using Spate.Tests.Serving;

namespace Spate.Tests.Hosting.Hosted;

/// <summary>What real hosts log about their servers.</summary>
public sealed class HostedServerLogTests
{
    [Fact]
    public async Task Handler_Throws_IsLoggedOncePerKind()
    {
        const string name = "hosted-faults";
        using KeptLog log = new();
        HostApplicationBuilder builder = HostCase.Builder(
            HostCase.Json(name, "\"ThreadCount\": 1, \"Design\": \"one-by-one\""), log);
        using Signal thrown = new(20);
        builder.AddUdpServer(name).AddHandler((_, _) => new TestHandler
        {
            Datagrams = (_, _) =>
            {
                thrown.Set();
                throw new FormatException("Bad datagram.");
            },
        });
        using IHost host = builder.Build();
        await host.StartAsync(HostCase.Cancellation);
        UdpServer server = host.Services.GetRequiredService<UdpServers>()[name];
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        for (int i = 0; i < 20; i++) Assert.Equal(1, client.Send([1]).Sent);
        Assert.True(thrown.Wait());
        await host.StopAsync(HostCase.Cancellation);

        Assert.Single(log.Of(4));
    }

    [Fact]
    public async Task Sessions_Refused_AreLoggedAtTheNextLook()
    {
        const string name = "hosted-refusals";
        using KeptLog log = new();
        FakeTime time = new();
        HostApplicationBuilder builder = HostCase.Builder(HostCase.Json(name), log);
        builder.Services.AddSingleton<TimeProvider>(time);
        builder.AddUdpServer(name).AddHandler((_, shard) =>
        {
            SessionTable<int> table = shard.CreateSessionTable<int>(new() { MaxSessions = 1 });
            return new TestHandler
            {
                Datagrams = (batch, replies) =>
                {
                    foreach (Datagram datagram in batch)
                        replies.TryAdd([(byte)table.GetOrAdmit(datagram.Peer, out SessionRef<int> _)], datagram.Peer);
                },
            };
        });
        using IHost host = builder.Build();
        await host.StartAsync(HostCase.Cancellation);
        UdpServer server = host.Services.GetRequiredService<UdpServers>()[name];

        Assert.Equal((byte)SessionAdmission.Admitted, HostCase.Ask(server, 1));
        Assert.Equal((byte)SessionAdmission.Full, HostCase.Ask(server, 1));
        Assert.Empty(log.Of(7));
        Assert.Equal(1, time.Advance(ServerWatch.Interval));
        Assert.Contains(
            "in 10 s: 1 because a table was full, 0 by", Assert.Single(log.Of(7)), StringComparison.Ordinal);

        await host.StopAsync(HostCase.Cancellation);
        Assert.Equal(0, time.Advance(ServerWatch.Interval));
    }

    [Theory]
    [InlineData(true, true, "net.core.rmem_max and net.core.wmem_max.")]
    [InlineData(true, false, "net.core.rmem_max.")]
    [InlineData(false, true, "net.core.wmem_max.")]
    [InlineData(false, false, null)]
    public async Task Start_BuffersGrantedSmaller_IsToldInOneLine(bool isReceive, bool isSend, string? settings)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "other systems have other limits");
        const int aGibibyteLessOne = (1 << 30) - 1;
        using KeptLog log = new();
        HostApplicationBuilder builder = HostCase.Builder(HostCase.Json("hosted-buffers"), log);
        builder.AddUdpServer("hosted-buffers", options =>
        {
            options.ReceiveBufferBytes = isReceive ? aGibibyteLessOne : 16 << 10;
            options.SendBufferBytes = isSend ? aGibibyteLessOne : 16 << 10;
        })
            .Customize(asked => asked with { Socket = asked.Socket with { ForceBuffers = false } })
            .AddHandler((_, _) => new TestHandler());
        using IHost host = builder.Build();
        await host.StartAsync(HostCase.Cancellation);
        await host.StopAsync(HostCase.Cancellation);

        if (settings is null)
        {
            Assert.Empty(log.Of(9));
            return;
        }

        string line = Assert.Single(log.Of(9));
        Assert.EndsWith($"raise {settings}", line, StringComparison.Ordinal);
        Assert.Equal(isReceive, line.Contains($" of {aGibibyteLessOne} bytes to receive", StringComparison.Ordinal));
        Assert.Equal(isSend, line.Contains($" of {aGibibyteLessOne} to send", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(null)]
    [InlineData(8)]
    public async Task Server_EndsByAnException_StopsTheHostEvenIfTheLoggerThrows(int? brokenId)
    {
        const string name = "hosted-end";
        using KeptLog log = new() { BrokenId = brokenId };
        HostApplicationBuilder builder = HostCase.Builder(
            HostCase.Json(name, "\"ThreadCount\": 1, \"TickInterval\": \"1ms\""), log);
        BrokenTime time = new("Spate shard 0");
        builder.AddUdpServer(name).AddHandler((_, _) => new TestHandler());
        builder.Services.AddSingleton<TimeProvider>(time).AddHealthChecks().AddUdpServerCheck(name);
        using IHost host = builder.Build();
        TaskCompletionSource stopping = new();
        host.Services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping.Register(stopping.SetResult);
        await host.StartAsync(HostCase.Cancellation);

        time.Break();
        await stopping.Task.WaitAsync(ServerCase.Patience, HostCase.Cancellation);

        Assert.Contains("exception: StopHost.", Assert.Single(log.Of(8)), StringComparison.Ordinal);
        HealthReport health = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(
            HostCase.Cancellation);
        Assert.Equal(HealthStatus.Unhealthy, health.Status);
        Assert.IsType<NotSupportedException>(health.Entries[$"udp-{name}"].Exception);
        await host.StopAsync(HostCase.Cancellation);
    }
}
