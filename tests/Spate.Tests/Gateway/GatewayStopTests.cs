using System.Threading.Channels;
using Spate.Gateway;
using Spate.Gateway.Format;
using Spate.TestHelpers.Gateways;
using Spate.Tests.Gateway.Publishing;

namespace Spate.Tests.Gateway;

/// <summary>Whole gateways that are stopped while no broker can be reached.</summary>
public sealed class GatewayStopTests
{
    private const int MoreFailuresThanAttempts = 1_000;

    [Fact]
    public async Task StopAsync_Disconnected_AcceptedIsCommittedDroppedAndInDoubt()
    {
        TestLink link = new() { ConfirmsAll = true };
        await using UdpGateway gateway = await StartAsync(link);
        using UdpSocket sender = UdpSocket.Connect(gateway.LocalEndPoints[0]);
        Send(sender, 3);
        await gateway.UntilAsync(now => now.Committed == 3);
        link.ConfirmsAll = false;
        Send(sender, 5);
        await link.WaitAsync(link => RecordCountOf(link) == 8);
        for (int i = 0; i < MoreFailuresThanAttempts; i++)
            link.FailConnect(new GatewayException("Nobody listens there."));

        link.Listener.OnLost("The test ends the connection.", isRefusal: false);
        Assert.Equal(GatewayState.Disconnected, gateway.State);
        Send(sender, 7);
        GatewayStatistics before = await gateway.UntilAsync(now => now.Accepted == 15);
        Assert.Equal((3L, 0L, 5L, 7L), (before.Committed, before.Dropped, before.InDoubt, before.InFlight));

        GatewayStatistics end = await gateway.StopAsync(TimeSpan.Zero, GatewayCase.Cancellation);
        Assert.Equal(
            (15L, 3L, 7L, 5L, 0L, 0L),
            (end.Accepted, end.Committed, end.Dropped, end.InDoubt, end.InFlight, end.Difference));
        Assert.Equal((7L, GatewayState.Stopped), (end.DroppedShutdown, end.State));
        Assert.Equal(1, Assert.Single(end.Pipelines).ConnectionsLost);
        Assert.True(gateway.Completion.IsCompletedSuccessfully);
        Assert.Equal(8, RecordCountOf(link));
    }

    [Fact]
    public async Task StopAsync_BrokerComesBackInTime_EverythingIsCommittedAndTheEndIsSaid()
    {
        TestLink link = new();
        await using UdpGateway gateway = await StartAsync(link);
        using UdpSocket sender = UdpSocket.Connect(gateway.LocalEndPoints[0]);
        Send(sender, 5);
        await link.WaitAsync(link => RecordCountOf(link) == 5);
        link.FailConnect(new GatewayException("Nobody listens there."));
        link.ConfirmsAll = true;
        link.Listener.OnLost("The test ends the connection.", isRefusal: false);

        GatewayStatistics end = await gateway.StopAsync(GatewayCase.Patience, GatewayCase.Cancellation);
        Assert.Equal(
            (5L, 5L, 0L, 0L, 0L),
            (end.Accepted, end.Committed, end.Dropped, end.InDoubt, end.Difference));
        Assert.Equal((PackFlags.End, 5ul), EndOf(link.Published[^1]));
        Assert.Equal(10, RecordCountOf(link));
    }

    [Fact]
    public async Task DisposeAsync_LinkThrowsAtItsEnd_CompletionFaults()
    {
        TestLink link = new() { ConfirmsAll = true, DisposeFault = new IOException("The link does not end.") };
        UdpGateway gateway = await StartAsync(link);

        await gateway.DisposeAsync();
        await gateway.DisposeAsync();

        await Assert.ThrowsAsync<IOException>(
            () => gateway.Completion.WaitAsync(GatewayCase.Patience, GatewayCase.Cancellation));
        Assert.Equal(GatewayState.Stopped, gateway.State);
    }

    [Fact]
    public async Task DisposeAsync_WaitedForInACallback_Ends()
    {
        TaskCompletionSource<UdpGateway> made = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TestLink link = new() { ConfirmsAll = true };
        UdpGatewayOptions options = GatewayCase.Options with
        {
            OnConnection = _ =>
                made.Task.GetAwaiter().GetResult().DisposeAsync().AsTask().GetAwaiter().GetResult(),
        };
        UdpGateway gateway = await UdpGateway.StartAsync(options, _ => _ => link, GatewayCase.Cancellation);
        made.SetResult(gateway);

        link.Listener.OnLost("The test ends the connection.", isRefusal: false);

        await gateway.Completion.WaitAsync(GatewayCase.Patience, GatewayCase.Cancellation);
        Assert.Equal(GatewayState.Stopped, gateway.State);
    }

    [Fact]
    public async Task OnConnection_LostAndConnectedAgain_IsToldBoth()
    {
        TestLink link = new() { ConfirmsAll = true };
        Channel<GatewayConnectionEvent> told = Channel.CreateUnbounded<GatewayConnectionEvent>();
        UdpGatewayOptions options = GatewayCase.Options with { OnConnection = change => told.Writer.TryWrite(change) };
        await using UdpGateway gateway = await UdpGateway.StartAsync(options, _ => _ => link, GatewayCase.Cancellation);

        link.Listener.OnLost("The test ends the connection.", isRefusal: false);

        Assert.Equal(
            new GatewayConnectionEvent
            {
                ShardIndex = 0,
                IsConnected = false,
                Reason = "The test ends the connection.",
            },
            await told.Reader.ReadAsync(GatewayCase.Cancellation));
        Assert.Equal(
            new GatewayConnectionEvent { ShardIndex = 0, IsConnected = true },
            await told.Reader.ReadAsync(GatewayCase.Cancellation));
    }

    [Fact]
    public async Task OnConnection_Throws_GatewayGoesOn()
    {
        TestLink link = new() { ConfirmsAll = true };
        Channel<GatewayConnectionEvent> told = Channel.CreateUnbounded<GatewayConnectionEvent>();
        UdpGatewayOptions options = GatewayCase.Options with
        {
            OnConnection = change =>
            {
                told.Writer.TryWrite(change);
                throw new IOException("The disk of the log is full.");
            },
        };
        await using UdpGateway gateway = await UdpGateway.StartAsync(options, _ => _ => link, GatewayCase.Cancellation);

        for (int i = 0; i < 2; i++)
        {
            link.Listener.OnLost("The test ends the connection.", isRefusal: false);
            Assert.False((await told.Reader.ReadAsync(GatewayCase.Cancellation)).IsConnected);
            Assert.True((await told.Reader.ReadAsync(GatewayCase.Cancellation)).IsConnected);
        }

        Assert.False(gateway.Completion.IsCompleted);
    }

    // The window has room even if each datagram gets a message of its own.
    private static Task<UdpGateway> StartAsync(TestLink link) =>
        UdpGateway.StartAsync(
            GatewayCase.Options with { ConfirmWindow = 16 }, _ => _ => link, GatewayCase.Cancellation);

    private static void Send(UdpSocket sender, int count)
    {
        for (int i = 0; i < count; i++) Assert.Equal(1, sender.Send(new byte[100]).Sent);
    }

    private static (PackFlags Flags, ulong Accepted) EndOf(byte[] message)
    {
        Assert.Equal(FormatFault.None, PackMessage.Read(message, out PackMessage read));
        return (read.Flags, read.FirstSequence);
    }

    // Copies included.
    private static long RecordCountOf(TestLink link)
    {
        long count = 0;
        foreach (byte[] message in link.Published)
        {
            Assert.Equal(FormatFault.None, PackMessage.Read(message, out PackMessage read));
            if (read.Kind == PackKind.Records) count += read.Count;
        }

        return count;
    }
}
