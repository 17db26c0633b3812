using Spate.Cli.Getopt;
using static Spate.Cli.Getopt.GetoptArgument;
using static Spate.Cli.Iperf3.Iperf3Side;

namespace Spate.Cli.Iperf3;

/// <summary>The options of iperf3 that are refused, and those that do nothing in a UDP test; both say so.</summary>
internal static class Iperf3RefusedOptions
{
    private const string NoAuthentication =
        "iperf3's authentication is not spoken: leave it out, or use spate test with --key-file";

    private const string OnlyUdp = "only UDP is spoken: use iperf3 for it";

    private const string NoDebug = "there is no such output; -V shows more";

    /// <summary>All of them.</summary>
    public static IReadOnlyList<Iperf3Option> All { get; } =
    [
        Refused("sctp", '\0', None, Client, OnlyUdp),
        Refused("nstreams", '\0', Required, Client, OnlyUdp),
        Refused("xbind", 'X', Required, Client, OnlyUdp),
        Refused("mptcp", 'm', None, Both, OnlyUdp),
        Refused("daemon", 'D', None, Server, "the server stays in the foreground: use systemd, or & in the shell"),
        Refused("file", 'F', Required, Both, "no file is sent or written: payloads are random, or --repeating-payload"),
        Refused("bind-dev", '\0', Required, Both, "-B binds to an address of that device"),
        Refused("flowlabel", 'L', Required, Client, "the system chooses the flow label: leave it out"),
        Refused("rsa-private-key-path", '\0', Required, Server, NoAuthentication),
        Refused("authorized-users-path", '\0', Required, Server, NoAuthentication),
        Refused("time-skew-threshold", '\0', Required, Server, NoAuthentication),
        Refused("rsa-public-key-path", '\0', Required, Client, NoAuthentication),
        Refused("username", '\0', Required, Client, NoAuthentication),
        Refused("use-pkcs1-padding", '\0', None, Both, NoAuthentication),
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

    private static Iperf3Option Refused(
        string name, char letter, GetoptArgument argument, Iperf3Side side, string reason) =>
        new(
            new GetoptOption(name, letter, argument),
            side,
            (_, choice) => throw GetoptSyntax.Wrong($"{choice.Spelling} is not offered: {reason}", choice.Command));

    private static Iperf3Option Ignored(
        string name, char letter, GetoptArgument argument, Iperf3Side side, string reason, params string[] aliases) =>
        new(
            new GetoptOption(name, letter, argument) { Aliases = aliases },
            side,
            (draft, choice) => draft.Notices.Add($"{choice.Spelling} does nothing here: {reason}"));
}
