using System.Globalization;
using System.Runtime.InteropServices;
using Spate.Cli.Iperf.Iperf2.Ends;
using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.Cli.Shell.Getopt;
using static Spate.Cli.Shell.Getopt.GetoptArgument;
using static Spate.Cli.Shell.Getopt.GetoptSide;
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
        New("udp", 'u', None, Both, static (draft, _) => draft.IsUdp = true),
        New("port", 'p', Required, Both, static (draft, choice) => draft.Port = choice.ReadNumber(1, MaxPort)),
        New("bind", 'B', Required, Both, static (draft, choice) => draft.Bind = choice.Text),
        New("ipv6_domain", 'V', None, Both, static (draft, _) => draft.IsIPv6 = true),
        New("", '6', None, Both, static (draft, _) => draft.IsIPv6 = true),
        New("interval", 'i', Required, Both, static (draft, choice) => draft.Interval =
            choice.Text.Equals("0", StringComparison.Ordinal)
                ? TimeSpan.Zero
                : choice.ReadSeconds(MinInterval, MaxSeconds)),
        New("time", 't', Required, Both, static (draft, choice) =>
            draft.Duration = choice.ReadSeconds(MinSeconds, MaxSeconds)),
        New("window", 'w', Required, Both, static (draft, choice) =>
            draft.BufferBytes = (int)Iperf2Number.ReadAmount(choice, 1, MaxBufferBytes)),
        New("format", 'f', Required, Both, static (draft, choice) => draft.Format =
            choice.Text is [var letter] && "kmgKMGa".Contains(letter, StringComparison.Ordinal)
                ? letter
                : throw choice.Wrong("one of k, m, g for bits and K, M, G for bytes")),
        New("tos", 'S', Required, Both, static (draft, choice) => draft.TrafficClass = choice.ReadAnyBase(255)),
    ];

    private static Row[] ClientOptions() =>
    [
        New("client", 'c', Required, Client, static (draft, choice) => draft.Host = choice.Text),
        New("bandwidth", 'b', Required, Client, static (draft, choice) => draft.Rate = Iperf2Number.ReadRate(choice)),
        New("num", 'n', Required, Client, static (draft, choice) =>
            draft.Bytes = Iperf2Number.ReadAmount(choice, 1, long.MaxValue / 1024)),
        New("parallel", 'P', Required, Client, static (draft, choice) =>
            draft.FlowCount = choice.ReadNumber(1, Iperf2ClientOptions.MaxFlowCount)),
        New("ttl", 'T', Required, Client, static (draft, choice) => draft.TimeToLive = choice.ReadNumber(1, 255)),
        New("dualtest", 'd', None, Client, static (draft, _) => draft.AddReverse(Iperf2Reverse.Together)),
        New("tradeoff", 'r', None, Client, static (draft, _) => draft.AddReverse(Iperf2Reverse.After)),
        New("listenport", 'L', Required, Client, static (draft, choice) =>
            draft.ListenPort = choice.ReadNumber(1, MaxPort)),
        New("len", 'l', Required, Both, static (draft, choice) => draft.SizeBytes =
            (int)Iperf2Number.ReadAmount(choice, Iperf2ClientOptions.MinSizeBytes, MaxSizeBytes)),
    ];

    private static Row[] ServerOptions() =>
    [
        New("server", 's', None, Server, static (draft, _) => draft.IsServer = true),
        New("max-flows", '\0', Required, Server, static (draft, choice) =>
            draft.MaxFlows = choice.ReadNumber(1, Iperf2ServerOptions.MaxMaxFlows)),
        New("allow-reverse", '\0', None, Server, static (draft, _) => draft.AllowsReverse = true),
        New("reverse-limit", '\0', Required, Server, static (draft, choice) =>
            draft.ReverseLimit = Iperf2Number.ReadAmount(choice, MinReverseRate, MaxReverseRate)),
    ];

    private static Row New(
        string name,
        char letter,
        GetoptArgument argument,
        GetoptSide side,
        Action<Iperf2Options, GetoptChoice> apply) =>
        new(new GetoptOption(name, letter, argument), side, apply);
}

/// <summary>The options of iperf 2 that are refused, and those that do nothing in a UDP test; both say so.</summary>
internal static class Iperf2RefusedOptions
{
    private const string OldWays =
        "use -d or -r, with which the server sends back, or spate test -R";

    private const string OnlySteady = "the rate is always steady";

    private const string Foreground = "the server stays in the foreground: use systemd, or & in the shell";

    private const string NoClocks = "one-way delay needs synchronized clocks and is not measured";

    private const string NoSource = "the payload is random: no file is read";

    private const string ForTcp = "it is for TCP only";

    public static IReadOnlyList<Row> All { get; } =
    [
        Refused("reverse", 'R', None, OldWays),
        Refused("full-duplex", '\0', None, OldWays),
        Refused("isochronous", '\0', Optional, OnlySteady),
        Refused("ipg", '\0', Required, OnlySteady),
        Refused("burst-period", '\0', Required, OnlySteady),
        Refused("burst-size", '\0', Required, OnlySteady),
        Refused("near-congestion", '\0', Optional, OnlySteady),
        Refused("fq-rate", '\0', Required, "spate keeps the rate itself: use -b"),
        Refused("trip-times", '\0', None, NoClocks),
        Refused("histograms", '\0', Optional, NoClocks),
        Refused("udp-histogram", '\0', Optional, NoClocks),
        Refused("txstart-time", '\0', Required, "a test begins at once"),
        Refused("txdelay-time", '\0', Required, "a test begins at once"),
        Refused("bounceback", '\0', Optional, "use spate test, which reports round trips"),
        Refused("bounceback-congest", '\0', Optional, ForTcp),
        Refused("bounceback-hold", '\0', Required, ForTcp),
        Refused("bounceback-period", '\0', Required, ForTcp),
        Refused("bounceback-no-quickack", '\0', None, ForTcp),
        Refused("ssm-host", 'H', Required, "for multicast use spate send and spate receive"),
        Refused("incr-dstip", '\0', None, "all flows go to one server"),
        Refused("incr-dstport", '\0', None, "all flows go to one port"),
        Refused("incr-srcip", '\0', None, "all flows leave from one address"),
        Refused("incr-srcport", '\0', None, "the system chooses the ports"),
        Refused("no-udp-fin", '\0', None, "a flow without an end has no report"),
        Refused("local-only", '\0', None, "the route is the system's choice"),
        Refused("fileinput", 'F', Required, NoSource),
        Refused("stdin", 'I', None, NoSource),
        Refused("reportstyle", 'y', Required, "lines are always text"),
        Refused("reportexclude", 'x', Required, "all lines are shown"),
        Refused("sum-only", '\0', None, "all lines are shown"),
        Refused("hide-ips", '\0', None, "addresses are shown"),
        Refused("output", 'o', Required, "use > FILE in the shell"),
        Refused("daemon", 'D', None, Foreground),
        Refused("singleclient", '1', None, "all clients are served at once"),
        Refused("peer-detect", 'X', None, ForTcp),
        Refused("permit-key", '\0', Optional, ForTcp),
        Refused("connect-only", '\0', Optional, ForTcp),
        Refused("tap-dev", '\0', Optional, "frames are not read"),
        Refused("realtime", 'z', None, "use chrt(1) for the whole program"),
        Ignored("enhanced", 'e', None, "the exact figures are shown anyway"),
        Ignored("compatibility", 'C', None, "every version of iperf 2 is handled in the same way"),
        Ignored("single_udp", 'U', None, "one thread reads all flows anyway"),
        Ignored("sum-dstip", '\0', None, "flows are not added up"),
        Ignored("print_mss", 'm', None, ForTcp),
        Ignored("mss", 'M', Required, ForTcp),
        Ignored("nodelay", 'N', None, ForTcp),
        Ignored("tcp-congestion", 'Z', Required, ForTcp),
    ];

    private static Row Refused(string name, char letter, GetoptArgument argument, string reason) =>
        Row.Refused(new GetoptOption(name, letter, argument), reason);

    private static Row Ignored(string name, char letter, GetoptArgument argument, string reason) =>
        Row.Ignored(new GetoptOption(name, letter, argument), Both, reason);
}

/// <summary>Reads numbers as iperf 2 does: small letters are powers of 1000, capital ones of 1024.</summary>
internal static class Iperf2Number
{
    private const double MaxRate = 1e15;

    /// <summary>Reads an amount: bytes, or bits a second.</summary>
    public static long ReadAmount(GetoptChoice choice, long min, long max) =>
        TryRead(choice.Text, out double value) && value >= min && value <= max
            ? (long)value
            : throw choice.Wrong($"a number from {min} to {max}, with k, m or g for powers of 1000, K, M or G of 1024");

    /// <summary>Reads a rate: bits a second, or datagrams a second with <c>pps</c>.</summary>
    public static Iperf2Rate ReadRate(GetoptChoice choice)
    {
        bool isDatagrams = choice.Text.EndsWith("pps", StringComparison.Ordinal);
        string number = isDatagrams ? choice.Text[..^"pps".Length] : choice.Text;
        return TryRead(number, out double value) && value <= MaxRate
            ? new Iperf2Rate(value, isDatagrams)
            : throw choice.Wrong(
                "bits per second such as 10m or 1g, datagrams per second such as 1000pps, or 0 for no limit");
    }

    private static bool TryRead(string text, out double value)
    {
        double factor = text.Length == 0 ? 0 : text[^1] switch
        {
            'k' => 1e3,
            'm' => 1e6,
            'g' => 1e9,
            'K' => 1 << 10,
            'M' => 1 << 20,
            'G' => 1 << 30,
            _ => 1,
        };
        string digits = factor > 1 ? text[..^1] : text;
        bool isNumber = double.TryParse(
            digits, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double number);
        value = number * factor;
        return isNumber && double.IsFinite(value);
    }
}

/// <summary>The rate of a flow (-b); 0 for as fast as possible.</summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct Iperf2Rate(double Value, bool IsDatagrams)
{
    /// <summary>The size is of the payload alone, which is what the rate counts.</summary>
    public double DatagramsPerSecond(int sizeBytes) =>
        Value == 0 ? double.PositiveInfinity : IsDatagrams ? Value : Value / 8 / sizeBytes;
}

internal static class Iperf2Help
{
    public const string Text = """
        Description:
          A UDP test with iperf 2's protocol, with iperf 2 or spate at the other end, and exact loss in
          addition to iperf 2's figures. The command line is read as iperf 2 reads it: -b10m, -ui1.

        Usage:
          spate iperf2 -c HOST -u [options]
          spate iperf2 -s -u [options]

        Both roles:
          -u, --udp              required: only UDP is supported
          -p, --port N           the server's port. Default: 5001
          -B, --bind HOST[:PORT] the address to send from or to listen on
          -V, -6                 IPv6; a server with it serves IPv4 clients too
          -i, --interval S       seconds between lines. Default: only the last line
          -f, --format [kmgKMG]  the unit of rates: bits, or bytes for capitals
          -w, --window N         the socket buffer
          -S, --tos N            the traffic class of sent datagrams
          -t, --time S           seconds to send, default 10; to serve, default no limit
          --no-color             disable colours and bold text

        Client:
          -c, --client HOST      the server
          -b, --bandwidth N      bits per second of each flow, or datagrams as 1000pps; 0 for no limit.
                                 Default: 1M
          -l, --len N            bytes of a datagram, 12 to 65507. Default: 1470, 1450 on IPv6
          -n, --num N            end after N bytes of each flow
          -P, --parallel N       flows, 1 to 128
          -T, --ttl N            the time to live
          -d, --dualtest         the server sends as much back at the same time
          -r, --tradeoff         the server sends as much back afterwards
          -L, --listenport N     the port on which -d and -r listen. Default: the server's port

        Server:
          -s, --server           wait for clients
          --max-flows N          concurrent flows, 1 to 1024. Default: 128
          --allow-reverse        send back for -d and -r. Anyone can forge the
                                 destination: use it only on a trusted network
          --reverse-limit N      bits per second that are sent back. Default: 100m

        Suffixes of numbers: k, m and g are powers of 1000, K, M and G of 1024.
        Not supported, and refused with an error: TCP, -R and --full-duplex, multicast, --isochronous,
        --trip-times, --bounceback, -y.

        Examples:
          spate iperf2 -s -u -i 1                  wait for clients of iperf 2 or spate
          spate iperf2 -c hosta -u -b 1g           send 1 Gbit/s for 10 s
          spate iperf2 -c hosta -u -b 1000pps -n 1M -P 4
          spate iperf2 -c hosta -u -b 10m -r       10 s there, and 10 s back

        Exit codes: 0 success, 2 usage error, 3 could not run, no server answered, or nothing came back.
        """;
}
