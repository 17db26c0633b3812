using Spate.Measurement.HostUse;
using Spate.Measurement.Loss;
using static Spate.Tests.Measurement.Loss.LossCase;

namespace Spate.Tests.Measurement.Loss;

/// <summary>Drops of several sockets beside the schedules of the threads that read them.</summary>
public sealed class ReaderLossTests
{
    private const long Second = 1_000_000_000;

    private static readonly ReaderSchedule Quiet = new()
    {
        Datagrams = 20,
        Drops = 0,
        RunQueueNanoseconds = 0,
        StealNanoseconds = 0,
        CpuNanoseconds = Second / 10,
    };

    [Fact]
    public void Judge_OneStarvedThreadOfMany_IsThePlace()
    {
        ReaderSchedule starved = Quiet with { Drops = 700, RunQueueNanoseconds = 9 * Second };

        LossAccount account = Judge(Full(700, [.. Enumerable.Repeat(Quiet, 63), starved]));

        Assert.Equal("reader 700", Places(account));
        Assert.Equal(
            "100 % of the loss is 1 of the receiver's 64 threads, which waited 9.0 s of 10.0 s for a CPU: "
                + "--remote-cpu auto",
            account.Sentence);
    }

    [Fact]
    public void Judge_StarvedThreadsThatLostNothing_AreNotBlamed()
    {
        ReaderSchedule starved = Quiet with { RunQueueNanoseconds = 9 * Second };
        ReaderSchedule busy = Quiet with { Drops = 700, CpuNanoseconds = 10 * Second };

        LossAccount account = Judge(Full(700, starved, busy, starved));

        Assert.Equal("socket 700", Places(account));
        Assert.Contains("whose reader used 100 % of a CPU", account.Sentence, StringComparison.Ordinal);
    }

    [Fact]
    public void Judge_ThreadsOfBothKinds_ShareTheLossByTheirDrops()
    {
        ReaderSchedule[] readers =
        [
            Quiet with { Drops = 301, RunQueueNanoseconds = 5 * Second },
            Quiet with { Drops = 200 },
            Quiet with { Drops = 302, StealNanoseconds = 8 * Second },
        ];

        LossAccount account = Judge(Full(803, readers));

        Assert.Equal("socket 200, reader 603", Places(account));
        Assert.Contains(
            "2 of the receiver's 3 threads, which waited up to 8.0 s of 10.0 s for a CPU that the hypervisor",
            account.Sentence,
            StringComparison.Ordinal);
        Assert.Equal("socket 20, reader 60", Places(Judge(Full(80, readers))));
    }

    [Fact]
    public void Judge_SocketsWithoutTheirOwnDrops_AreTakenAsAlike()
    {
        ReaderSchedule unknown = Quiet with { Drops = null };

        Assert.Equal(
            "socket 45, reader 45",
            Places(Judge(Full(90, unknown, unknown with { RunQueueNanoseconds = 9 * Second }))));
    }

    private static LossEvidence Full(long lost, params ReaderSchedule[] readers) => Of(lost).Arrived(2000)
        .Udp(udp => udp with { InErrors = lost, RcvbufErrors = lost }) with
    {
        SocketDrops = lost,
        Readers = readers,
    };
}
