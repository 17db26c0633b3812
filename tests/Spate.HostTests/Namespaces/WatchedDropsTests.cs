using Spate.Cli.Watch;
using Spate.HostTuning.Checks;

namespace Spate.HostTests.Namespaces;

/// <summary>Drops that are provoked in a namespace while it is watched.</summary>
[NamespaceLoad("it loads network namespaces and counts their loss")]
public sealed class WatchedDropsTests : IDisposable
{
    private const int DatagramCount = 200;

    private readonly NetworkNamespace _network = new();

    public void Dispose() => _network.Dispose();

    [Fact]
    public void Take_SmallBuffer_NamesTheSocketInTheSameIntervalAndNotInTheNext()
    {
        using UdpSocket receiver = _network.Bind(
            "127.0.0.1:0", new UdpSocketOptions { ReceiveBufferBytes = 4096, CoalescedReceive = false });
        using UdpSocket sender = _network.Bind("127.0.0.1:0");
        int port = receiver.LocalEndPoint.Port;

        (WatchReport before, WatchReport during, WatchReport after, WatchReport whole) = _network.Enter(() =>
        {
            using var watch = new CounterWatch(new CheckOptions { IncludesAllInterfaces = true }, TimeProvider.System);
            WatchReport quiet = watch.Take();
            for (int i = 0; i < DatagramCount; i++) sender.SendTo(new byte[1000], receiver.LocalEndPoint);
            return (quiet, watch.Take(), watch.Take(), watch.TakeWhole());
        });

        Assert.Empty(before.Sockets);
        WatchSocket socket = Assert.Single(during.Sockets);
        Assert.Equal(port, socket.Port);
        Assert.NotEmpty(socket.Program!);
        Assert.InRange(socket.Drops, 1, DatagramCount);
        Assert.True(socket.QueueBytes > 0);
        Assert.Contains(during.Counters, one => one.Name is "UdpRcvbufErrors" && one.Growth == socket.Drops);
        Assert.Contains(during.Checks, one => one.Id is "socket-drops" && one.Growth == socket.Drops);
        Assert.DoesNotContain(before.Checks.Concat(after.Checks), static one => one.Id is "socket-drops");
        Assert.Equal(0, Assert.Single(after.Sockets).Drops);
        Assert.Equal(socket.Drops, Assert.Single(whole.Sockets).Drops);
        Assert.Contains(
            during.Interfaces,
            one => one.Name is "lo" && one.RxBitsPerSecond * during.Seconds > 8 * DatagramCount * 1000);
    }
}
