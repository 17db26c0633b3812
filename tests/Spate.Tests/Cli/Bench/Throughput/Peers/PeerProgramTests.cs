using Spate.Cli.Bench;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Bench.Throughput.Peers;

namespace Spate.Tests.Cli.Bench.Throughput.Peers;

public sealed class PeerProgramTests
{
    private const string Iperf3Output = """
        {
            "start": { "version": "iperf 3.12", "sndbuf_actual": 212992 },
            "intervals": [],
            "end": {
                "streams": [],
                "sum": {
                    "start": 0, "end": 2.00006, "seconds": 2.00006, "bytes": 1057866600,
                    "bits_per_second": 4231426201.451086, "jitter_ms": 0.0010582944433493923,
                    "lost_packets": 31872, "packets": 766570, "lost_percent": 4.1577416282922632, "sender": true
                },
                "cpu_utilization_percent": { "host_total": 99.420086569612849, "remote_total": 80.1226261372767 }
            }
        }
        """;

    private const string NuttcpOutput =
        "megabytes=1155.5007 real_seconds=2.00 rate_Mbps=4846.5795 tx_cpu=99 rx_cpu=51 drop=47592 pkt=925585"
        + " data_loss=5.14183\n";

    private const string SockperfClientOutput = """
        sockperf: [2;35m== version #3.7-no.git == [0m
        sockperf[CLIENT] send on:
        [ 0] IP = 127.0.0.1       PORT =  5501 # UDP
        sockperf: Warmup stage (sending a few dummy messages)...
        sockperf: Starting test...
        sockperf: Test end (interrupted by timer)
        sockperf: Test ended
        sockperf: Total of 950862 messages sent in 2.000 sec
        sockperf: Summary: Message Rate is 475322 [msg/sec]
        """;

    private const string SockperfServerOutput = """
        sockperf: [tid 6418] using recvfrom() to block on socket(s)
        sockperf: Test end (interrupted by user)
        sockperf: Total 950860 messages received and handled
        """;

    private static readonly PeerSetup Setup =
        new(1380, 1, 5201, 5202, 4 << 20, new CpuPlacement(0, 1, ""));

    [Fact]
    public void Parse_Iperf3_TellsCountsTimeAndCpu()
    {
        PeerFigures figures = new Iperf3Program().Parse(Iperf3Output, "", Setup)!;

        Assert.Equal(766570, figures.Sent);
        Assert.Equal(766570 - 31872, figures.Received);
        Assert.Equal(2.00006, figures.Seconds);
        BenchRow row = figures.ToRow("iperf3", 1380);
        Assert.Equal(734698 / 2.00006, row.DatagramsPerSecond, 3);
        Assert.Equal(4.1577416, row.LostPercent, 6);
        Assert.Equal(0.99420086 * 2.00006e9 / 766570, row.SendNanosecondsPerDatagram!.Value, 2);
        Assert.Equal(0.80122626 * 2.00006e9 / 734698, row.ReceiveNanosecondsPerDatagram!.Value, 2);
        Assert.Null(row.AllocatedBytesPerDatagram);
        Assert.Null(row.Gen0Collections);
        Assert.Null(row.DatagramsPerCall);
        Assert.Equal([row.DatagramsPerSecond], row.Samples);
    }

    [Fact]
    public void DescribeFailure_Iperf3Error_IsItsOwnText() => Assert.Equal(
        "unable to connect to server",
        new Iperf3Program().DescribeFailure("""{ "start": {}, "error": "unable to connect to server" }"""));

    [Fact]
    public void Parse_Nuttcp_TellsCountsTimeAndCpu()
    {
        PeerFigures figures = new Nuttcp().Parse(NuttcpOutput, "", Setup)!;

        Assert.Equal(925585, figures.Sent);
        Assert.Equal(925585 - 47592, figures.Received);
        Assert.InRange(figures.Seconds, 1.999, 2.001);
        BenchRow row = figures.ToRow("nuttcp", 1380);
        Assert.Equal(4846.5795e6, row.BitsPerSecond, 0);
        Assert.Equal(5.14183, row.LostPercent, 5);
        Assert.Equal(51, figures.ReceiverCpuPercent);
    }

    [Fact]
    public void Parse_Sockperf_TellsCountsOfBothEnds()
    {
        PeerFigures figures = new Sockperf().Parse(SockperfClientOutput, SockperfServerOutput, Setup)!;

        Assert.Equal(new PeerFigures(950862, 950860, 2.0), figures);
        Assert.Null(figures.ToRow("sockperf", 1380).SendNanosecondsPerDatagram);
    }

    [Fact]
    public void Parse_SockperfWithoutServerCount_IsNotUnderstood() =>
        Assert.Null(new Sockperf().Parse(SockperfClientOutput, "", Setup));

    [Theory]
    [InlineData("")]
    [InlineData("{")]
    [InlineData("[]")]
    [InlineData("{\"end\":7}")]
    [InlineData("{\"end\":{\"sum\":{\"packets\":\"x\",\"lost_packets\":0,\"seconds\":1}}}")]
    [InlineData("{\"end\":{\"sum\":{\"packets\":1,\"lost_packets\":0,\"seconds\":0}}}")]
    [InlineData("pkt=9 drop=zero rate_Mbps=1")]
    [InlineData("pkt=9 drop=9 rate_Mbps=1")]
    [InlineData("pkt=-9 drop=0 rate_Mbps=1")]
    [InlineData("sockperf: Total of 99999999999999999999 messages sent in 1 sec")]
    [InlineData("sockperf: Total of 9 messages sent in 0.0.0 sec")]
    [InlineData("sockperf: Total of 9 messages sent in 0.000 sec")]
    public void Parse_AnythingElse_IsNotUnderstood(string output)
    {
        Assert.Null(new Iperf3Program().Parse(output, "", Setup));
        Assert.Null(new Nuttcp().Parse(output, "", Setup));
        Assert.Null(new Sockperf().Parse(output, SockperfServerOutput, Setup));
    }

    [Fact]
    public void ExecutablePath_NotInstalled_HasAReason() =>
        Assert.Contains("not installed", new AbsentProgram().UnavailableReason!, StringComparison.Ordinal);

    private sealed class AbsentProgram : PeerProgram
    {
        public override string Name => "no-such-program-anywhere";

        public override bool ControlsOverTcp => true;

        public override string[] ServerArguments(PeerSetup setup) => [];

        public override string[] ClientArguments(PeerSetup setup) => [];

        public override PeerFigures? Parse(string clientOutput, string serverOutput, PeerSetup setup) => null;
    }
}
