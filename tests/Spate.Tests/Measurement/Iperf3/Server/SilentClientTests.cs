using System.Diagnostics;
using System.Net.Sockets;
using Spate.Measurement.Iperf3.Server;
using static Spate.Tests.Measurement.Iperf3.HandMadeIperf3Client;

namespace Spate.Tests.Measurement.Iperf3.Server;

/// <summary>Hundreds of connections that never send their cookie: a bound, and no thread for any of them.</summary>
[Collection(AloneCollection.Name)]
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
            () => silent.Count(static one => !HasEnded(one)) <= SilentClients.MaxCount,
            RunningIperf3Server.Patience));
        Assert.True(HasEnded(silent[0]));
        Assert.False(HasEnded(silent[^1]));
        Assert.Contains(server.Notices, static one => one.Contains("too many connections", StringComparison.Ordinal));
        Array.ForEach(silent, static one => one.Dispose());
        server.RunWholeTest();
    }

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
    [InlineData(null, SilentClients.MaxCount)]
    [InlineData(100_000, SilentClients.MaxCount)]
    [InlineData(64, 16)]
    [InlineData(0, 1)]
    public void MaxCountFor_DescriptorsLeft_LeavesMostOfThemToTests(int? left, int expected) =>
        Assert.Equal(expected, SilentClients.MaxCountFor(left));

    private static HandMadeIperf3Client Silent(RunningIperf3Server server, int i)
    {
        var client = new HandMadeIperf3Client(server.EndPoint);
        client.Control.Blocking = false;
        if (i % 2 == 1) client.Send(CookieBytes[..(i % 37)]);
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
