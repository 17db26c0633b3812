using System.Collections.Concurrent;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Spate.Hosting;
using Spate.Serving;
using Spate.Tests.Diagnostics;
using Spate.Tests.Serving;

namespace Spate.Tests.Hosting.Hosted;

/// <summary>Real hosts with real traffic.</summary>
public sealed class HostedServerTests
{
    [Fact]
    public async Task Host_EchoFromConfiguration_ServesMetersAndIsHealthyUntilItStops()
    {
        const string name = "hosted-echo";
        using KeptLog log = new();
        HostApplicationBuilder builder = HostCase.Builder(
            HostCase.Json(name, "\"ThreadCount\": 2, \"ReceiveBufferBytes\": \"64K\", \"Design\": \"drain\""), log);
        builder.AddUdpServer(name).AddHandler<EchoHandler>();
        builder.Services.AddHealthChecks().AddUdpServerCheck(name);
        builder.Services.AddSingleton<Journal>();
        using IHost host = builder.Build();
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        Assert.Equal(HealthStatus.Unhealthy, await StatusAsync(health));

        await host.StartAsync(HostCase.Cancellation);
        UdpServer server = host.Services.GetRequiredService<UdpServers>()[name];
        Assert.Equal((2, UdpComparisonDesigns.Drain), (server.ThreadCount, server.Design));
        Assert.True(server.ReceiveBufferBytes >= 64 << 10);
        for (byte i = 1; i <= 5; i++) Assert.Equal(i, HostCase.Ask(server, i));

        // The server counts an answer after the system call that sent it.
        Assert.True(SpinWait.SpinUntil(
            () => MeterReadings.Collect()[$"spate.datagram.count/transmit/{name}"] == 5, ServerCase.Patience));
        Assert.Equal(5, MeterReadings.Collect()[$"spate.handler.datagram.count/{name}"]);
        Assert.Equal(HealthStatus.Healthy, await StatusAsync(health));

        await host.StopAsync(HostCase.Cancellation);
        Assert.Equal(HealthStatus.Unhealthy, await StatusAsync(health));
        Assert.Contains("127.0.0.1", Assert.Single(log.Of(1)), StringComparison.Ordinal);
        Assert.Contains("5 given to handlers", Assert.Single(log.Of(2)), StringComparison.Ordinal);
        Assert.Empty(log.Of(3));
    }

    [Fact]
    public async Task Scopes_OfTwoShards_AreMadeAndEndedOnTheirThreads()
    {
        ServerCase.RequireSharedPort();
        const string name = "hosted-scopes";
        HostApplicationBuilder builder = HostCase.Builder(HostCase.Json(name, "\"ThreadCount\": 2"));
        builder.AddUdpServer(name).AddHandler<EchoHandler>();
        builder.Services.AddSingleton<Journal>().AddScoped<ScopedNote>();
        using IHost host = builder.Build();
        Journal journal = host.Services.GetRequiredService<Journal>();
        await host.StartAsync(HostCase.Cancellation);

        Assert.Equal(
            ["made 0", "made 1"], journal.Texts.Order(StringComparer.Ordinal), StringComparer.Ordinal);
        await host.StopAsync(HostCase.Cancellation);

        foreach (int shard in new[] { 0, 1 })
        {
            (string Text, int Thread)[] own = [.. journal.Lines.Where(
                line => line.Text.EndsWith($" {shard}", StringComparison.Ordinal))];
            Assert.Equal(
                $"made {shard}, handler {shard}, scope {shard}", string.Join(", ", own.Select(line => line.Text)));
            Assert.Single(own.Select(line => line.Thread).Distinct());
        }
    }

    [Fact]
    public async Task Tick_FromConfiguration_ReachesTheHandler()
    {
        const string name = "hosted-tick";
        HostApplicationBuilder builder = HostCase.Builder(
            HostCase.Json(name, "\"ThreadCount\": 1, \"TickInterval\": \"1ms\""));
        using Signal ticks = new(2);
        builder.AddUdpServer(name).AddHandler((_, _) => new TestHandler { Tick = (_, _) => ticks.Set() });
        using IHost host = builder.Build();
        await host.StartAsync(HostCase.Cancellation);

        Assert.True(ticks.Wait());

        await host.StopAsync(HostCase.Cancellation);
    }

    [Theory]
    [InlineData("10s")]
    [InlineData("0s")]
    public async Task Stop_UnderLoad_WhatWasAcceptedIsHandledOrTold(string drainTimeout)
    {
        const string name = "hosted-load";
        using KeptLog log = new();

        // A server that takes one datagram per call is slower than the load, so the stop finds a full socket.
        HostApplicationBuilder builder = HostCase.Builder(
            HostCase.Json(
                name, $"\"ThreadCount\": 1, \"Design\": \"one-by-one\", \"DrainTimeout\": \"{drainTimeout}\""),
            log);
        using Signal begun = new(1000);
        builder.AddUdpServer(name).AddHandler((_, _) => new TestHandler { Datagrams = (_, _) => begun.Set() });
        using IHost host = builder.Build();
        await host.StartAsync(HostCase.Cancellation);
        UdpServer server = host.Services.GetRequiredService<UdpServers>()[name];
        using CancellationTokenSource stop = new();
        Task load = Task.Run(() => Flood(server.LocalEndPoints[0], stop.Token), HostCase.Cancellation);
        Assert.True(begun.Wait());

        await host.StopAsync(HostCase.Cancellation);
        await stop.CancelAsync();
        await load;

        UdpServerStatistics done = server.GetStatistics();
        Assert.True(done.Handled >= 1000);
        Assert.Equal(done.Sockets.DatagramsReceived, done.Handled + done.Unhandled);
        Assert.Contains($" {done.Handled} given to handlers", Assert.Single(log.Of(2)), StringComparison.Ordinal);
        if (done.Unhandled == 0)
        {
            Assert.Empty(log.Of(3));
            return;
        }

        // Ten seconds are enough for what a socket can hold, where arrivals end (UdpServer.StopAsync).
        Assert.True(drainTimeout is "0s" || !OperatingSystem.IsLinux());
        Assert.Contains($" {done.Unhandled} datagrams were not", Assert.Single(log.Of(3)), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Start_BusyPort_FailsTheHostWithOneLine()
    {
        using UdpSocket taken = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        HostApplicationBuilder builder = HostCase.Builder(HostCase.Json("ok"));
        builder.AddUdpServer("ok").AddHandler((_, _) => new TestHandler());
        builder.AddUdpServer("busy", options => options.LocalEndPoints = [taken.LocalEndPoint])
            .AddHandler((_, _) => new TestHandler());
        UdpServer? first;
        using (IHost host = builder.Build())
        {
            InvalidOperationException fault = await Assert.ThrowsAsync<InvalidOperationException>(
                () => host.StartAsync(HostCase.Cancellation));
            Assert.StartsWith(
                "The UDP server 'busy' (Udp:busy) cannot start: ", fault.Message, StringComparison.Ordinal);
            Assert.Contains(taken.LocalEndPoint.ToString(), fault.Message, StringComparison.Ordinal);
            Assert.DoesNotContain('\n', fault.Message);
            first = host.Services.GetRequiredService<UdpServers>()["ok"];
        }

        Assert.True(first.Completion.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task Servers_TwoNames_AreFoundByTheirs()
    {
        HostApplicationBuilder builder = HostCase.Builder(
            """
            { "Udp": { "one": { "LocalEndPoints": [ "127.0.0.1:0" ] }, "two": { "LocalEndPoints": "127.0.0.1:0" } } }
            """);
        foreach (string name in new[] { "one", "two" })
        {
            byte answer = (byte)name[0];
            builder.AddUdpServer(name, options => options.ThreadCount = 1).AddHandler((_, _) => new TestHandler
            {
                Datagrams = (batch, replies) =>
                {
                    foreach (Datagram datagram in batch) replies.TryAdd([answer], datagram.Peer);
                },
            });
        }

        using IHost host = builder.Build();
        UdpServers servers = host.Services.GetRequiredService<UdpServers>();
        Assert.Equal(["one", "two"], servers.Names);
        Assert.False(servers.TryGet("one", out _));
        Assert.Throws<InvalidOperationException>(() => servers["one"]);
        Assert.Throws<KeyNotFoundException>(() => servers["three"]);
        await host.StartAsync(HostCase.Cancellation);

        Assert.Equal((byte)'o', HostCase.Ask(servers["one"], 1));
        Assert.Equal((byte)'t', HostCase.Ask(servers["two"], 1));
        await host.StopAsync(HostCase.Cancellation);
    }

    private static async Task<HealthStatus> StatusAsync(HealthCheckService health) =>
        (await health.CheckHealthAsync(HostCase.Cancellation)).Status;

    private static void Flood(UdpEndPoint peer, CancellationToken stop)
    {
        using UdpSocket client = UdpSocket.Connect(peer);
        using SendBatch batch = client.CreateSendBatch();
        while (!stop.IsCancellationRequested)
        {
            for (int i = 0; i < 32 && batch.TryReserve(16, out _); i++)
            {
            }

            client.Send(batch);
        }
    }

    internal sealed class Journal
    {
        private readonly ConcurrentQueue<(string Text, int Thread)> _lines = new();

        public IReadOnlyList<(string Text, int Thread)> Lines => [.. _lines];

        public IEnumerable<string> Texts => Lines.Select(line => line.Text);

        public void Add(string text) => _lines.Enqueue((text, Environment.CurrentManagedThreadId));
    }

    internal sealed class ScopedNote(Journal journal, UdpShard shard) : IAsyncDisposable
    {
        public ValueTask DisposeAsync()
        {
            journal.Add($"scope {shard.Index}");
            return ValueTask.CompletedTask;
        }
    }

    internal sealed class EchoHandler : UdpHandler, IDisposable, IAsyncDisposable
    {
        private readonly UdpShard _shard;
        private readonly Journal _journal;

        public EchoHandler(UdpShard shard, Journal journal, IServiceProvider services)
        {
            (_shard, _journal) = (shard, journal);
            journal.Add($"made {shard.Index}");
            services.GetService<ScopedNote>();
        }

        public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
        {
            foreach (Datagram datagram in batch) replies.TryForward(datagram, datagram.Peer);
        }

        // Both are there, as in a class whose base has one of them; the asynchronous one is preferred.
        public void Dispose() => _journal.Add($"synchronous {_shard.Index}");

        public ValueTask DisposeAsync()
        {
            _journal.Add($"handler {_shard.Index}");
            return ValueTask.CompletedTask;
        }
    }
}
