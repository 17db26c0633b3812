using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using Spate.Cli.Bench;
using Spate.Cli.Bench.PingPong;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Shell;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Cli.Bench.PingPong;

[QuietHost("five answers in a row that a loaded CPU delays end a round")]
public sealed class PingRoundTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public void Run_AnswersThatAreNotSent_AreCountedAsLost()
    {
        // The second ping gets no answer. Only five losses in succession would end the round.
        PingTarget target = Forgetful(static sequence => sequence != 2);

        // A first answer, whose code is compiled meanwhile, has taken over 250 ms on a busy machine.
        PingRoundMeasurement round =
            new PingRound(Anywhere, 64, Cancellation) { MaxQuiet = TimeSpan.FromSeconds(1) }
                .Run(target, warmUpCount: 0, count: 4, TimeSpan.MaxValue);

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

        Assert.Contains("pings in a row got no answer", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Measure_IdleServers_WatchesEveryDesignInTurnByTheClockOfTheCourse()
    {
        using var course = new MadeUpCourse();
        var duration = TimeSpan.FromHours(1);
        BenchCourse idle = course.Begin(TimeSpan.FromDays(1));

        IReadOnlyList<IdleRow> rows = IdleServers.Measure(duration, idle);

        Assert.Equal(ServerDesigns.All.Count, rows.Count + idle.Skipped.All.Count);
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
