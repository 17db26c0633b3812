using Spate.Interop.Linux;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate.Tests.Waiting;

/// <summary>Entries of an epoll set: their numbers, their events, and what comes later.</summary>
public sealed class EpollSetTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    public EpollSetTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "epoll is Linux's.");

    [Fact]
    public void Add_PlaceUsedAgain_NumberIsNewAndEachEventFindsItsEntry()
    {
        const int count = 200;
        using var set = new EpollSet<EpollEntry>(isShared: false);
        WakeDescriptor[] descriptors = [.. Enumerable.Range(0, count).Select(static _ => new WakeDescriptor())];
        EpollEntry[] entries = [.. descriptors.Select(static one => new EpollEntry(one.Number))];
        foreach (EpollEntry entry in entries) set.Add(entry, Epoll.EPOLLIN | Epoll.EPOLLET);

        set.Remove(entries[7]);
        set.Remove(entries[7]);
        var next = new EpollEntry(descriptors[7].Number);
        set.Add(next, Epoll.EPOLLIN | Epoll.EPOLLET);

        Assert.Equal((uint)entries[7].Id, (uint)next.Id);
        Assert.NotEqual(entries[7].Id, next.Id);
        Assert.False(set.Forget(entries[7]));
        Assert.Equal(count, set.Count);
        Assert.Equal(count, set.All().Length);
        entries[7] = next;
        EpollEntry[] ready = new EpollEntry[2];
        for (int i = 0; i < count; i++)
        {
            descriptors[i].Signal();
            Assert.Equal(1, set.Wait(ready, default, (int)Patience.TotalMilliseconds, out bool isSignalled));
            Assert.Same(entries[i], ready[0]);
            Assert.False(isSignalled);
        }

        foreach (WakeDescriptor descriptor in descriptors) descriptor.Dispose();
    }

    [Fact]
    public void Wait_LaterEntryThatComesBack_AtMostOncePerMillisecondAsIfAllHappened()
    {
        using var set = new EpollSet<EpollEntry>(isShared: false);
        using var descriptor = new WakeDescriptor();
        var entry = new EpollEntry(descriptor.Number);
        EpollEntry[] ready = new EpollEntry[4];
        uint[] events = new uint[4];
        long start = Environment.TickCount64;
        const int rounds = 50;
        for (int i = 0; i < rounds; i++)
        {
            set.AddLater(entry);
            int found;
            while ((found = set.Wait(ready, events, timeoutMilliseconds: -1, out _)) == 0)
            {
            }

            Assert.Equal(1, found);
            Assert.Same(entry, ready[0]);
            Assert.Equal(Epoll.EPOLLIN | Epoll.EPOLLOUT, events[0]);
            Assert.False(set.HasLater);
        }

        // A lower bound of time: the first one may come at once, and the tick count has steps of up to 16 ms.
        Assert.InRange(Environment.TickCount64 - start, rounds - 1 - 16, long.MaxValue);
    }

    [Theory]
    [InlineData(false, 1)]
    [InlineData(true, 2)]
    public void Signal_SharedOrNot_EndsWaitsUntilTakenBackOrOne(bool isShared, int endedWaits)
    {
        using var set = new EpollSet<EpollEntry>(isShared);
        EpollEntry[] ready = new EpollEntry[1];
        set.Signal();
        set.Signal();

        int ended = 0;
        for (int i = 0; i < 2; i++)
        {
            set.Wait(ready, default, timeoutMilliseconds: 0, out bool isSignalled);
            if (isSignalled) ended++;
        }

        Assert.Equal(endedWaits, ended);
        if (isShared) set.EndSignal();
        set.Wait(ready, default, timeoutMilliseconds: 0, out bool isSignalledStill);
        Assert.False(isSignalledStill);
    }

    [Fact]
    public void Dispose_ThreadWaits_ReturnsAfterItHasLeft()
    {
        var set = new EpollSet<EpollEntry>(isShared: true);
        int left = 0;
        var waiting = new Thread(() =>
        {
            set.Wait(new EpollEntry[1], default, timeoutMilliseconds: -1, out _);
            Volatile.Write(ref left, 1);
        });
        waiting.Start();
        set.Signal();

        set.Dispose();

        Assert.True(waiting.Join(Patience));
        Assert.Equal(1, left);
        Assert.Throws<ObjectDisposedException>(() => set.Add(new EpollEntry(0), Epoll.EPOLLIN));
        Assert.Equal(0, set.Wait(new EpollEntry[1], default, timeoutMilliseconds: -1, out _));
    }
}
