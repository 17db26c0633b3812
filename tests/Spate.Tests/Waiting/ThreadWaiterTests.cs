using System.Net;
using System.Net.Sockets;
using Spate.Tests.Serving;
using Spate.Waiting;

namespace Spate.Tests.Waiting;

/// <summary>Sleeping threads are woken, whenever the wake-up comes.</summary>
public sealed class ThreadWaiterTests
{
    private const int RoundCount = 20_000;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Wake_BeforeTheSleep_EndsItAtOnce(bool isEpoll)
    {
        using Socket socket = NewSocket();
        using ThreadWaiter waiter = Create(isEpoll, socket);
        waiter.Wake();
        waiter.Wake();
        RunToEnd(() => waiter.Sleep(-1, forSockets: true));
        waiter.Wake();
        RunToEnd(() => waiter.Sleep(-1, forSockets: false));
        Assert.Equal(0, waiter.Sleeps);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Wake_AnyMoment_NoneIsLost(bool isEpoll)
    {
        using Socket socket = NewSocket();
        using ThreadWaiter waiter = Create(isEpoll, socket);
        int asked = 0, seen = 0;
        var sleeper = new Thread(() =>
        {
            for (int round = 0; Volatile.Read(ref seen) < RoundCount; round++)
            {
                if (round % 2 == 0) waiter.Sleep(-1, forSockets: true);
                else waiter.Sleep(-1, forSockets: false);
                Volatile.Write(ref seen, Volatile.Read(ref asked));
            }
        });
        sleeper.Start();
        SpinWait.SpinUntil(() => waiter.Sleeps > 0, ServerCase.Patience);
        for (int i = 1; i <= RoundCount; i++)
        {
            Volatile.Write(ref asked, i);
            waiter.Wake();

            // Every other time the sleeper must have seen it before the next: a lost one would be for ever.
            if (i % 2 != 0) continue;
            Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref seen) == i, ServerCase.Patience), $"{i} was lost.");
        }

        Assert.True(sleeper.Join(ServerCase.Patience));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Sleep_SocketReadable_EndsAndParkDoesNot(bool isEpoll)
    {
        using Socket socket = NewSocket();
        using ThreadWaiter waiter = Create(isEpoll, socket);
        using Socket sender = NewSocket();
        sender.SendTo([1], socket.LocalEndPoint!);
        RunToEnd(() => waiter.Sleep(-1, forSockets: true));
        var parked = new Thread(() => waiter.Sleep(-1, forSockets: false));
        parked.Start();
        Assert.True(SpinWait.SpinUntil(() => waiter.Sleeps == 2, ServerCase.Patience));
        Assert.False(parked.Join(50), "A datagram ended a park.");
        waiter.Wake();
        Assert.True(parked.Join(ServerCase.Patience));
        RunToEnd(() => waiter.Sleep(1, forSockets: true));
        RunToEnd(() => waiter.Sleep(0, forSockets: true));
    }

    [Fact]
    public void Wake_ManyTimesInOneSleep_OneSignal()
    {
        using var asleep = new Signal();
        using TestWaiter waiter = new(asleep.Set);
        var sleeper = new Thread(() => waiter.Sleep(-1, forSockets: true));
        sleeper.Start();
        Assert.True(asleep.Wait());
        for (int i = 0; i < 5; i++) waiter.Wake();
        Assert.True(sleeper.Join(ServerCase.Patience));
        Assert.Equal(1, waiter.SignalCount);
        for (int i = 0; i < 5; i++) waiter.Wake();
        Assert.Equal(1, waiter.SignalCount);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Wake_Disposed_DoesNothing(bool isEpoll)
    {
        using Socket socket = NewSocket();
        ThreadWaiter waiter = Create(isEpoll, socket);
        waiter.Dispose();
        waiter.Dispose();
        waiter.Wake();
    }

    [Fact]
    public void Sleep_AfterAPark_StillEndsWhenTheSocketIsReady()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "epoll is Linux's");
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        using var waiter = new EpollWaiter([((int)socket.Handle, false)]);

        for (int round = 0; round < 2; round++)
        {
            waiter.Sleep(1, forSockets: false);
            socket.SendTo([1], socket.LocalEndPoint!);
            var sleeper = new Thread(() => waiter.Sleep(-1, forSockets: true)) { IsBackground = true };
            sleeper.Start();
            Assert.True(sleeper.Join(ServerCase.Patience));
            socket.Receive(new byte[1]);
        }
    }

    private static void RunToEnd(Action action)
    {
        var thread = new Thread(() => action());
        thread.Start();
        Assert.True(thread.Join(ServerCase.Patience), "The sleep did not end.");
    }

    private static ThreadWaiter Create(bool isEpoll, Socket socket)
    {
        Assert.SkipUnless(!isEpoll || OperatingSystem.IsLinux(), "epoll is Linux's.");
        return isEpoll ? new EpollWaiter([((int)socket.Handle, false)]) : new SelectWaiter([socket]);
    }

    private static Socket NewSocket()
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }
}
