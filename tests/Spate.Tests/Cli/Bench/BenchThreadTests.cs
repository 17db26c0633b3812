using Spate.Cli.Bench;

namespace Spate.Tests.Cli.Bench;

public sealed class BenchThreadTests
{
    [Fact]
    public void CpuNanosecondsSoFar_WorkHasEnded_IsAllOfIt()
    {
        long? within = null;
        BenchThread? thread = null;
        thread = new BenchThread("bench test", cpu: null, () => within = thread!.CpuNanosecondsSoFar);

        thread.Start();
        Assert.True(thread.Join(TimeSpan.FromSeconds(30)));

        Assert.Null(thread.Failure);
        Assert.SkipWhen(within is null, "this system does not tell the CPU time of threads");
        Assert.True(thread.CpuNanosecondsSoFar >= within);
        Assert.True(thread.CpuNanosecondsSoFar >= thread.CpuNanoseconds);
    }

    [Fact]
    public void Join_OneYear_IsNoArgumentOutOfRange()
    {
        var thread = new BenchThread("bench short", null, static () => { });
        thread.Start();

        Assert.True(thread.Join(TimeSpan.FromDays(365)));
    }
}
