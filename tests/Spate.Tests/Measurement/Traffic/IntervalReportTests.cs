using Spate.Measurement.HostUse;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Traffic;

/// <summary>Two intervals as one: sums of what was counted, the later value of what is a state.</summary>
public sealed class IntervalReportTests
{
    [Fact]
    public void Extend_NextInterval_SumsCountsAndKeepsTheLaterState()
    {
        var first = new IntervalReport
        {
            Seconds = 3,
            Datagrams = 10,
            Bytes = 640,
            Lost = 5,
            CpuPercent = 80,
            CompiledMethods = 7,
            AllocatedBytes = 1000,
            Gen0Collections = 2,
            ResidentBytes = 50,
        };
        var next = new IntervalReport
        {
            Seconds = 1,
            Datagrams = 4,
            Bytes = 100,
            Lost = -2,
            CpuPercent = 40,
            CompiledMethods = 1,
            AllocatedBytes = 300,
            Gen0Collections = 1,
            ResidentBytes = 40,
        };

        first.Extend(next);

        Assert.Equal((4, 14, 740, 3L), (first.Seconds, first.Datagrams, first.Bytes, first.Lost));
        Assert.Equal((70, 8L), (first.CpuPercent, first.CompiledMethods));
        Assert.Equal((1300L, 3, 40L), (first.AllocatedBytes, first.Gen0Collections, first.ResidentBytes));
    }

    [Theory]
    [InlineData(2, 9, 3, 7, 2, 9)]
    [InlineData(3, 7, 2, 9, 2, 9)]
    [InlineData(2, 9, null, null, 2, 9)]
    [InlineData(null, null, 2, 9, 2, 9)]
    [InlineData(null, null, null, null, null, null)]
    public void Extend_Threads_KeepTheFewestAndMostOfACall(
        int? least, int? most, int? minNext, int? maxNext, int? minMerged, int? maxMerged)
    {
        var first = new IntervalReport { Seconds = 1, Threads = [Thread(0, 40, least, most), Thread(1, 1, 1, 1)] };

        first.Extend(new IntervalReport { Seconds = 1, Threads = [Thread(0, 20, minNext, maxNext)] });

        ThreadIntervalReport merged = first.Threads[0];
        Assert.Equal((minMerged, maxMerged), (merged.LeastPerCall, merged.MostPerCall));
        Assert.Equal((60, 20, 3.0), (merged.Datagrams, merged.Calls, merged.MeanPerCall));
        Assert.Equal((200L, 120L, 80L), (merged.CpuNanoseconds, merged.UserNanoseconds, merged.SystemNanoseconds));
        Assert.Equal((10L, 4L), (merged.VoluntarySwitches, merged.InvoluntarySwitches));
        Assert.Equal(1, first.Threads[1].Datagrams);
    }

    private static ThreadIntervalReport Thread(int index, long datagrams, int? least, int? most) => new()
    {
        Role = "receive",
        Index = index,
        Datagrams = datagrams,
        Calls = 10,
        LeastPerCall = least,
        MostPerCall = most,
        CpuNanoseconds = 100,
        UserNanoseconds = 60,
        SystemNanoseconds = 40,
        VoluntarySwitches = 5,
        InvoluntarySwitches = 2,
    };
}
