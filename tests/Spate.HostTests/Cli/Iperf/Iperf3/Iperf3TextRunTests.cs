using System.Globalization;
using System.Text.RegularExpressions;

namespace Spate.HostTests.Cli.Iperf.Iperf3;

/// <summary>The text of whole tests, which scripts read.</summary>
public sealed partial class Iperf3TextRunTests(OwnNetwork network) : IClassFixture<OwnNetwork>
{
    private static readonly string[] Options =
    [
        "-b 20M -k 60 -l 1400 -P 2",
        "-b 20M -k 60 -l 1400 -R",
        "-b 20M -k 200 -l 1400 --bidir",
        "-b 20M -k 30 -l 1400 -V",
        "-b 20M -k 30 -l 1400 -f m",
        "-b 20M -k 30 -l 1400 -f K -i 0",

        // There is no time between the beginning and the end.
        "-b 0 -k 1 -l 16 -i 0.1",
        "-b 0 -n 16 -l 16 -i 60",
        "-b 0 -k 1 -l 16 -R -i 0",
    ];

    public static TheoryData<Iperf3Pairing, string> Cases { get; } = new(
        Options.SelectMany(static one => Enum.GetValues<Iperf3Pairing>().Select(pairing => (pairing, one))));

    [Theory, MemberData(nameof(Cases))]
    public async Task Text_WholeTest_HasIperfsRowsForEveryStream(Iperf3Pairing pairing, string options)
    {
        Iperf3Pair pair = await network.RunPairAsync(pairing, options, "");

        int streams = options.Contains("-P 2", StringComparison.Ordinal) ? 2
            : options.Contains("--bidir", StringComparison.Ordinal) ? 2 : 1;
        string client = pair.Client.Output;
        Assert.True(Row("sender").Count(client) == streams, client);
        Assert.True(Row("receiver").Count(client) == streams, client);
        Assert.Contains("\niperf Done.\n", client, StringComparison.Ordinal);
        Assert.Contains("Accepted connection from 127.0.0.1, port ", pair.Server.Output, StringComparison.Ordinal);
        foreach (ToolResult end in (ToolResult[])[pair.Client, pair.Server])
        {
            Assert.False(NoNumber().IsMatch(end.Output), end.Output);
        }

        // Ours tells of each direction, whether anything is missing.
        int directions = options.Contains("--bidir", StringComparison.Ordinal) ? 2 : 1;
        if (pairing is not Iperf3Pairing.RealToSpate) Assert.Equal(directions, Missing().Count(client));
        if (pairing is not Iperf3Pairing.SpateToReal) Assert.Equal(directions, Missing().Count(pair.Server.Output));
    }

    [Fact]
    public async Task Timestamps_Server_AreOfTheClockOfTheCommand()
    {
        NativeTool.SkipAsInside("the test gives it a clock");
        var time = new FakeTime();
        time.Advance(TimeSpan.FromDays(700_000));
        string[] arguments = ["iperf3", "-s", "-1", "-p", $"{OwnNetwork.TakePort()}", "--timestamps=%F %T "];
        await using RunningTool server = network.Enter(() => RunningTool.Start(time, arguments));

        string line = await server.ReadOutputLineWithAsync("Server listening");

        string now = time.GetLocalNow().ToString("yyyy-MM-dd HH:mm:ss ", CultureInfo.InvariantCulture);
        Assert.StartsWith(now + "Server listening", line, StringComparison.Ordinal);
    }

    // "[  5]   0.00-0.03   sec  41.0 KBytes  11.9 Mbits/sec  0.000 ms  0/30 (0%)  sender", with the role in both ways.
    private static Regex Row(string role) => new(
        @"^\[ +\d+\](\[[TR]X-C\])? +0\.00-\d+\.\d\d +sec +\d[\d.]* [KMG]?Bytes +\d[\d.]* [KMGT]?(bits|Bytes)/sec"
        + @" +\d\.\d{3} ms +\d+/\d+ \([\d.e+-]+%\) +" + role,
        RegexOptions.Multiline | RegexOptions.ExplicitCapture,
        TimeSpan.FromSeconds(10));

    [GeneratedRegex("""(\b|-)(nan|inf|infinity)\b|∞""", RegexOptions.IgnoreCase | RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex NoNumber();

    [GeneratedRegex("""^  sent \d.*, arrived \d.*, missing \d""", RegexOptions.Multiline, 10_000)]
    private static partial Regex Missing();
}
