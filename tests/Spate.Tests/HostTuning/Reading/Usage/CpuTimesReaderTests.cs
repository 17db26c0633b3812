using Spate.HostTuning.Reading.Usage;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Reading.Usage;

/// <summary>Readings of recorded <c>/proc/stat</c> and <c>/proc/softirqs</c>.</summary>
public sealed class CpuTimesReaderTests
{
    private const long Tick = 10_000_000;

    [Theory]
    [InlineData(2)]
    [InlineData(64)]
    [InlineData(512)]
    public void Read_RecordedMachine_GivesEveryCpu(int cpuCount)
    {
        using FakeHost host = FakeMachines.Busy([.. Enumerable.Range(0, cpuCount)], round: 1);
        using var reader = new CpuTimesReader(host.RootPath);

        IReadOnlyDictionary<int, CpuUse> uses = reader.Read();

        Assert.Equal(Enumerable.Range(0, cpuCount), uses.Keys.Order());
        int last = cpuCount - 1;
        Assert.Equal(
            new CpuTimes((last + 1) * Tick, 3 * Tick, 7 * Tick, 6 * Tick, 8 * Tick, 9 * Tick), uses[last].Times);
        Assert.Equal(100 + last, uses[last].ReceiveInterrupts);
    }

    [Fact]
    public void Read_CpusGoAndCome_GivesThoseThatAreOnline()
    {
        using FakeHost host = FakeMachines.Busy([0, 1, 3], round: 1);
        using var reader = new CpuTimesReader(host.RootPath);
        Assert.Equal([0, 1, 3], reader.Read().Keys.Order());

        FakeMachines.Busy(host, [0, 2, 3], round: 2);
        Assert.Equal([0, 2, 3], reader.Read().Keys.Order());
    }

    [Fact]
    public void Subtract_PartsThatWentBack_AreZero()
    {
        var earlier = new CpuTimes(100, 90, 80, 70, 60, 50);
        var later = new CpuTimes(101, 92, 79, 0, 60, 49);

        Assert.Equal(new CpuTimes(1, 2, 0, 0, 0, 0), later - earlier);
    }

    [Theory]
    [InlineData(4_294_967_290L, 10L, 16L)]
    [InlineData(5L, 9L, 4L)]
    [InlineData(3_000_000L, 4L, null)]
    [InlineData(null, 4L, null)]
    public void Subtract_InterruptCounts_WrapAt32Bits(long? earlier, long? later, long? expected) =>
        Assert.Equal(expected, (new CpuUse(default, later) - new CpuUse(default, earlier)).ReceiveInterrupts);

    [Fact]
    public void Read_Container_GivesItsFewerCpusWithoutInterrupts()
    {
        // lxcfs shows the CPUs of the container from 0 on, and has no /proc/softirqs of its own.
        using FakeHost host = new FakeHost().With("proc/stat", "cpu  5 0 0 5 0 0 0 0 0 0\ncpu0 5 0 0 5 0 0 0 0 0 0\n");
        using var reader = new CpuTimesReader(host.RootPath);

        (int cpu, CpuUse use) = Assert.Single(reader.Read());
        Assert.Equal((0, 5 * Tick, (long?)null), (cpu, use.Times.Busy, use.ReceiveInterrupts));
    }

    [Fact]
    public void Read_NoFile_IsEmpty()
    {
        using FakeHost host = new FakeHost();
        using var reader = new CpuTimesReader(host.RootPath);

        Assert.Empty(reader.Read());
        Assert.Null(reader.ReadMeanSteal([0]));
    }

    [Fact]
    public void Read_Disposed_IsEmpty()
    {
        using FakeHost host = FakeMachines.Busy([0], round: 1);
        var reader = new CpuTimesReader(host.RootPath);
        reader.Dispose();

        Assert.Empty(reader.Read());
    }

    [Theory]
    [InlineData("cpu0 1 2 3 4 5 6 7\n")]
    [InlineData("cpu0 1 2 x 4 5 6 7 8\n")]
    [InlineData("cpu0\n")]
    [InlineData("cpu 1 2 3 4 5 6 7 8\n")]
    [InlineData("cpu-1 1 2 3 4 5 6 7 8\n")]
    [InlineData("cpu99999999999 1 2 3 4 5 6 7 8\n")]
    [InlineData("cpu0 99999999999999999999 2 3 4 5 6 7 8\n")]
    [InlineData("intr 5\ncpu0 1 2 3 4 5 6 7 8\n")]
    [InlineData("\n\0\u00ff")]
    public void Read_DamagedLine_IsLeftOut(string stat)
    {
        using FakeHost host = new FakeHost().With("proc/stat", stat);
        using var reader = new CpuTimesReader(host.RootPath);

        Assert.Empty(reader.Read());
    }

    [Theory]
    [InlineData("")]
    [InlineData("CPU0 CPU1\n")]
    [InlineData("NET_RX: 5 6\n")]
    [InlineData("     CPUx CPU99999999999\n NET_RX: 5 6\n")]
    [InlineData("     CPU0\n NET_RX:")]
    public void Read_DamagedSoftirqs_LeavesTheCountsUnknown(string softirqs)
    {
        using FakeHost host = FakeMachines.Busy([0], round: 1).With("proc/softirqs", softirqs);
        using var reader = new CpuTimesReader(host.RootPath);

        Assert.Null(Assert.Single(reader.Read()).Value.ReceiveInterrupts);
    }

    [Fact]
    public void Read_HugeCounts_DoNotOverflow()
    {
        using FakeHost host = new FakeHost().With(
            "proc/stat", $"cpu0 {string.Join(' ', Enumerable.Repeat(long.MaxValue, 10))}\n");
        using var reader = new CpuTimesReader(host.RootPath);

        Assert.True(Assert.Single(reader.Read()).Value.Times is { Total: > 0, Busy: > 0, User: > 0 });
    }

    [Fact]
    public void Read_RandomBytes_NeverFails()
    {
        int seed = Random.Shared.Next();
        TestContext.Current.TestOutputHelper?.WriteLine($"seed {seed}");
        var random = new Random(seed);
        using FakeHost host = FakeMachines.Busy([0, 1], round: 1);
        byte[] stat = File.ReadAllBytes(Path.Combine(host.RootPath, "proc/stat"));
        byte[] softirqs = File.ReadAllBytes(Path.Combine(host.RootPath, "proc/softirqs"));
        for (int i = 0; i < 500; i++)
        {
            host.With("proc/stat", Damage(stat)).With("proc/softirqs", Damage(softirqs));
            using var reader = new CpuTimesReader(host.RootPath);
            Assert.All(reader.Read(), static one => Assert.True(one.Value.Times.Total >= 0));
        }

        byte[] Damage(byte[] text)
        {
            byte[] damaged = text[..random.Next(text.Length + 1)];
            for (int j = 0; j < 5 && damaged.Length > 0; j++)
            {
                damaged[random.Next(damaged.Length)] = (byte)"0 \ncpu:9\0\u007f"[random.Next(10)];
            }

            return damaged;
        }
    }

    [Theory]
    [InlineData("0", 7_000_000_000L)]
    [InlineData("1", 50_000_000L)]
    [InlineData("0 1", 3_525_000_000L)]
    [InlineData("0 1 10", 2_350_000_000L)]
    [InlineData("0 99", 7_000_000_000L)]
    [InlineData("", null)]
    [InlineData("10", 0L)]
    [InlineData("2", null)]
    public void ReadMeanSteal_CpusOfATree_GivesTheirMean(string cpus, long? expected)
    {
        using FakeHost host = new FakeHost().With(
            "proc/stat",
            "cpu  2898719 0 1263346 2709524 2097 0 249273 705 0 0\ncpu0 1 2 3 4 5 6 7 700 9 10\n"
                + "cpu1 1 2 3 4 5 6 7 5 9 10\ncpu10 1 2 3 4 5 6 7 0 9 10\nintr 1 2 3 4 5 6 7 8\ncpu2 1 2 3 4 5 6 7\n");
        using var reader = new CpuTimesReader(host.RootPath);

        Assert.Equal(
            expected,
            reader.ReadMeanSteal([.. cpus.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(int.Parse)]));
    }

    [Fact]
    public void Read_ThisMachine_MovesForward()
    {
        using var reader = new CpuTimesReader();
        IReadOnlyDictionary<int, CpuUse> first = reader.Read();
        Assert.SkipWhen(first.Count == 0, "this system does not tell what its CPUs do");

        long total = 0;
        for (int i = 0; i < 100_000 && total == 0; i++)
        {
            total = reader.Read().Sum(one => (one.Value - first[one.Key]).Times.Total);
        }

        Assert.True(total > 0);
    }
}
