using Spate.Cli.Shell.Getopt;
using static Spate.Cli.Shell.Getopt.GetoptArgument;
using static Spate.Cli.Shell.Getopt.GetoptSide;
using Row = Spate.Cli.Shell.Getopt.GetoptRow<Spate.Cli.Iperf.Iperf3.Options.Iperf3Options>;

namespace Spate.Cli.Iperf.Iperf3.Options;

/// <summary>The options of iperf3 that are refused, and those that do nothing in a UDP test; both say so.</summary>
internal static class Iperf3RefusedOptions
{
    private const string NoAuthentication =
        "iperf3's authentication is not spoken: leave it out, or use spate test with --key-file";

    private const string OnlyUdp = "only UDP is spoken: use iperf3 for it";

    private const string NoDebug = "there is no such output; -V shows more";

    public static IReadOnlyList<Row> All { get; } =
    [
        Refused("sctp", '\0', None, OnlyUdp),
        Refused("nstreams", '\0', Required, OnlyUdp),
        Refused("xbind", 'X', Required, OnlyUdp),
        Refused("mptcp", 'm', None, OnlyUdp),
        Refused("daemon", 'D', None, "the server stays in the foreground: use systemd, or & in the shell"),
        Refused("file", 'F', Required, "no file is sent or written: payloads are random, or --repeating-payload"),
        Refused("bind-dev", '\0', Required, "-B binds to an address of that device"),
        Refused("flowlabel", 'L', Required, "the system chooses the flow label: leave it out"),
        Refused("rsa-private-key-path", '\0', Required, NoAuthentication),
        Refused("authorized-users-path", '\0', Required, NoAuthentication),
        Refused("time-skew-threshold", '\0', Required, NoAuthentication),
        Refused("rsa-public-key-path", '\0', Required, NoAuthentication),
        Refused("username", '\0', Required, NoAuthentication),
        Refused("use-pkcs1-padding", '\0', None, NoAuthentication),
        Ignored("zerocopy", 'Z', None, Client, "the fastest way to send is chosen anyway"),
        Ignored("set-mss", 'M', Required, Client, "it is for TCP"),
        Ignored("no-delay", 'N', None, Client, "it is for TCP"),
        Ignored("congestion", 'C', Required, Client, "it is for TCP", "linux-congestion"),
        Ignored("snd-timeout", '\0', Required, Both, "it is for TCP"),
        Ignored("cntl-ka", '\0', Optional, Both, "the control connection ends with the test"),
        Ignored("pacing-timer", '\0', Required, Client, "the pacing chooses its own times"),
        Ignored("no-fq-socket-pacing", '\0', None, Client, "iperf3 has given it up too"),
        Ignored("skip-rx-copy", '\0', None, Client, "nothing is copied anyway"),
        Ignored("debug", '\0', Optional, Both, NoDebug),
        Ignored("", 'd', None, Both, NoDebug),
    ];

    private static Row Refused(string name, char letter, GetoptArgument argument, string reason) =>
        Row.Refused(new GetoptOption(name, letter, argument), reason);

    private static Row Ignored(
        string name, char letter, GetoptArgument argument, GetoptSide side, string reason, params string[] aliases) =>
        Row.Ignored(new GetoptOption(name, letter, argument) { Aliases = aliases }, side, reason);
}
