using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using Spate.Cli.Iperf.Iperf2.Ends;
using Spate.Cli.Iperf.Iperf2.Results;
using Spate.TestHelpers.Iperf2;

namespace Spate.HostTests.Cli.Iperf.Iperf2;

/// <summary>Tests with the real program at the other end.</summary>
public sealed class Iperf2ProgramTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    [Theory]
    [InlineData("-b 10m -n 100000", false)]
    [InlineData("-b 10m -n 100000 -l 500", false)]
    [InlineData("-b 2000pps -n 100000", false)]
    [InlineData("-b 1m -t 0.2", false)]
    [InlineData("-b 10m -n 100000 -P 3", false)]
    [InlineData("-b 10m -n 300000 -l 8000", false)]
    [InlineData("-b 10m -n 20000 -l 128", false)]
    [InlineData("-b 10m -n 20000 -l 100", false)]
    [InlineData("-b 10m -n 20000 -l 60", false)]
    [InlineData("-b 10m -n 100000 -i 0.02", false)]
    [InlineData("-b 10m -n 100000 -e -S 32 -w 200K", false)]
    [InlineData("-b 10m -n 100000 -V", true)]
    [InlineData("-b 10m -n 100000 -V -P 2", true)]
    public async Task Client_OfIperf_AgreesToTheLastDatagram(string arguments, bool isIPv6)
    {
        IperfProgram.SkipWithout();
        using var server = new RunningIperf2Server(
            isIPv6 ? new Iperf2ServerOptions { Local = UdpEndPoint.IPv6Any(0) } : null);

        string output = await IperfProgram.RunAsync(
            $"-c {(isIPv6 ? "::1" : "127.0.0.1")} -u -p {server.EndPoint.Port} {arguments}");

        Match[] reports = [.. Regex
            .Matches(output, @"ms (?<lost>\d+)/(?<total>\d+) \(", RegexOptions.ExplicitCapture, Patience)
            .AsEnumerable()];
        int flowCount = arguments.Contains("-P 3", StringComparison.Ordinal) ? 3
            : arguments.Contains("-P 2", StringComparison.Ordinal) ? 2 : 1;
        Assert.Equal(flowCount, reports.Length);
        List<long> totals = [.. reports.Select(static report => Number(report.Groups["total"]))];
        for (int i = 0; i < flowCount; i++)
        {
            Iperf2Received received = server.Observer.TakeFinished();
            Assert.Equal((Iperf2End.Finished, 0), (received.End, received.Lost));
            Assert.True(totals.Remove(received.Exact.Unique + 1), output);
        }

        Assert.All(reports, static report => Assert.Equal(0, Number(report.Groups["lost"])));
    }

    [Theory]
    [InlineData(1, 1470, false)]
    [InlineData(1, 1450, true)]
    [InlineData(1, 128, false)]
    [InlineData(1, 100, false)]
    [InlineData(1, 20, false)]
    [InlineData(1, 12, false)]
    [InlineData(1, 1471, false)]
    public async Task Server_OfIperf_AgreesToTheLastDatagram(int flowCount, int sizeBytes, bool isIPv6)
    {
        IperfProgram.SkipWithout();
        using var network = new OwnNetwork();
        int port = OwnNetwork.TakePort();
        using Process server = IperfProgram.StartServer(network, port, $" -l 2000{(isIPv6 ? " -V" : "")}");
        using Iperf2Client client = Open(network, new Iperf2ClientOptions
        {
            Server = isIPv6 ? UdpEndPoint.IPv6Loopback(port) : UdpEndPoint.Loopback(port),
            SizeBytes = sizeBytes,
            FlowCount = flowCount,
            ByteCount = 100L * sizeBytes,
            DatagramsPerSecond = 2000,
        });

        Iperf2Sent sent = Assert.Single(client.Run(new RecordingObserver(), TestContext.Current.CancellationToken));

        server.Kill();
        await server.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.NotNull(sent.Report);
        Assert.Equal((100, 100L, 0), ((int)sent.Datagrams, sent.Arrived, (int)sent.Report.Counts.Lost));
        Assert.Equal(101, sent.Report.Counts.Total);
    }

    [Fact]
    public async Task Server_OfIperf_ReportsSeveralFlows()
    {
        IperfProgram.SkipWithout();
        using var network = new OwnNetwork();
        int port = OwnNetwork.TakePort();
        using Process server = IperfProgram.StartServer(network, port);
        using Iperf2Client client = Open(network, new Iperf2ClientOptions
        {
            Server = UdpEndPoint.Loopback(port),
            FlowCount = 3,
            Duration = TimeSpan.FromMilliseconds(200),
            DatagramsPerSecond = 1000,
        });

        IReadOnlyList<Iperf2Sent> flows = client.Run(new RecordingObserver(), TestContext.Current.CancellationToken);

        server.Kill();
        await server.WaitForExitAsync(TestContext.Current.CancellationToken);

        // The real server may give a datagram of one new flow to another one, so totals are compared, not losses.
        Assert.All(flows, static sent => Assert.Equal(sent.Datagrams + 1, sent.Report?.Counts.Total));
    }

    // The sockets are opened inside, and stay there.
    private static Iperf2Client Open(OwnNetwork network, Iperf2ClientOptions options) =>
        network.Enter(() => Iperf2Client.Open(options));

    private static long Number(Group group) => long.Parse(group.ValueSpan, CultureInfo.InvariantCulture);
}
