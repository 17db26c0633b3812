using Spate.Serving;

namespace Spate.Tests.Serving.Shards;

/// <summary>Threads that share a socket: while one handles datagrams, the others take the next ones.</summary>
public sealed class ServerSharedSocketTests
{
    [Theory]
    [InlineData("one-by-one", true)]
    [InlineData("one-by-one", false)]
    [InlineData("drain", true)]
    [InlineData("drain", false)]
    public void OnDatagrams_BlocksUntilTheNext_AnotherThreadTakesIt(string designName, bool sleepsFirst)
    {
        UdpServerDesign design = DesignNames.Find(designName);
        using var first = new Signal(1);
        using var second = new Signal(1);
        int count = 0;
        using UdpServer server = UdpServer.Start(
            new UdpServerOptions
            {
                LocalEndPoints = [UdpEndPoint.Loopback(0)],
                Design = design,
                ThreadCount = 2,
                Socket = new UdpSocketOptions { CoalescedReceive = false },
            },
            _ => new TestHandler
            {
                Datagrams = (_, _) =>
                {
                    if (Interlocked.Increment(ref count) > 1)
                    {
                        second.Set();
                        return;
                    }

                    first.Set();
                    second.Wait();
                },
            });
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        if (sleepsFirst) WaitUntilAllSleep(server);

        client.TrySend("1"u8);
        Assert.True(first.Wait(), "Nothing arrives.");
        client.TrySend("2"u8);

        Assert.True(second.Wait(), "The other thread sleeps on.");
    }

    private static void WaitUntilAllSleep(UdpServer server) => Assert.True(
        SpinWait.SpinUntil(
            () => server.GetStatistics().Threads.All(static thread => thread.Sleeps > 0), ServerCase.Patience),
        "A thread never sleeps.");
}
