using Spate.Cli.Shell.Getopt;
using static Spate.Cli.Shell.Getopt.GetoptArgument;
using Row = Spate.Cli.Shell.Getopt.GetoptRow<Spate.Cli.Iperf.Iperf2.Options.Iperf2Options>;

namespace Spate.Cli.Iperf.Iperf2.Options;

/// <summary>The options of iperf 2 that are refused, and those that do nothing in a UDP test; both say so.</summary>
internal static class Iperf2RefusedOptions
{
    private const string OldWays =
        "what the server sends back is asked for by -d or -r: use these, or spate test -R";

    private const string OnlySteady = "only a steady rate is spoken";

    private const string Foreground = "the server stays in the foreground: use systemd, or & in the shell";

    private const string NoClocks = "delays from host to host need clocks that agree, and are not measured";

    private const string NoSource = "what is sent is random: no file is read";

    private const string ForTcp = "it is for TCP";

    public static IReadOnlyList<Row> All { get; } =
    [
        Refused("reverse", 'R', None, OldWays),
        Refused("full-duplex", '\0', None, OldWays),
        Refused("isochronous", '\0', Optional, OnlySteady),
        Refused("ipg", '\0', Required, OnlySteady),
        Refused("burst-period", '\0', Required, OnlySteady),
        Refused("burst-size", '\0', Required, OnlySteady),
        Refused("near-congestion", '\0', Optional, OnlySteady),
        Refused("fq-rate", '\0', Required, "the rate is kept here: use -b"),
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
        Refused("ssm-host", 'H', Required, "multicast is not spoken: use spate send and spate receive"),
        Refused("incr-dstip", '\0', None, "all flows go to one server"),
        Refused("incr-dstport", '\0', None, "all flows go to one port"),
        Refused("incr-srcip", '\0', None, "all flows leave from one address"),
        Refused("incr-srcport", '\0', None, "the system chooses the ports"),
        Refused("no-udp-fin", '\0', None, "a flow without an end has no report"),
        Refused("local-only", '\0', None, "the route is the system's choice"),
        Refused("fileinput", 'F', Required, NoSource),
        Refused("stdin", 'I', None, NoSource),
        Refused("reportstyle", 'y', Required, "there is no such output: lines are text"),
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
        Ignored("compatibility", 'C', None, "every version of iperf 2 is spoken to in the same way"),
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
        Row.Ignored(new GetoptOption(name, letter, argument), GetoptSide.Both, reason);
}
