using System.Net;
using System.Net.Sockets;

namespace Spate.HostTests.Windows;

/// <summary>
/// The sample HostedEcho as a service under Wine: installed, configured, started, stopped and removed by sc.exe, and
/// asked by datagrams from outside Wine.
/// </summary>
public sealed class WindowsServiceTests
{
    private const int AskedCount = 200;

    [Fact]
    public async Task Stop_AfterDatagramsWereAnswered_EndsInOrderWithTotals()
    {
        await using WineService service = await WineService.InstallAsync();
        service.Configure("127.0.0.1:0");
        int port = await service.StartAsync();
        await service.WaitForStateAsync("RUNNING");
        using UdpClient client = Connect(port);
        await AskAsync(client);

        string totals = await service.StopAsync();
        int exitCode = await service.WaitForStateAsync("STOPPED");

        Assert.Contains($" {AskedCount} given to handlers, ", totals, StringComparison.Ordinal);
        Assert.Contains($" {AskedCount} sent.", totals, StringComparison.Ordinal);
        Assert.Equal(0, exitCode);
        using var successor = new UdpClient(new IPEndPoint(IPAddress.Loopback, port));
    }

    [Fact]
    public async Task Stop_WhileAnswersAreUnread_HandlesWhatWasSent()
    {
        await using WineService service = await WineService.InstallAsync();
        service.Configure("127.0.0.1:0");
        using UdpClient client = Connect(await service.StartAsync());
        for (int i = 0; i < AskedCount; i++) await client.SendAsync(Payload(i), TestContext.Current.CancellationToken);

        await service.StopAsync();
        int exitCode = await service.WaitForStateAsync("STOPPED");

        for (int i = 0; i < AskedCount; i++) Assert.Equal(Payload(i), await ReceiveAsync(client));
        Assert.Equal(0, exitCode);
    }

    [Fact]
    public async Task Start_ConfigurationWasChanged_ListensThere()
    {
        await using WineService service = await WineService.InstallAsync();
        service.Configure("127.0.0.1:0");
        using UdpClient first = Connect(await service.StartAsync());
        await AskAsync(first);
        await service.StopAsync();
        await service.WaitForStateAsync("STOPPED");

        int port = FreePorts.Find(1)[0];
        service.Configure($"127.0.0.1:{port}");
        int told = await service.StartAsync();
        using UdpClient second = Connect(port);
        await AskAsync(second);

        Assert.Equal(port, told);
        await service.StopAsync();
    }

    [Fact]
    public async Task Start_ConfigurationIsWrong_EventLogNamesKeyAndValue()
    {
        await using WineService service = await WineService.InstallAsync();
        service.Configure("127.0.0.1:65536");

        await service.BeginAsync();
        string told = await service.NextEventAsync("Hosting failed to start");

        Assert.Contains("Udp:echo:LocalEndPoints is '127.0.0.1:65536'", told, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Delete_OfAStoppedService_ForgetsIt()
    {
        await using WineService service = await WineService.InstallAsync();
        service.Configure("127.0.0.1:0");
        await service.StartAsync();
        await service.StopAsync();
        await service.WaitForStateAsync("STOPPED");
        bool existed = await service.ExistsAsync();

        await service.DeleteAsync();

        Assert.True(existed);
        Assert.False(await service.ExistsAsync());
    }

    private static async Task AskAsync(UdpClient client)
    {
        for (int i = 0; i < AskedCount; i++)
        {
            await client.SendAsync(Payload(i));
            Assert.Equal(Payload(i), await ReceiveAsync(client));
        }
    }

    private static async Task<byte[]> ReceiveAsync(UdpClient client)
    {
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(60));
        return (await client.ReceiveAsync(patience.Token)).Buffer;
    }

    private static byte[] Payload(int index) => [.. "ask"u8, (byte)index, (byte)(index >> 8)];

    private static UdpClient Connect(int port)
    {
        var client = new UdpClient(new IPEndPoint(IPAddress.Loopback, 0));
        client.Connect(IPAddress.Loopback, port);
        return client;
    }
}
