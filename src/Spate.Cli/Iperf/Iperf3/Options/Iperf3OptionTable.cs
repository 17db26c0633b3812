using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf3.Servers;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Cli.Shell.Getopt;
using Spate.Cli.Shell.Options;
using static Spate.Cli.Shell.Getopt.GetoptArgument;
using static Spate.Cli.Shell.Getopt.GetoptSide;
using Row = Spate.Cli.Shell.Getopt.GetoptRow<Spate.Cli.Iperf.Iperf3.Options.Iperf3Options>;

namespace Spate.Cli.Iperf.Iperf3.Options;

/// <summary>The options of iperf3 3.12 to 3.21, with its roles (iperf_api.c), and our own.</summary>
internal static class Iperf3OptionTable
{
    private const int MaxPort = 65_535;
    private const double MinInterval = 0.1;
    private const double MaxInterval = 60;

    // MIN_NO_MSG_RCVD_TIMEOUT of iperf.h.
    private const int MinReceiveMilliseconds = 100;
    private const int MaxMilliseconds = Iperf3Parameters.MaxSeconds * 1000;

    public static GetoptTable<Iperf3Options> All { get; } = new(
        "spate iperf3",
        roles: "-c HOST or -s",
        [.. CommonOptions(), .. TestOptions(), .. ServerOptions(), .. OutputOptions()],
        Iperf3RefusedOptions.All);

    private static Row New(
        string name,
        char letter,
        GetoptArgument argument,
        GetoptSide side,
        Action<Iperf3Options, GetoptChoice> apply) =>
        new(new GetoptOption(name, letter, argument), side, apply);

    private static Row Own(
        string name, GetoptArgument argument, GetoptSide side, Action<Iperf3Options, GetoptChoice> apply) =>
        new(new GetoptOption(name, '\0', argument) { IsExactOnly = true }, side, apply);

    private static Row Test(
        string name,
        char letter,
        GetoptArgument argument,
        Func<Iperf3Parameters, GetoptChoice, Iperf3Parameters> set) =>
        New(name, letter, argument, Client, (draft, choice) => draft.Parameters = set(draft.Parameters, choice));

    private static Row Serve(
        string name,
        char letter,
        GetoptArgument argument,
        Func<Iperf3ServerOptions, GetoptChoice, Iperf3ServerOptions> set,
        bool isOwn = false) =>
        new(
            new GetoptOption(name, letter, argument) { IsExactOnly = isOwn },
            Server,
            (draft, choice) => draft.Server = set(draft.Server, choice));

    private static Row Output(
        string name,
        char letter,
        GetoptArgument argument,
        Func<Iperf3OutputOptions, GetoptChoice, Iperf3OutputOptions> set) =>
        New(name, letter, argument, Both, (draft, choice) => draft.Output = set(draft.Output, choice));

    private static IEnumerable<Row> CommonOptions() =>
    [
        New("server", 's', None, Both, static (draft, _) => draft.IsServer = true),
        New("client", 'c', Required, Both, static (draft, choice) => draft.Host = choice.Text),
        New("port", 'p', Required, Both, static (draft, choice) => draft.Port = choice.ReadNumber(1, MaxPort)),
        New("bind", 'B', Required, Both, static (draft, choice) => draft.Bind = choice.Text),
        New("version4", '4', None, Both, static (draft, _) => draft.Family = AddressFamily.InterNetwork),
        New("version6", '6', None, Both, static (draft, _) => draft.Family = AddressFamily.InterNetworkV6),
        New("affinity", 'A', Required, Both, ReadAffinity),
        New("interval", 'i', Required, Both, static (draft, choice) => draft.Interval = ReadInterval(choice)),
        New("pidfile", 'I', Required, Both, static (draft, choice) => draft.PidFile = ReadFile(choice)),
        New("rcv-timeout", '\0', Required, Both, static (draft, choice) => draft.ReceiveTimeout =
            TimeSpan.FromMilliseconds(choice.ReadNumber(MinReceiveMilliseconds, MaxMilliseconds))),
        new(
            new GetoptOption("backend", '\0', Required) { IsExactOnly = true, Values = BackendText.Names },
            Both,
            static (draft, choice) => draft.Transport = draft.Transport with { Backend = ReadBackend(choice) }),
        Own("no-gso", None, Both, static (draft, _) => draft.Transport =
            draft.Transport with { SegmentedSend = false }),
        Own("no-gro", None, Both, static (draft, _) => draft.Transport =
            draft.Transport with { CoalescedReceive = false }),
        Own("no-force", None, Both, static (draft, _) => draft.Transport =
            draft.Transport with { ForceBuffers = false }),
        Own("spin", None, Both, static (draft, _) => draft.Transport =
            draft.Transport with { SpinningReceive = true }),
    ];

    private static IEnumerable<Row> TestOptions() =>
    [
        New("udp", 'u', None, Client, static (draft, _) => draft.IsUdp = true),
        New("time", 't', Required, Client, static (draft, choice) =>
        {
            draft.HasSeconds = true;
            draft.Parameters = draft.Parameters with { Seconds = choice.ReadNumber(0, Iperf3Parameters.MaxSeconds) };
        }),
        New("cport", '\0', Required, Client, static (draft, choice) =>
            draft.StreamPort = choice.ReadNumber(1, MaxPort)),
        New("connect-timeout", '\0', Required, Client, static (draft, choice) =>
            draft.ConnectTimeout = TimeSpan.FromMilliseconds(choice.ReadNumber(1, MaxMilliseconds))),
        new(
            new GetoptOption("bitrate", 'b', Required) { Aliases = ["bandwidth"] },
            Client,
            static (draft, choice) => draft.Parameters = ReadRate(draft.Parameters, choice)),
        Test("fq-rate", '\0', Required, static (test, choice) =>
            test with { FqBitsPerSecond = choice.ReadUnits(1000, 0, long.MaxValue) }),
        Test("bytes", 'n', Required, static (test, choice) =>
            test with { Bytes = choice.ReadUnits(1024, 1, long.MaxValue) }),
        Test("blockcount", 'k', Required, static (test, choice) =>
            test with { Blocks = choice.ReadUnits(1024, 1, long.MaxValue) }),
        Test("length", 'l', Required, static (test, choice) => test with
        {
            LengthBytes = (int)choice.ReadUnits(1024, Iperf3Parameters.MinLengthBytes, Iperf3Parameters.MaxLengthBytes),
        }),
        Test("parallel", 'P', Required, static (test, choice) =>
            test with { StreamCount = choice.ReadNumber(1, Iperf3Parameters.MaxStreamCount) }),
        Test("reverse", 'R', None, static (test, _) => test with { Reverse = true }),
        Test("bidir", '\0', None, static (test, _) => test with { Bidirectional = true }),
        Test("window", 'w', Required, static (test, choice) =>
            test with { WindowBytes = (int)choice.ReadUnits(1024, 0, Iperf3Parameters.MaxWindowBytes) }),
        Test("tos", 'S', Required, static (test, choice) => test with { TrafficClass = choice.ReadAnyBase(255) }),
        Test("dscp", '\0', Required, static (test, choice) =>
            test with { TrafficClass = DscpNames.ReadTrafficClass(choice) }),
        Test("omit", 'O', Required, static (test, choice) =>
            test with { OmitSeconds = choice.ReadNumber(0, Iperf3Parameters.MaxOmitSeconds) }),
        Test("extra-data", '\0', Required, static (test, choice) => test with { ExtraData = choice.Text }),
        Test("get-server-output", '\0', None, static (test, _) => test with { GetServerOutput = true }),
        Test("udp-counters-64bit", '\0', None, static (test, _) => test with { Counters64Bit = true }),
        Test("repeating-payload", '\0', None, static (test, _) => test with { RepeatingPayload = true }),
        Test("dont-fragment", '\0', None, static (test, _) => test with { DontFragment = true }),
        Test("gsro", '\0', None, static (test, _) => test with { Gsro = true }),
        New("title", 'T', Required, Client, static (draft, choice) =>
        {
            draft.Output = draft.Output with { Title = choice.Text };
            draft.Parameters = draft.Parameters with { Title = choice.Text };
        }),
    ];

    private static IEnumerable<Row> ServerOptions() =>
    [
        Serve("one-off", '1', None, static (server, _) => server with { EndsAfterOne = true }),
        Serve("idle-timeout", '\0', Required, static (server, choice) =>
            server with { IdleTimeout = TimeSpan.FromSeconds(choice.ReadNumber(1, Iperf3Parameters.MaxSeconds)) }),
        Serve("server-bitrate-limit", '\0', Required, ReadRateLimit),
        Serve("server-max-duration", '\0', Required, static (server, choice) =>
            server with { MaxSeconds = choice.ReadNumber(1, Iperf3Parameters.MaxSeconds) }),
        Serve("parallel-tests", '\0', Required, static (server, choice) =>
            server with { ParallelTests = choice.ReadNumber(1, Iperf3ServerOptions.MaxParallelTests) }, isOwn: true),
        Serve("queue", '\0', Required, static (server, choice) =>
            server with { QueueLength = choice.ReadNumber(0, Iperf3ServerOptions.MaxQueueLength) }, isOwn: true),
    ];

    private static IEnumerable<Row> OutputOptions() =>
    [
        Output("json", 'J', None, static (output, _) => output with { IsJson = true }),
        Output("json-stream", '\0', None, static (output, _) => output with { IsJsonStream = true }),
        Output("json-stream-full-output", '\0', None, static (output, _) =>
            output with { IsJsonStream = true, HasFullOutput = true }),
        Output("format", 'f', Required, static (output, choice) => output with { Format = ReadFormat(choice) }),
        Output("verbose", 'V', None, static (output, _) => output with { IsVerbose = true }),
        Output("logfile", '\0', Required, static (output, choice) => output with { LogFile = ReadFile(choice) }),
        Output("timestamps", '\0', Optional, static (output, choice) =>
            output with { TimestampFormat = choice.Value ?? "%c " }),

        // Every line is flushed anyway.
        Output("forceflush", '\0', None, static (output, _) => output),
    ];

    private static TimeSpan ReadInterval(GetoptChoice choice) =>
        choice.Text.TrimEnd('0') is "" or "0." && choice.Text.Length > 0
            ? TimeSpan.Zero
            : choice.ReadSeconds(MinInterval, MaxInterval);

    private static string ReadFile(GetoptChoice choice) =>
        choice.Text.Length > 0 ? choice.Text : throw choice.Wrong("the name of a file");

    private static char ReadFormat(GetoptChoice choice) =>
        choice.Text.Length == 1 && "kmgtKMGT".Contains(choice.Text[0], StringComparison.Ordinal)
            ? choice.Text[0]
            : throw choice.Wrong("one of k, m, g and t for bits, or K, M, G and T for bytes");

    private static Iperf3Parameters ReadRate(Iperf3Parameters test, GetoptChoice choice)
    {
        string[] parts = choice.Text.Split('/', 2);
        return test with
        {
            BitsPerSecond = choice.ReadUnits(parts[0], 1000, 0, long.MaxValue),
            BurstDatagrams = parts.Length == 1
                ? test.BurstDatagrams
                : (int)choice.ReadUnits(parts[1], 1000, 1, Iperf3Parameters.MaxBurstDatagrams),
        };
    }

    private static Iperf3ServerOptions ReadRateLimit(Iperf3ServerOptions server, GetoptChoice choice)
    {
        string[] parts = choice.Text.Split('/', 2);
        return server with
        {
            MaxBitsPerSecond = choice.ReadUnits(parts[0], 1000, 0, long.MaxValue),
            RateTime = parts.Length == 1 ? server.RateTime : choice.ReadSeconds(parts[1], MinInterval, MaxInterval),
        };
    }

    private static void ReadAffinity(Iperf3Options draft, GetoptChoice choice)
    {
        draft.IsFreeToMove = choice.Text.Equals(CpuChoice.Any, StringComparison.OrdinalIgnoreCase);
        if (draft.IsFreeToMove)
        {
            draft.LocalCpu = null;
            draft.Parameters = draft.Parameters with { ServerCpu = null };
            return;
        }

        string[] parts = choice.Text.Split(',', 2);
        draft.LocalCpu = ReadCpu(parts[0]);
        if (parts.Length > 1) draft.Parameters = draft.Parameters with { ServerCpu = ReadCpu(parts[1]) };

        int ReadCpu(string part) => choice.ReadNumber(
            part, 0, Iperf3Parameters.MaxCpu, $"a CPU number from 0 to {Iperf3Parameters.MaxCpu}, two as N,M, or any");
    }

    private static UdpBackend ReadBackend(GetoptChoice choice) =>
        BackendText.Find(choice.Text) ?? throw choice.Wrong(BackendText.Expected);
}

/// <summary>The options of iperf3 that are refused, and those that do nothing in a UDP test; both say so.</summary>
internal static class Iperf3RefusedOptions
{
    private const string NoAuthentication =
        "leave iperf3's authentication out, or use spate test with --key-file";

    private const string OnlyUdp = "use iperf3 for protocols other than UDP";

    private const string NoDebug = "use -V for more details";

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
        Ignored("zerocopy", 'Z', None, Client, "the fastest way to send is always used"),
        Ignored("set-mss", 'M', Required, Client, "it is for TCP only"),
        Ignored("no-delay", 'N', None, Client, "it is for TCP only"),
        Ignored("congestion", 'C', Required, Client, "it is for TCP only", "linux-congestion"),
        Ignored("snd-timeout", '\0', Required, Both, "it is for TCP only"),
        Ignored("cntl-ka", '\0', Optional, Both, "the control connection ends with the test"),
        Ignored("pacing-timer", '\0', Required, Client, "the pacing chooses its own times"),
        Ignored("no-fq-socket-pacing", '\0', None, Client, "iperf3 has removed it too"),
        Ignored("skip-rx-copy", '\0', None, Client, "no copy is made anyway"),
        Ignored("debug", '\0', Optional, Both, NoDebug),
        Ignored("", 'd', None, Both, NoDebug),
    ];

    private static Row Refused(string name, char letter, GetoptArgument argument, string reason) =>
        Row.Refused(new GetoptOption(name, letter, argument), reason);

    private static Row Ignored(
        string name, char letter, GetoptArgument argument, GetoptSide side, string reason, params string[] aliases) =>
        Row.Ignored(new GetoptOption(name, letter, argument) { Aliases = aliases }, side, reason);
}

/// <summary>The names of code points of differentiated services (RFC 2474, 2597, 3246, 5865, 8622).</summary>
internal static class DscpNames
{
    private const int MaxCodePoint = 63;

    // The two low bits of the traffic class are for ECN (RFC 3168).
    private const int EcnBits = 2;

    // Classes have the upper three bits, and of the assured ones the next two say which packets are dropped first.
    private static readonly Dictionary<string, int> CodePoints = new(
        [
            .. Enumerable.Range(0, 8).Select(static number => KeyValuePair.Create($"cs{number}", 8 * number)),
            .. Enumerable.Range(3, 12).Select(static pair =>
                KeyValuePair.Create($"af{pair / 3}{(pair % 3) + 1}", (8 * (pair / 3)) + (2 * ((pair % 3) + 1)))),
            new("ef", 46),
            new("le", 1),
            new("voice-admit", 44),
        ],
        StringComparer.OrdinalIgnoreCase);

    public static int ReadTrafficClass(GetoptChoice choice)
    {
        if (CodePoints.TryGetValue(choice.Text, out int codePoint)) return codePoint << EcnBits;

        return char.IsAsciiDigit(choice.Text.FirstOrDefault())
            ? choice.ReadAnyBase(MaxCodePoint) << EcnBits
            : throw choice.Wrong("a number from 0 to 63, or a name such as cs1, af41 or ef");
    }
}
