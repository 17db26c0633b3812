using System.CommandLine;
using System.CommandLine.Parsing;
using System.Net;
using System.Net.Sockets;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Traffic;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Cli.Serve;

/// <summary>The options of <c>spate serve</c>.</summary>
internal sealed class ServeOptionSet
{
    private const int MaxThreadCount = 256;
    private const int MaxWakeThreshold = 1 << 20;
    private const double MinPatienceSeconds = 0.1;
    private const string Off = "off";

    private static readonly string[] DesignNames = [.. ServerDesign.OfAnySystem.Select(static one => one.Name)];

    private static readonly string[] WindowsDesignNames = [.. ServerDesign.OfWindows.Select(static one => one.Name)];

    private readonly Argument<string[]> _locals = new("locals")
    {
        HelpName = "ADDRESS:PORT",
        Description = "Addresses to listen on, IPv6 as [ADDRESS]:PORT. Default: 0.0.0.0:9999, "
            + "with -6 [::]:9999.",
        Arity = ArgumentArity.ZeroOrMore,
    };

    private readonly Option<string?> _app = ChoiceText.Create<ServeApp>(
        "--app", $"The application: {ChoiceText.List<ServeApp>()}. Default: count.");

    private readonly Option<string[]> _to = new("--to")
    {
        HelpName = "HOST:PORT",
        Description = "relay: a destination, which gets every datagram. Repeat for more. Answers are not "
            + "routed back. A relay that sends to itself is refused; a loop over other relays is not detected.",
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Option<string?> _answersPerPeer = OptionText.Create(
        "--answers-per-peer", $"N|{Off}", "echo: answers per peer and thread before a pause of 1 s, which "
            + "ends a loop with another echo server. New datagrams of spate send do not count; other clients lose the "
            + "answers of one second after N, then after 2N more, and so on. Only Linux with mmsg or uring also "
            + "lowers the TTL of answers, which ends a loop of two spate serve "
            + "after 64 answers. Default: 1000000.");

    private readonly Option<string?> _design = OptionText.CreateChoice(
        "--design",
        $"How threads share the work: {ChoiceText.List(DesignNames)}. Windows only, with their own backend and way of "
            + $"waiting: {string.Join(", ", WindowsDesignNames)}. Default: sharded.",
        static () => [.. DesignNames, .. WindowsDesignNames]);

    private readonly Option<string?> _threads = OptionText.Create(
        "--threads", "N", "Threads that handle datagrams. Default: one per CPU.");

    private readonly Option<string?> _work = OptionText.Create(
        "--work", "N", "Rounds of a small computation per datagram; a notice shows the time of a round. Default: 0.");

    private readonly Option<string?> _wakeThreshold = OptionText.Create(
        "--wake-threshold", "N", "adaptive, ring, reader-workers: queued datagrams that wake one more thread. "
            + "Default: 64.");

    private readonly Option<string?> _wait = ChoiceText.Create<UdpServerWait>(
        "--wait", $"How threads wait for datagrams: {ChoiceText.List<UdpServerWait>()}. "
            + "Default: automatic, which is adaptive for the design adaptive, else blocking.");

    private readonly Option<string?> _steering = ChoiceText.Create<UdpSteering>(
        "--steering", $"sharded: how the kernel chooses the shard: {ChoiceText.List<UdpSteering>()}. "
            + "Default: automatic.");

    private readonly Option<bool> _spinAll = OptionText.CreateFlag(
        "--spin-all", "--wait adaptive: spin on every CPU. Default: one CPU is left free.");

    private readonly Option<bool> _once = OptionText.CreateFlag(
        "--once", "count: end when every known spate send has announced its end, or is "
            + "silent for --patience.");

    private readonly Option<string?> _patience = OptionText.Create(
        "--patience", "S", "--once: seconds of silence after which a sender counts as ended "
            + "without an announcement. Default: 10.");

    private readonly AccountingOptionSet _accounting = new();
    private readonly TrafficOptionSet _traffic = new(
        "handled", new ReportOptionSet(static () => ServeJson.Default.ServeReport), hasFlows: false);

    public void AddTo(Command command)
    {
        command.Add(_locals);
        Option[] options =
        [
            _app, _to, _answersPerPeer, _design, _threads, _work, _wakeThreshold, _wait, _steering, _spinAll, _once,
            _patience,
        ];
        foreach (Option option in options)
        {
            command.Add(option);
        }

        _accounting.AddTo(command);
        _traffic.AddTo(command);
    }

    public ServeRunOptions Read(ParseResult parsed)
    {
        TrafficRunOptions traffic = _traffic.Read(parsed);
        UdpEndPoint[] locals = LocalEndPoints.Read(parsed.GetValue(_locals) ?? [], traffic.Family);
        ServeApp app = ChoiceText.Read(parsed, _app, ServeApp.Count);
        ServerDesign design = ReadDesign(parsed);
        UdpServerWait wait = design.Wait ?? ChoiceText.Read(parsed, _wait, UdpServerWait.Automatic);
        int threadCount = ReadThreadCount(parsed, design.Kind, traffic.Cpus);
        var defaults = new ServeOptions();
        var serve = new ServeOptions
        {
            LocalEndPoints = locals,
            App = app,
            Destinations = ServeTargets.Read(
                parsed.GetValue(_to) ?? [], app, locals, traffic.Family),
            AnswersPerPeer = ReadAnswersPerPeer(parsed),
            Design = design,
            ThreadCount = threadCount,
            WorkRounds = (int)(UnitText.ReadCount(parsed, _work, 0, WorkLoad.MaxRounds) ?? 0),
            WakeThreshold = (int)(UnitText.ReadCount(parsed, _wakeThreshold, 1, MaxWakeThreshold)
                ?? defaults.WakeThreshold),
            Wait = wait,
            Steering = ChoiceText.Read(parsed, _steering, UdpSteering.Automatic),
            SpinOnLastCpu = parsed.GetValue(_spinAll),
            EndsWithSenders = parsed.GetValue(_once),
            Patience = SecondsText.Read(parsed, _patience, MinPatienceSeconds) ?? defaults.Patience,
            Accounting = _accounting.Read(parsed),
            DatagramCount = traffic.DatagramCount,
            Duration = traffic.Duration,
            Interval = traffic.Interval,
            ShowsAllCores = traffic.ShowsAllCores,
            Transport = traffic.Transport with { Backend = design.Backend ?? traffic.Transport.Backend },
        };

        ServeOptionUse.Check(parsed, serve);
        return new ServeRunOptions(serve, traffic);
    }

    private ServerDesign ReadDesign(ParseResult parsed) => parsed.GetValue(_design) is not { } text
        ? ServerDesign.Sharded
        : ServerDesign.Find(text) ?? throw OptionText.Wrong(
            _design,
            text,
            $"{ChoiceText.List(DesignNames)}; on Windows also {string.Join(", ", WindowsDesignNames)}");

    private int? ReadAnswersPerPeer(ParseResult parsed) =>
        string.Equals(parsed.GetValue(_answersPerPeer), Off, StringComparison.Ordinal)
        ? null
        : (int)(UnitText.ReadCount(parsed, _answersPerPeer, 1, ServeOptions.MaxAnswersPerPeer, Off)
            ?? ServeOptions.DefaultAnswersPerPeer);

    /// <summary>The number of threads; 0 lets the server choose one per CPU.</summary>
    private int ReadThreadCount(ParseResult parsed, UdpServerDesign design, CpuChoice cpus)
    {
        int named = cpus.Numbers.Count;
        int receivers = design.HasReceivingThread ? 1 : 0;
        if (UnitText.ReadCount(parsed, _threads, 1, MaxThreadCount) is not { } threadCount)
        {
            return named > 0 ? Math.Max(1, named - receivers) : 0;
        }

        return named <= threadCount + receivers
            ? (int)threadCount
            : throw CommandException.WrongUse(
                $"--cpu has {named} CPUs for {threadCount + receivers} thread(s): give fewer, or add --threads");
    }
}

/// <param name="Serve">The options of the server. Its CPUs are chosen later.</param>
internal sealed record ServeRunOptions(ServeOptions Serve, TrafficRunOptions Traffic);

/// <summary>Reads the end points that <c>spate serve</c> forwards to.</summary>
internal static class ServeTargets
{
    public static UdpEndPoint[] Read(
        string[] texts, ServeApp app, UdpEndPoint[] locals, AddressFamily? family)
    {
        if (app != ServeApp.Relay) return [];

        if (texts.Length is 0 or > ServeOptions.MaxDestinationCount)
        {
            throw CommandException.WrongUse(texts.Length == 0
                ? "--app relay needs a destination: add --to HOST:PORT"
                : $"{texts.Length} destinations are too many: expected at most {ServeOptions.MaxDestinationCount}");
        }

        var destinations = new List<UdpEndPoint>(texts.Length);
        foreach (string text in texts)
        {
            IPEndPoint endPoint = EndPointText.ParseTarget(text, family);
            UdpEndPoint destination = UdpEndPoint.FromIPEndPoint(endPoint);
            Check(text, destination, destinations, locals);
            destinations.Add(destination);
        }

        return [.. destinations];
    }

    private static void Check(
        string text, UdpEndPoint destination, List<UdpEndPoint> destinations, UdpEndPoint[] locals)
    {
        if (destinations.Contains(destination))
        {
            throw CommandException.WrongUse($"--to {text} is given twice: give it once");
        }

        if (destination.IsIPv6 && locals.Any(static local => local.IsIPv4))
        {
            throw CommandException.WrongUse(
                $"--to {text} is an IPv6 address, which a socket at an IPv4 address cannot send to: "
                + "listen at [::]:PORT");
        }

        if (RelayLoop.Find(locals, [destination]) is not null)
        {
            throw CommandException.WrongUse($"--to {text} ({destination}) is where this relay listens: it would send "
                + "to itself without end; use another destination");
        }
    }
}

/// <summary>
/// An option of <c>spate serve</c> that has an effect only with certain choices. The option is refused where it has
/// none: the user would believe that the figures were measured with it.
/// </summary>
/// <param name="Deciding">The option that decides whether this one has an effect.</param>
internal sealed record ServeOptionUse(string Option, string Deciding, string Needs, Func<ServeOptions, bool> IsMet)
{
    private const string App = "--app";
    private const string Design = "--design";
    private const string Once = "--once";
    private const string Threads = "--threads";
    private const string Wait = "--wait";

    /// <summary>
    /// All such options. <c>--no-gro</c> is not among them, although <c>one-by-one</c> never coalesces: users who
    /// compare designs without GRO give <c>--no-gro</c> to each of them.
    /// </summary>
    public static IReadOnlyList<ServeOptionUse> All { get; } =
    [
        new("--to", App, "--app relay", static chosen => chosen.App == ServeApp.Relay),
        new(Once, App, "--app count", static chosen => chosen.App == ServeApp.Count),
        new("--deadline", App, "--app count", static chosen => chosen.App == ServeApp.Count),
        new("--verify", App, "--app count", static chosen => chosen.App == ServeApp.Count),
        new("--patience", Once, "--once", static chosen => chosen.EndsWithSenders),
        new("--no-gso", App, "--app echo or relay", static chosen => chosen.App is ServeApp.Echo or ServeApp.Relay),
        new("--answers-per-peer", App, "--app echo", static chosen => chosen.App == ServeApp.Echo),
        new("--backend", Design, "--design of any system", static chosen => chosen.Design.Backend is null)
        {
            Own = "backend",
        },
        new("--wait", Design, "--design of any system", static chosen => chosen.Design.Wait is null)
        {
            Own = "way of waiting",
        },
        new("--steering", Design, "--design sharded", static chosen => chosen.Design == ServerDesign.Sharded),
        new("--steering", Threads, "--threads 2 or more", static chosen => chosen.ThreadCount != 1),
        new("--wake-threshold", Design, "--design adaptive, ring or reader-workers", static chosen =>
            chosen.Design.Kind == UdpServerDesign.Adaptive || chosen.Design.Kind.HasReceivingThread),

        // In the adaptive design a single thread shares its work with no other, so there is no thread to wake.
        new("--wake-threshold", Threads, "--threads 2 or more", static chosen =>
            chosen.Design.Kind != UdpServerDesign.Adaptive || chosen.ThreadCount != 1),
        new("--spin-all", Wait, "--wait adaptive", static chosen => chosen.EffectiveWait == UdpServerWait.Adaptive),
    ];

    public string? Own { get; init; }

    /// <summary>Refuses the first option that was given without an effect.</summary>
    public static void Check(ParseResult parsed, ServeOptions chosen)
    {
        foreach (ServeOptionUse use in All)
        {
            if (IsGiven(parsed, use.Option) && !use.IsMet(chosen))
            {
                if (use.Own is { } own)
                {
                    throw CommandException.WrongUse(
                        $"{Design} {chosen.Design.Name} has its own {own}: leave {use.Option} out");
                }

                string way = use.Deciding is Once ? "add" : "change";
                throw CommandException.WrongUse($"{use.Option} has no effect with {use.Given(parsed, chosen)}: it is "
                    + $"for {use.Needs}; leave it out, or {way} {use.Deciding}");
            }
        }
    }

    private string Given(ParseResult parsed, ServeOptions chosen)
    {
        string text = Deciding switch
        {
            App => $"{App} {NameText.Of(chosen.App)}",
            Design => $"{Design} {chosen.Design.Name}",
            Wait when chosen.Wait == UdpServerWait.Automatic =>
                $"{Wait} {NameText.Of(chosen.EffectiveWait)}, as {chosen.Design.Name} has it",
            Wait => $"{Wait} {NameText.Of(chosen.Wait)}",
            Once => "a server that does not wait for its senders' ends",
            _ => "one thread",
        };
        return Deciding is App or Design && !IsGiven(parsed, Deciding) ? text + " (the default)" : text;
    }

    private static bool IsGiven(ParseResult parsed, string option) =>
        parsed.GetResult(option) is OptionResult { Implicit: false };
}
