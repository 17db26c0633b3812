using Spate.Cli.Bench;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.Sweep;
using Spate.HostTuning.Reading.Cpus;
using Spate.Tests.Cli.Bench.Drain;

namespace Spate.Tests.Cli.Bench.Sweep;

public sealed class DrainSubjectTests
{
    [Fact]
    public void Measure_PassesThatTakeLongerAndLonger_AveragesThoseBegunInTime()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "a thread's CPU is set on Linux only");
        var time = new JumpingTime();
        var target = new FakeDrainTarget("fake", time, static drain => drain + 1);
        using var subject = new DrainSubject(target, sizeBytes: 64, time);
        int count = DrainBench.CountThatFits(new DrainOptions().DatagramCount, 64, 1 << 20);
        int[] cpus = [CpuFacts.Read().UsableNumbers[0]];

        // Datagrams take 1, 2 and 3 us in the first passes, so the third one begins after 3 us for each of them.
        double first = MeasureFor(microsecondsPerDatagram: 4);
        double second = MeasureFor(microsecondsPerDatagram: 1);

        Assert.Equal((2000, 4000, 1), (first, second, target.Opened));
        Assert.Equal(1 << 20, subject.BufferGrantedBytes);

        // The CPU of the calling thread changes, so it has a thread of its own.
        double MeasureFor(int microsecondsPerDatagram)
        {
            double nanoseconds = 0;
            var thread = new BenchThread("bench test", cpu: null, () => nanoseconds =
                subject.Measure(cpus, TimeSpan.FromMicroseconds(count * microsecondsPerDatagram)));
            thread.Start();
            Assert.True(thread.Join(TimeSpan.FromSeconds(30)));
            Assert.Null(thread.Failure);
            return nanoseconds;
        }
    }
}
