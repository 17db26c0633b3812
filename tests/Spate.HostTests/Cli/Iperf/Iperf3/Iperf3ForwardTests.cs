namespace Spate.HostTests.Cli.Iperf.Iperf3;

/// <summary>The client sends.</summary>
public sealed class Iperf3ForwardTests(OwnNetwork network) : Iperf3Agreement(network)
{
    public static TheoryData<Iperf3Pairing, string> Cases { get; } = EveryPairing(
        "-b 20M -k 50 -l 1400",
        "-b 20M/10 -k 60 -l 1400",
        "-b 10M/20 -n 40K -l 1400",
        "-b20M -n200K -l1400",
        "-b 1M -k 50 -l 16",
        "-b 2M -k 50 -l 64",
        "-b 20M -k 40 -l 8972",
        "-b0 -k40 -l1400",
        "-b 20M -k 50 -l 1400 -P 2",
        "-b 20M -k 100 -l 1400 -P4",
        "-b 20M -k 1 -l 1400 -i 10",
        "-b 20M -k 30 -l 1400 -i 0",
        "-b 8M -n 150K -l 1400 -i 0.1",
        "-b 20M -k 30 -l 1400 -w 256K",
        "-b 20M -k 30 -l 1400 -A 0",
        "-b 20M -k 30 -l 1400 -A 0,0",
        "-b 20M -k 30 -l 1400 -P 2 -A 0,1",
        "-b 20M -k 30 -l 1400 --udp-counters-64bit",
        "-b 20M -k 30 -l 1400 -4 -Z -f m --connect-timeout 2000",
        "-b 20M -k 30 -l 1400 -S 32 --dont-fragment",
        "-b 20M -k 30 -l 1400 --dscp cs1 --repeating-payload");

    [Theory, MemberData(nameof(Cases))]
    public async Task Forward_PacedAmount_BothEndsAgreeToTheLastDatagram(Iperf3Pairing pairing, string options)
    {
        Iperf3Pair pair = await RunAsync(pairing, options);

        AssertForward(pair.ClientDocument, pair.ServerDocument);
    }
}
