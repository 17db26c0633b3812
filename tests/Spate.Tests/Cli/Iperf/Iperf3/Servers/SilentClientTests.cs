using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf3.Servers;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.TestHelpers.Iperf3;
using static Spate.TestHelpers.Iperf3.HandMadeIperf3Client;

namespace Spate.Tests.Cli.Iperf.Iperf3.Servers;

/// <summary>Hundreds of connections that never send their cookie: a bound, and no thread for any of them.</summary>
[ProcessWide("threads and descriptors of the process are counted")]
public sealed class SilentClientTests
{
    private const int SilentCount = 500;

    [Fact]
    public void Run_HundredsOfSilentConnections_NeedNoThreadsAndABoundedNumberOfDescriptors()
    {
        using var server = new RunningIperf3Server();
        server.RunWholeTest();
        int threads = ThreadCount();
        HandMadeIperf3Client[] silent = [.. Enumerable.Range(0, SilentCount).Select(i => Silent(server, i))];

        server.RunWholeTest();
        Assert.InRange(ThreadCount(), 1, threads + (SilentCount / 4));

        // The oldest have gone, and the newest wait.
        Assert.True(SpinWait.SpinUntil(
            () => silent.Count(static one => !HasEnded(one)) <= ServerClients.MaxSilent,
            RunningIperf3Server.Patience));
        Assert.True(HasEnded(silent[0]));
        Assert.False(HasEnded(silent[^1]));
        Assert.Contains(server.Notices, static one => one.Contains("too many connections", StringComparison.Ordinal));
        Array.ForEach(silent, static one => one.Dispose());
        server.RunWholeTest();
    }

    [Fact]
    public void Run_HundredsOfConnectionsWithACookieOnly_NeedABoundedNumberOfThreads()
    {
        using var server = new RunningIperf3Server();
        server.RunWholeTest();
        int threads = ThreadCount();
        HandMadeIperf3Client[] clients = [.. Enumerable.Range(0, SilentCount).Select(_ => WithCookie(server))];

        // Before the time for a message is over, which would end them too.
        int most = ServerClients.MaxPendingFor(null, new Iperf3ServerOptions());
        Assert.InRange(clients.Count(static one => !HasEnded(one)), 1, most);
        Assert.True(SpinWait.SpinUntil(
            () => ThreadCount() <= threads + most + (SilentCount / 8),
            RunningIperf3Server.Patience));
        server.RunWholeTest();
        Assert.False(HasEnded(clients[^1]));
        Assert.Contains(server.Notices, static one => one.Contains("before its test began", StringComparison.Ordinal));
        Assert.DoesNotContain(server.Notices, static one => one.Contains("other end", StringComparison.Ordinal));
        Array.ForEach(clients, static one => one.Dispose());
        server.RunWholeTest();
    }

    [Theory]
    [InlineData(null, 1, 0, ServerClients.MaxSilent + 1)]
    [InlineData(64, 4, 6, 26)]
    [InlineData(0, 256, 256, 513)]
    public void MaxCountFor_Options_LeavesRoomForAllWhoMayWait(int? left, int tests, int queue, int expected) =>
        Assert.Equal(
            expected,
            ServerClients.MaxPendingFor(left, new Iperf3ServerOptions { ParallelTests = tests, QueueLength = queue }));

    [Fact]
    public void DropOldest_RefusedClient_IsNotToldAsOneWithoutACookie()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var client = new HandMadeIperf3Client((IPEndPoint)listener.LocalEndpoint);
        List<string> notices = [];
        using var clients = new ServerClients(new Iperf3ServerOptions(), null, TimeProvider.System, notices.Add);
        clients.Refuse(new ControlStream(listener.AcceptSocket()));

        Assert.True(clients.DropOldestSilent());
        Assert.Equal(0, clients.SilentCount);
        Assert.Contains("the server is busy", Assert.Single(notices), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(64, "near its limit of 64 open files", "ulimit -n 65536'", "LimitNOFILE=65536")]
    [InlineData(
        int.MaxValue, "near its limit of 2147483647 open files", "ulimit -n 8589934588'", "LimitNOFILE=8589934588")]
    [InlineData(null, "is near its limit of open files", "ulimit -n 65536'", "")]
    public void LackText_Limit_NamesALargerOne(int? limit, params string[] parts) =>
        Assert.All(parts, part => Assert.Contains(part, new FileUsage(null, limit).LackText, StringComparison.Ordinal));

    [Theory]
    [InlineData(0)]
    [InlineData(20)]
    public void Run_SilentConnection_IsDroppedByAge(int cookieBytes)
    {
        var time = new FakeTime();
        using var server = new RunningIperf3Server(time: time);
        using var client = new HandMadeIperf3Client(server.EndPoint);
        client.Send(CookieBytes[..cookieBytes]);

        Assert.True(SpinWait.SpinUntil(
            () =>
            {
                time.Advance(TimeSpan.FromMilliseconds(100));
                return server.Notices.Any(static one => one.Contains("cookie in time", StringComparison.Ordinal));
            },
            RunningIperf3Server.Patience));
        Assert.Equal(Ended, client.ReadState());
    }

    [Theory]
    [InlineData(null, ServerClients.MaxSilent)]
    [InlineData(100_000, ServerClients.MaxSilent)]
    [InlineData(64, 16)]
    [InlineData(0, 1)]
    public void MaxCountFor_DescriptorsLeft_LeavesMostOfThemToTests(int? left, int expected) =>
        Assert.Equal(expected, ServerClients.MaxSilentFor(left));

    private static HandMadeIperf3Client Silent(RunningIperf3Server server, int i)
    {
        var client = new HandMadeIperf3Client(server.EndPoint);
        client.Control.Blocking = false;
        if (i % 2 == 1) client.Send(CookieBytes[..(i % 37)]);
        return client;
    }

    // It is told of the exchange of parameters by its thread at the server, and says nothing.
    private static HandMadeIperf3Client WithCookie(RunningIperf3Server server)
    {
        var client = new HandMadeIperf3Client(server.EndPoint);
        client.Send(CookieBytes);
        _ = client.ReadState();
        return client;
    }

    private static bool HasEnded(HandMadeIperf3Client client) =>
        client.Control.Poll(TimeSpan.Zero, SelectMode.SelectRead);

    private static int ThreadCount()
    {
        using var process = Process.GetCurrentProcess();
        return process.Threads.Count;
    }
}
