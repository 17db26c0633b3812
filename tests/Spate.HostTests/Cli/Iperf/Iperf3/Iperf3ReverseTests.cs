namespace Spate.HostTests.Cli.Iperf.Iperf3;

/// <summary>The server sends.</summary>
public sealed class Iperf3ReverseTests(OwnNetwork network) : Iperf3Agreement(network)
{
    public static TheoryData<Iperf3Pairing, string> Cases { get; } = EveryPairing(
        "-R -b 20M -k 50 -l 1400",
        "-R -b 20M/20 -k 60 -l 1400",
        "-R -b 20M -n 80K -l 1400",
        "-R -b 1M -k 50 -l 16",
        "-R -b 2M -k 50 -l 64",
        "-R -b 20M -k 40 -l8972",
        "-R -b 20M -k 60 -l 1400 -P 2",
        "-R -b 10M -k 80 -l 1400 -P4",
        "-R -b 20M -k 30 -l 1400 -A 0,0",
        "-R -b 20M -k 30 -l 1400 -6 --udp-counters-64bit",
        "-R -b 20M -k 30 -l 1400 --get-server-output",
        "-R -b 20M -k 30 -l 1400 --repeating-payload -w 256K -i 0");

    [Theory, MemberData(nameof(Cases))]
    public async Task Reverse_PacedAmount_NothingIsMissing(Iperf3Pairing pairing, string options)
    {
        Iperf3Pair pair = await RunAsync(pairing, options);

        AssertReverse(pair.ClientDocument, pair.ServerDocument);
    }

    // A server that takes the rate for the default, or for none, is what users of iperf3 complain of.
    [Theory, InlineData(Iperf3Pairing.SpateToReal), InlineData(Iperf3Pairing.RealToSpate)]
    [InlineData(Iperf3Pairing.SpateToSpate)]
    public async Task Reverse_Rate_IsWhatWasAskedFor(Iperf3Pairing pairing)
    {
        Iperf3Pair pair = await RunAsync(pairing, "-R -b 8M -t 1 -l 1000 -i 0.1");

        // A machine that stands still makes the sender begin late or skip, but not in each tenth of the second. The
        // default rate would be 12 datagrams in each.
        AssertReverse(pair.ClientDocument, pair.ServerDocument);
        Assert.InRange(pair.ClientDocument.Received(isForward: false), 1, 2000);
        long best = pair.ClientDocument.IntervalSums().Max(static sum => sum.GetProperty("packets").GetInt64());
        Assert.True(best >= 50, $"{best} datagrams in the best tenth of a second, where 100 were asked for");
    }
}
