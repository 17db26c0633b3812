using System.Diagnostics;
using System.Net;
using Spate.Gateway;
using Spate.Gateway.Format;
using Spate.Gateway.Publishing;
using Spate.TestHelpers.Gateways;
using Spate.Tests.Gateway.Publishing;

namespace Spate.Tests.Gateway;

/// <summary>Whole gateways over loopback: what was sent is committed, or told.</summary>
public sealed class UdpGatewayTests
{
    private const int PayloadBytes = 200;

    [Theory]
    [InlineData(1, GatewayPartitioning.PeerHash)]
    [InlineData(3, GatewayPartitioning.PeerHash)]
    [InlineData(3, GatewayPartitioning.RoundRobin)]
    public async Task Datagrams_FewAtATime_AllCommittedAsTheyWereSent(int partitionCount, GatewayPartitioning by)
    {
        const int Count = 1_000;
        TestLink link = new() { ConfirmsAll = true };
        await using UdpGateway gateway = await StartAsync(
            GatewayCase.Options with { PartitionCount = partitionCount, Partitioning = by }, link);
        using UdpSocket sender = UdpSocket.Connect(gateway.LocalEndPoints[0]);
        for (int sent = 0; sent < Count; sent++)
        {
            Assert.Equal(1, sender.Send(BitConverter.GetBytes(sent)).Sent);
            if (sent % 50 == 49) await gateway.UntilAsync(now => now.Accepted == sent + 1);
        }

        GatewayStatistics end = await gateway.StopAsync(GatewayCase.Patience, GatewayCase.Cancellation);
        Assert.Equal(((long)Count, (long)Count, 0L), (end.Accepted, end.Committed, end.Difference));
        List<int> found = [];
        foreach (byte[] message in link.Published.Where(message => !TestLink.IsAccounting(message)))
        {
            Assert.Equal(FormatFault.None, PackMessage.Read(message, out PackMessage read));
            foreach (RecordView record in new RecordReader(read)) found.Add(BitConverter.ToInt32(record.Payload));
        }

        Assert.Equal(Enumerable.Range(0, Count), found.Order());
        if (partitionCount == 1) Assert.Equal(Enumerable.Range(0, Count), found);
    }

    [Theory]
    [InlineData(GatewayFullMode.DropArriving)]
    [InlineData(GatewayFullMode.DropOldest)]
    public async Task Datagrams_BrokerConfirmsNothing_MemoryStaysAndEveryDropIsTold(GatewayFullMode fullMode)
    {
        TestLink link = new();
        await using UdpGateway gateway = await StartAsync(
            GatewayCase.Options with { FullMode = fullMode, MemoryBytes = 1 << 20 }, link);
        using UdpSocket sender = UdpSocket.Connect(gateway.LocalEndPoints[0]);
        GatewayStatistics full = await FloodUntilAsync(gateway, sender, now => now.DroppedWindowFull > 1_000);
        Assert.All(full.Pipelines, pipeline => Assert.InRange(pipeline.PackBytesUsed, 1, pipeline.MaxPackBytes));

        GatewayStatistics end = await gateway.StopAsync(TimeSpan.Zero, GatewayCase.Cancellation);
        Assert.Equal(0, end.Difference);
        Assert.Equal(0, end.InFlight);
        Assert.Equal(0, end.Committed);
        Assert.Equal(end.Accepted, end.Dropped + end.InDoubt);
        Assert.True(end.DroppedShutdown > 0);
    }

    [Fact]
    public async Task StopAsync_UnderLoad_AcceptedIsCommittedAndTold()
    {
        await using UdpGateway gateway = await UdpGateway.StartAsync(GatewayCase.Options, GatewayCase.Cancellation);
        using UdpSocket sender = UdpSocket.Connect(gateway.LocalEndPoints[0]);
        using CancellationTokenSource ending = new();
        Task load = Task.Run(() =>
        {
            byte[] payload = new byte[PayloadBytes];
            while (!ending.IsCancellationRequested) sender.Send(payload);
        }, GatewayCase.Cancellation);
        await gateway.UntilAsync(now => now.Committed > 10_000);

        GatewayStatistics end = await gateway.StopAsync(GatewayCase.Patience, GatewayCase.Cancellation);
        await ending.CancelAsync();
        await load;
        Assert.Equal(end.Accepted, end.Committed + end.Dropped);
        Assert.Equal((0L, 0L, 0L), (end.InFlight, end.InDoubt, end.Difference));
        Assert.Equal(end.Server.Handled, end.Accepted);
        Assert.Equal(GatewayState.Stopped, gateway.State);
        Assert.True(gateway.Completion.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task Datagrams_LargerThanAMessage_DroppedAsOversizedWithTheirNumber()
    {
        TestLink link = new() { ConfirmsAll = true };
        await using UdpGateway gateway = await StartAsync(GatewayCase.Options, link);
        using UdpSocket sender = UdpSocket.Connect(gateway.LocalEndPoints[0]);
        Assert.Equal(1, sender.Send(new byte[10]).Sent);
        Assert.Equal(1, sender.Send(new byte[20_000]).Sent);
        Assert.Equal(1, sender.Send(new byte[20]).Sent);
        await gateway.UntilAsync(now => now.Accepted == 3);
        GatewayStatistics end = await gateway.StopAsync(GatewayCase.Patience, GatewayCase.Cancellation);
        Assert.Equal((2L, 1L, 0L), (end.Committed, end.DroppedOversized, end.Difference));
        ulong[] firsts =
        [
            .. link.Published.Where(message => !TestLink.IsAccounting(message)).Select(TestLink.FirstOf),
        ];
        Assert.Equal([0ul, 2], firsts);
    }

    [Fact]
    public async Task StartAsync_BrokerRefuses_PortIsNotOpened()
    {
        TestLink link = new();
        link.FailConnect(new GatewayException("There is no stream 'logs'.") { IsRefusal = true });
        GatewayException fault = await Assert.ThrowsAsync<GatewayException>(
            () => StartAsync(GatewayCase.Options, link));
        Assert.Equal("There is no stream 'logs'.", fault.Message);
    }

    [Fact]
    public async Task StartAsync_NoBrokerAnswers_OneLineAfterTheTimeout()
    {
        TestLink link = new();
        for (int i = 0; i < 100; i++) link.FailConnect(new GatewayException("Nobody listens there."));
        UdpGatewayOptions options = GatewayCase.Options with { ConnectTimeout = TimeSpan.FromMilliseconds(100) };
        GatewayException fault = await Assert.ThrowsAsync<GatewayException>(() => StartAsync(options, link));
        Assert.Contains("within 0.1 s", fault.Message, StringComparison.Ordinal);
        Assert.Contains("Nobody listens there.", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task StopAsync_DatagramsGoOnArriving_WhatIsRefusedIsNoKernelDrop()
    {
        await using UdpGateway gateway = await UdpGateway.StartAsync(GatewayCase.Options, GatewayCase.Cancellation);
        using UdpSocket sender = UdpSocket.Connect(gateway.LocalEndPoints[0]);
        using CancellationTokenSource ending = new();

        // Slowly, so that the socket is never full.
        Task arrivals = Task.Run(() =>
        {
            byte[] payload = new byte[PayloadBytes];
            while (!ending.IsCancellationRequested)
            {
                sender.Send(payload);
                Thread.SpinWait(50_000);
            }
        }, GatewayCase.Cancellation);
        await gateway.UntilAsync(now => now.Committed > 0);
        GatewayStatistics end = await gateway.StopAsync(GatewayCase.Patience, GatewayCase.Cancellation);
        await ending.CancelAsync();
        await arrivals;

        Assert.Equal(0, end.KernelDrops);
        TestContext.Current.TestOutputHelper?.WriteLine($"refused: {end.Server.Sockets.KernelDrops}");
    }

    [Fact]
    public async Task StartAsync_AuthorityFileIsAPipeThatNobodyWrites_CancellingEndsIt()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "mkfifo");
        string pipe = Path.Combine(Path.GetTempPath(), $"spate-{Guid.NewGuid():N}");
        using (Process make = Process.Start("mkfifo", [pipe])) await make.WaitForExitAsync(GatewayCase.Cancellation);
        using CancellationTokenSource end = new(TimeSpan.FromMilliseconds(100));
        UdpGatewayOptions options = GatewayCase.Options with
        {
            Target = GatewayTarget.Parse("amqps://localhost"),
            QueueName = "none",
            CertificateAuthorityFile = pipe,
        };
        try
        {
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => UdpGateway.StartAsync(options, end.Token));
        }
        finally
        {
            // The thread that waits for it goes on. Opening both ways does not wait (fifo(7)).
            File.Open(pipe, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite).Dispose();
            File.Delete(pipe);
        }
    }

    private static Task<UdpGateway> StartAsync(UdpGatewayOptions options, ILink link) =>
        UdpGateway.StartAsync(options, _ => _ => link, GatewayCase.Cancellation);

    private static async Task<GatewayStatistics> FloodUntilAsync(
        UdpGateway gateway, UdpSocket sender, Func<GatewayStatistics, bool> condition)
    {
        byte[] payload = new byte[PayloadBytes];
        return await gateway.UntilAsync(now =>
        {
            for (int i = 0; i < 200; i++) sender.Send(payload);
            return condition(now);
        });
    }
}
