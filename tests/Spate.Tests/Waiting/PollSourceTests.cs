using Spate.Waiting;

namespace Spate.Tests.Waiting;

/// <summary>The threads of a poller's source and its signal.</summary>
public sealed class PollSourceTests
{
    [Fact]
    public void Wait_AnotherThreadHasNotNoticedTheWake_DoesNotTakeItsSignal()
    {
        int waitCount = 0;
        using SemaphoreSlim begun = new(0), goOn = new(0);
        WrappedEventSet set = new(new PortableEventSet(isShared: true), static request => request())
        {
            OnWait = () =>
            {
                if (Interlocked.Increment(ref waitCount) > 1) return;
                begun.Release();
                goOn.Wait();
            },
        };
        using PollSource source = new(set);
        PollThread stale = new(source), other = new(source);
        Thread thread = new(() => source.Wait(stale, Timeout.Infinite)) { IsBackground = true };
        thread.Start();
        begun.Wait(TestContext.Current.CancellationToken);
        source.Wake();

        Assert.Equal(PollSource.Woken, source.Wait(other, Timeout.Infinite));
        Assert.Equal(0, source.Wait(other, timeoutMilliseconds: 1));
        Assert.Equal(1, Volatile.Read(ref waitCount));

        goOn.Release();
        Assert.Equal(0, source.Wait(other, Timeout.Infinite));
        thread.Join();
        Assert.Equal(0, source.Wait(other, timeoutMilliseconds: 1));
        Assert.Equal(2, waitCount);
        Assert.Equal(PollSource.Woken, source.Wait(stale, Timeout.Infinite));
    }
}
