using System.Buffers.Binary;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Spate.Measurement.Bench;
using Spate.Measurement.Bench.PingPong;
using Spate.Measurement.Bench.Rounds;
using Spate.Measurement.Bench.Servers;
using Spate.Serving;

namespace Spate.Tests.Measurement.Bench.PingPong;

[QuietHost("it loads the CPUs, and others would be measured")]
public sealed class PingPongTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(7, 1, 1)]
    [InlineData(64, 0, 1)]
    [InlineData(64, 1, 0)]
    public void Execute_ImpossibleOptions_Refuses(int sizeBytes, int pingCount, int roundCount) =>
        Assert.Throws<BenchException>(() => PingPongRun.Execute(
            new PingPongOptions { SizeBytes = sizeBytes, PingCount = pingCount, RoundCount = roundCount },
            cancellationToken: Cancellation));

    [Fact]
    public void Run_AnswersThatAreNotSent_AreCountedAsLost()
    {
        // The second ping gets no answer. Only five losses in succession would end the round.
        PingTarget target = Forgetful(static sequence => sequence != 2);

        PingRoundMeasurement round =
            new PingRound(Anywhere, 64, Cancellation).Run(target, warmUpCount: 0, count: 4, TimeSpan.MaxValue);

        Assert.Equal((3, 1), (round.Pings, round.Lost));
    }

    [Fact]
    public void Run_NoTime_EndsWithThePingsThereAre()
    {
        PingTarget target = Forgetful(static _ => true);

        PingRoundMeasurement round =
            new PingRound(Anywhere, 64, Cancellation).Run(target, warmUpCount: 0, count: 1_000_000, TimeSpan.Zero);

        Assert.InRange(round.Pings, 1, 999_999);
    }

    [Fact]
    public void Run_ServerThatIsSilent_EndsWithAReason()
    {
        PingTarget target = Forgetful(static _ => false);

        BenchException fault = Assert.Throws<BenchException>(
            () => new PingRound(Anywhere, 64, Cancellation) { MaxQuiet = TimeSpan.FromMilliseconds(10) }
                .Run(target, warmUpCount: 0, count: 1000, TimeSpan.MaxValue));

        Assert.Contains("pings in a row had none", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Percentile_WarmUpAndHundredTimes_IsNearestRankOfThoseCounted()
    {
        var log = new PingLog(warmUpCount: 2, count: 100);
        long microsecond = Stopwatch.Frequency / 1_000_000;
        foreach (int time in (int[])[5000, 5000, .. Enumerable.Range(1, 100).Reverse()])
        {
            Assert.True(log.TryNext(out _));
            log.Add(time * microsecond);
        }

        log.Sort();

        Assert.False(log.TryNext(out _));
        Assert.Equal(100, log.Count);
        Assert.Equal(50, log.PercentileMicroseconds(50), tolerance: 1e-9);
        Assert.Equal(99, log.PercentileMicroseconds(99), tolerance: 1e-9);
        Assert.Equal(100, log.PercentileMicroseconds(99.9), tolerance: 1e-9);
    }

    [Fact]
    public void LostInARow_AfterAnAnswer_BeginsAnew()
    {
        var log = new PingLog(warmUpCount: 0, count: 10);
        log.AddLost();
        log.AddLost();
        Assert.Equal(2, log.LostInARow);

        log.Add(1);

        Assert.Equal((0, 2, 1), (log.LostInARow, log.Lost, log.Count));
    }

    [Fact]
    public void Measure_IdleServers_WatchesEveryDesignInTurnByTheClockOfTheCourse()
    {
        using var course = new MadeUpCourse();
        var duration = TimeSpan.FromHours(1);
        BenchCourse idle = course.Begin(TimeSpan.FromDays(1));

        IReadOnlyList<IdleRow> rows = IdleServers.Measure(duration, idle);

        Assert.Equal(Enum.GetValues<UdpServerDesign>().Length, rows.Count + idle.Skipped.All.Count);
        Assert.All(rows, static row => Assert.InRange(row.CpuPercent, 0, 1));
        Assert.True(idle.Budget.Elapsed >= rows.Count * duration);
        Assert.InRange(idle.Budget.Elapsed, TimeSpan.Zero, IdleServers.TimeOf(duration));
    }

    private static CpuPlacement Anywhere { get; } = new(null, null, "not pinned");

    private static PingTarget Forgetful(Func<ulong, bool> answers) => new(
        "forgetful",
        RunsOnPool: false,
        _ => new ForgetfulPong(answers),
        static (size, server) => new SocketPing(size, server));

    private sealed class ForgetfulPong : BenchServer
    {
        private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        private readonly Task _loop;

        public ForgetfulPong(Func<ulong, bool> answers)
        {
            _socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            _loop = AnswerAsync(answers);
        }

        public override IPEndPoint LocalEndPoint => (IPEndPoint)_socket.LocalEndPoint!;

        public override void Dispose()
        {
            _socket.Dispose();
            _loop.GetAwaiter().GetResult();
        }

        private async Task AnswerAsync(Func<ulong, bool> answers)
        {
            byte[] buffer = new byte[2048];
            EndPoint any = new IPEndPoint(IPAddress.Any, 0);
            try
            {
                while (true)
                {
                    SocketReceiveFromResult got = await _socket.ReceiveFromAsync(buffer, any);
                    Memory<byte> ping = buffer.AsMemory(0, got.ReceivedBytes);
                    if (answers(BinaryPrimitives.ReadUInt64LittleEndian(ping.Span)))
                    {
                        await _socket.SendToAsync(ping, got.RemoteEndPoint);
                    }
                }
            }
            catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
            {
                // The test has disposed the socket, which ends the loop.
            }
        }
    }
}
