using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using Spate.Measurement.Bench;
using Spate.Measurement.Bench.Relay;
using Spate.Measurement.Bench.Rounds;

namespace Spate.Tests.Measurement.Bench.Relay;

[QuietHost("it loads the CPUs, and others would be measured")]
public sealed class RelayTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public void Execute_SlowRateAndShortRounds_RelaysEverythingInOrder()
    {
        RelayReport result = RelayRun.Execute(
            new RelayOptions { DatagramsPerSecond = 20_000, RoundCount = 1, Budget = TimeSpan.FromSeconds(8) },
            cancellationToken: Cancellation);

        // A row that cannot run is missing with both generators. A row without time is missing with only one.
        int late = result.Skipped.Count(
            static row => row.Reason.Equals(SkippedRows.NoTimeLeft, StringComparison.Ordinal));
        int absent = result.Skipped.Count(
            static row => row.Reason.Contains("not available", StringComparison.Ordinal));
        Assert.Equal(result.Skipped.Count, late + absent);
        Assert.Equal((2 * (RelayRun.RowNames.Count - absent)) - late, result.Rows.Length);
        Assert.All(result.Rows, row =>
        {
            Assert.True(row.DatagramsPerSecond > 0, row.Name);
            Assert.Equal((0, 0L), (row.LostPercent, row.Reordered));
            bool hasBaseline = result.Rows.Any(other => other.Trains == row.Trains
                && string.Equals(other.Name, RelayRun.BaselineRowName, StringComparison.Ordinal));
            Assert.Equal(hasBaseline && OperatingSystem.IsLinux(), row.TimesLessThanSocketAsync is not null);
        });
        Assert.Equal(
            result.Rows.Select(row => row.Trains).OrderDescending(), result.Rows.Select(row => row.Trains));
    }

    [Fact]
    public void Execute_RowsByNameWithoutTrains_RunsThoseOnly()
    {
        RelayReport result = RelayRun.Execute(
            new RelayOptions
            {
                RowNames = ["socket-blocking"],
                WithTrains = false,
                DatagramsPerSecond = 20_000,
                RoundCount = 1,
                Budget = TimeSpan.FromMilliseconds(100),
            },
            cancellationToken: Cancellation);

        RelayRow row = Assert.Single(result.Rows);
        Assert.Equal(("socket-blocking", false), (row.Name, row.Trains));
        Assert.Null(row.TimesLessThanSocketAsync);
    }

    [Fact]
    public void Execute_ImpossibleOptions_SaysWhat()
    {
        foreach ((RelayOptions options, string expected) in (IEnumerable<(RelayOptions, string)>)[
            (new RelayOptions { DatagramsPerSecond = 1 }, "cannot be relayed"),
            (new RelayOptions { DatagramsPerSecond = double.NaN }, "cannot be relayed"),
            (new RelayOptions { WithTrains = false, WithoutTrains = false }, "at least one"),
            (new RelayOptions { RowNames = ["nothing"] }, "There is no row nothing"),
            (new RelayOptions { SizeBytes = 4 }, "cannot be benched")])
        {
            BenchException fault = Assert.Throws<BenchException>(
                () => RelayRun.Execute(options, cancellationToken: Cancellation));
            Assert.Contains(expected, fault.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Sink_NumbersThatFallBack_AreCountedAsReordered()
    {
        using var sink = new RelaySink(cpu: null);
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        byte[] payload = new byte[16];
        foreach (ulong sequence in (ulong[])[0, 1, 3, 2, 4, 4, 5])
        {
            BinaryPrimitives.WriteUInt64LittleEndian(payload, sequence);
            socket.SendTo(payload, sink.LocalEndPoint);
        }

        Assert.True(SpinWait.SpinUntil(() => sink.Received == 7, TimeSpan.FromSeconds(30)));
        sink.Stop();

        Assert.Equal(2, sink.Reordered);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Generator_ATenthOfASecond_SendsNumberedDatagramsAtTheRate(bool trains)
    {
        using var sink = new RelaySink(cpu: null);
        var options = new RelayOptions { DatagramsPerSecond = 64_000 };
        using var generator = new RelayGenerator(
            options, trains, sink.LocalEndPoint, TimeSpan.FromSeconds(0.1), cpu: null);

        generator.Start();
        generator.Join();

        Assert.True(SpinWait.SpinUntil(() => sink.Received == generator.Sent, TimeSpan.FromSeconds(30)));
        sink.Stop();
        Assert.Equal(0, sink.Reordered);
        Assert.Equal(0, generator.Sent % RelayGenerator.BurstDatagrams);
        Assert.InRange(generator.Sent, 1, options.DatagramsPerSecond * generator.Seconds);
    }

    [Fact]
    public void Execute_RelayThatFails_IsSkippedWithTheReason()
    {
        var target = new RelayTarget("broken", null, static (_, _) => throw new SocketException(13));
        RelayEngine engine = new(
            new RelayOptions { WithoutTrains = false, RoundCount = 1, Budget = TimeSpan.FromMilliseconds(1) },
            new CpuPlacement(null, null, "not pinned"),
            progress: null,
            Cancellation);

        BenchException fault = Assert.Throws<BenchException>(() => engine.Execute([target]));

        Assert.Contains("No row could run: ", fault.Message, StringComparison.Ordinal);
    }
}
