using System.Net.Sockets;
using Spate.Serving.Shards;
using Spate.Waiting;

namespace Spate.Tests.Serving;

public sealed class CrewTests
{
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    [Fact]
    public void OnBacklog_WhileAWokenMemberHasNotRun_WakesNobodyElse()
    {
        var crew = new Crew(wakeThreshold: 64);
        using var first = new Member(crew);
        using var second = new Member(crew);

        crew.OnBacklog(63);
        Assert.Equal(0, crew.AwakeCount);
        crew.OnBacklog(64);
        crew.OnBacklog(64);
        Assert.Equal(1, crew.AwakeCount);

        Assert.True(second.Waiter.IsSignalled);
        second.LetRun();
        crew.OnBacklog(64);
        Assert.Equal(2, crew.AwakeCount);
        first.LetRun();
    }

    [Fact]
    public void WakeOne_WhileAWokenMemberHasNotRun_WakesAnother()
    {
        var crew = new Crew(wakeThreshold: 64);
        using var first = new Member(crew);
        using var second = new Member(crew);

        crew.WakeOne();
        crew.WakeOne();

        Assert.Equal(2, crew.AwakeCount);
        first.LetRun();
        second.LetRun();
    }

    [Fact]
    public void Sleep_AfterAPark_StillEndsWhenTheSocketIsReady()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "epoll is Linux's");
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, 0));
        using var waiter = new EpollWaiter([((int)socket.Handle, false)]);

        for (int round = 0; round < 2; round++)
        {
            waiter.Sleep(1, forSockets: false);
            socket.SendTo([1], socket.LocalEndPoint!);
            var sleeper = new Thread(() => waiter.Sleep(-1, forSockets: true)) { IsBackground = true };
            sleeper.Start();
            Assert.True(sleeper.Join(_patience));
            socket.Receive(new byte[1]);
        }
    }

    /// <summary>A thread that parks, and once woken runs only when it is let.</summary>
    private sealed class Member : IDisposable
    {
        private readonly Thread _thread;

        public Member(Crew crew)
        {
            crew.Join();
            _thread = new Thread(() =>
            {
                crew.TryBeginPark(Waiter, keepsOneAwake: false);
                Waiter.Sleep(-1, forSockets: false);
                crew.EndPark(Waiter);
            })
            {
                IsBackground = true,
            };
            _thread.Start();
            Assert.True(Waiter.Parked.Wait(_patience));
        }

        public HeldWaiter Waiter { get; } = new();

        public void LetRun()
        {
            Waiter.Held.Set();
            Assert.True(_thread.Join(_patience));
        }

        public void Dispose()
        {
            Waiter.Held.Set();
            Waiter.Dispose();
        }
    }

    private sealed class HeldWaiter : ThreadWaiter
    {
        public ManualResetEventSlim Parked { get; } = new();

        public ManualResetEventSlim Held { get; } = new();

        public bool IsSignalled { get; private set; }

        protected override void Wait(int timeoutMilliseconds, bool forSockets)
        {
            Parked.Set();
            Held.Wait(_patience);
        }

        protected override void Signal() => IsSignalled = true;

        protected override void Close()
        {
        }
    }
}
