namespace Spate.HostTests.Cli.Iperf.Iperf3;

/// <summary>Both ends send.</summary>
public sealed class Iperf3BothWaysTests(OwnNetwork network) : Iperf3Agreement(network)
{
    // Long enough that the other end has begun too.
    public static TheoryData<Iperf3Pairing, string> Cases { get; } = EveryPairing(
        "--bidir -b 20M -k 200 -l 1400",
        "--bidir -b 20M/20 -k 200 -l 1400",
        "--bidir -b 20M -n 300K -l 1400",
        "--bidir -b 1M -k 400 -l 16",
        "--bidir -b 20M -k 60 -l8972",
        "--bidir -b 10M -k 200 -l 1400 -P 2",
        "--bidir -b 10M -k 400 -l 1400 -P4",
        "--bidir -b 20M -k 200 -l 1400 -A 0,0 -i 0 --get-server-output",
        "--bidir -b 20M -k 200 -l 1400 --udp-counters-64bit");

    [Theory, MemberData(nameof(Cases))]
    public async Task BothWays_PacedAmount_NothingIsMissing(Iperf3Pairing pairing, string options)
    {
        Iperf3Pair pair = await RunAsync(pairing, options);

        Iperf3Document client = pair.ClientDocument;
        Iperf3Document server = pair.ServerDocument;
        AssertReverse(client, server);
        long sent = client.Sent(isForward: true);
        Assert.InRange(server.Received(isForward: true), 1, sent);
        Assert.Equal(0, server.Lost(isForward: true));
        if (server.Exact is not null) AssertForward(client, server);
    }
}
