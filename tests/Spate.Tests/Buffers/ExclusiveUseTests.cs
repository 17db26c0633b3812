using Spate.Buffers;

namespace Spate.Tests.Buffers;

/// <summary>Who has a batch, and who releases the memory of a disposed one.</summary>
public sealed class ExclusiveUseTests
{
    [Fact]
    public void End_WhileUsed_TheCallThatLeavesReleasesOnce()
    {
        ExclusiveUse use = default;
        use.Enter();

        Assert.False(use.End());
        Assert.False(use.End());
        Assert.Throws<ObjectDisposedException>(() => use.RequireNotEnding());
        Assert.Throws<ObjectDisposedException>(() => use.Enter());
        Assert.True(use.Leave());
        Assert.False(use.End());
        Assert.Throws<ObjectDisposedException>(() => use.RequireFree());
    }

    [Fact]
    public void Lend_ByTheCallThatHasIt_OthersMayReadOnly()
    {
        ExclusiveUse use = default;
        use.Enter();
        Assert.Throws<InvalidOperationException>(() => use.RequireFree());

        use.Lend();
        use.RequireFree();
        Assert.Throws<InvalidOperationException>(() => use.Enter());
        use.TakeBack();

        Assert.Throws<InvalidOperationException>(() => use.RequireFree());
        Assert.False(use.Leave());
        use.RequireFree();
    }

    [Fact]
    public void End_AsACallLeaves_OneOfTheTwoReleases()
    {
        int rounds = TestWidth.Of(4_000, full: 20_000);
        CancellationToken stop = TestContext.Current.CancellationToken;
        var flag = new Flag();
        using Barrier start = new(2);
        int releaseCount = 0, wrongCount = 0;
        var caller = new Thread(() =>
        {
            for (int round = 0; round < rounds; round++)
            {
                start.SignalAndWait(stop);
                if (flag.Use.Leave()) Interlocked.Increment(ref releaseCount);
                start.SignalAndWait(stop);
            }
        });
        caller.IsBackground = true;
        caller.Start();
        for (int round = 0; round < rounds; round++)
        {
            flag.Use = default;
            flag.Use.Enter();
            start.SignalAndWait(stop);
            if (flag.Use.End()) Interlocked.Increment(ref releaseCount);
            start.SignalAndWait(stop);
            if (Interlocked.Exchange(ref releaseCount, 0) != 1) wrongCount++;
        }

        caller.Join();
        Assert.Equal(0, wrongCount);
    }

    private sealed class Flag
    {
        public ExclusiveUse Use;
    }
}
