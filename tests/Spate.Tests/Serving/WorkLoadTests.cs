using Spate.Measurement;
using Spate.Measurement.Serving;
using Spate.Serving;

namespace Spate.Tests.Serving;

public sealed class WorkLoadTests
{
    [Fact]
    public void Do_RoundsAndSeed_DecideTheResult()
    {
        Assert.Equal(WorkLoad.Do(100, 7), WorkLoad.Do(100, 7));
        Assert.Distinct(Enumerable.Range(1, 1000).Select(static rounds => WorkLoad.Do(rounds, 7)));
        Assert.Distinct(Enumerable.Range(0, 256).Select(static seed => WorkLoad.Do(3, (uint)seed)));
    }

    [Fact]
    public void MeasureNanosecondsPerRound_Here_IsSomething() =>
        Assert.True(WorkLoad.MeasureNanosecondsPerRound() > 0);

    [Fact]
    public void ThreadMeter_OfAnotherThread_ReadsItWhileItLives()
    {
        Assert.SkipUnless(Directory.Exists("/proc/self/task"), "/proc is needed");
        using var mayEnd = new ManualResetEventSlim();
        using var started = new ManualResetEventSlim();
        int id = 0;
        var thread = new Thread(() =>
        {
            id = int.Parse(Path.GetFileName(new FileInfo("/proc/thread-self").LinkTarget!));
            started.Set();
            mayEnd.Wait();
        });
        thread.Start();
        started.Wait(TestContext.Current.CancellationToken);
        using var meter = new ThreadMeter(id);

        Assert.NotNull(meter.Usage.CpuNanoseconds);
        Assert.NotNull(meter.Usage.VoluntarySwitches);
        mayEnd.Set();
        thread.Join();
        using var none = new ThreadMeter(0);
        Assert.Null(none.Usage.CpuNanoseconds);
    }

    [Theory]
    [InlineData(UdpServerDesign.OneByOne, "one-by-one")]
    [InlineData(UdpServerDesign.Sharded, "sharded")]
    public void NameText_Values_ReadBack(UdpServerDesign design, string name)
    {
        Assert.Equal(name, NameText.Of(design));
        Assert.True(NameText.TryParse(name, out UdpServerDesign parsed));
        Assert.Equal(design, parsed);
        Assert.False(NameText.TryParse(name.ToUpperInvariant(), out UdpServerDesign _));
        Assert.False(NameText.TryParse("0", out UdpServerDesign _));
    }
}
