using Spate.Cli.Iperf.Iperf2.Ends;
using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.Cli.Shell.Getopt;
using static Spate.Cli.Shell.Getopt.GetoptArgument;
using Row = Spate.Cli.Shell.Getopt.GetoptRow<Spate.Cli.Iperf.Iperf2.Options.Iperf2Options>;

namespace Spate.Cli.Iperf.Iperf2.Options;

/// <summary>The options of iperf 2.1.8, and our own.</summary>
internal static class Iperf2OptionTable
{
    private const int MaxPort = 65_535;
    private const int MaxSizeBytes = 65_507;
    private const double MinInterval = 0.005;
    private const double MinSeconds = 0.001;
    private const double MaxSeconds = 86_400;
    private const int MaxBufferBytes = 1 << 30;
    private const long MinReverseRate = 1000;
    private const long MaxReverseRate = 1_000_000_000_000;

    public static GetoptTable<Iperf2Options> All { get; } = new(
        "spate iperf2",
        roles: "-c HOST -u or -s -u",
        [.. BothOptions(), .. ClientOptions(), .. ServerOptions()],
        Iperf2RefusedOptions.All);

    private static Row[] BothOptions() =>
    [
        Both("udp", 'u', None, static (draft, _) => draft.IsUdp = true),
        Both("port", 'p', Required, static (draft, choice) => draft.Port = choice.ReadNumber(1, MaxPort)),
        Both("bind", 'B', Required, static (draft, choice) => draft.Bind = choice.Text),
        Both("ipv6_domain", 'V', None, static (draft, _) => draft.IsIPv6 = true),
        Both("", '6', None, static (draft, _) => draft.IsIPv6 = true),
        Both("interval", 'i', Required, static (draft, choice) => draft.Interval =
            choice.Text.Equals("0", StringComparison.Ordinal)
                ? TimeSpan.Zero
                : choice.ReadSeconds(MinInterval, MaxSeconds)),
        Both("time", 't', Required, static (draft, choice) =>
            draft.Duration = choice.ReadSeconds(MinSeconds, MaxSeconds)),
        Both("window", 'w', Required, static (draft, choice) =>
            draft.BufferBytes = (int)Iperf2Number.ReadAmount(choice, 1, MaxBufferBytes)),
        Both("format", 'f', Required, static (draft, choice) => draft.Format =
            choice.Text is [var letter] && "kmgKMGa".Contains(letter, StringComparison.Ordinal)
                ? letter
                : throw choice.Wrong("one of k, m, g for bits and K, M, G for bytes")),
        Both("tos", 'S', Required, static (draft, choice) => draft.TrafficClass = choice.ReadAnyBase(255)),
    ];

    private static Row[] ClientOptions() =>
    [
        Client("client", 'c', Required, static (draft, choice) => draft.Host = choice.Text),
        Client("bandwidth", 'b', Required, static (draft, choice) => draft.Rate = Iperf2Number.ReadRate(choice)),
        Client("num", 'n', Required, static (draft, choice) =>
            draft.Bytes = Iperf2Number.ReadAmount(choice, 1, long.MaxValue / 1024)),
        Client("parallel", 'P', Required, static (draft, choice) =>
            draft.FlowCount = choice.ReadNumber(1, Iperf2ClientOptions.MaxFlowCount)),
        Client("ttl", 'T', Required, static (draft, choice) => draft.TimeToLive = choice.ReadNumber(1, 255)),
        Client("dualtest", 'd', None, static (draft, _) => draft.AddReverse(Iperf2Reverse.Together)),
        Client("tradeoff", 'r', None, static (draft, _) => draft.AddReverse(Iperf2Reverse.After)),
        Client("listenport", 'L', Required, static (draft, choice) =>
            draft.ListenPort = choice.ReadNumber(1, MaxPort)),
        Both("len", 'l', Required, static (draft, choice) => draft.SizeBytes =
            (int)Iperf2Number.ReadAmount(choice, Iperf2ClientOptions.MinSizeBytes, MaxSizeBytes)),
    ];

    private static Row[] ServerOptions() =>
    [
        Server("server", 's', None, static (draft, _) => draft.IsServer = true),
        Server("max-flows", '\0', Required, static (draft, choice) =>
            draft.MaxFlows = choice.ReadNumber(1, Iperf2ServerOptions.MaxMaxFlows)),
        Server("allow-reverse", '\0', None, static (draft, _) => draft.AllowsReverse = true),
        Server("reverse-limit", '\0', Required, static (draft, choice) =>
            draft.ReverseLimit = Iperf2Number.ReadAmount(choice, MinReverseRate, MaxReverseRate)),
    ];

    private static Row Both(
        string name, char letter, GetoptArgument argument, Action<Iperf2Options, GetoptChoice> apply) =>
        new(new GetoptOption(name, letter, argument), GetoptSide.Both, apply);

    private static Row Client(
        string name, char letter, GetoptArgument argument, Action<Iperf2Options, GetoptChoice> apply) =>
        new(new GetoptOption(name, letter, argument), GetoptSide.Client, apply);

    private static Row Server(
        string name, char letter, GetoptArgument argument, Action<Iperf2Options, GetoptChoice> apply) =>
        new(new GetoptOption(name, letter, argument), GetoptSide.Server, apply);
}
