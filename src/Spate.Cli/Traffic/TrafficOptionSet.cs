using System.CommandLine;
using System.CommandLine.Parsing;
using System.Net.Sockets;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Traffic;

/// <summary>The options of <c>send</c>, <c>receive</c> and <c>serve</c>, which has no <c>--flows</c>.</summary>
/// <param name="verb">What the command does with datagrams, for example <c>sent</c>.</param>
/// <param name="useless">
/// An option that does nothing in the command; null for none. Help does not show the option, and a command line with it
/// is refused: the user would believe that the figures were measured with the option.
/// </param>
internal sealed class TrafficOptionSet(
    string verb, ReportOptionSet report, bool hasFlows = true, string? useless = null)
{
    private const int MinBufferBytes = 1024;
    private const int MaxBufferBytes = 1 << 30;

    // Linux doubles the size in an int (sock_setsockopt), so the library takes one byte less than 1 GiB.
    private const int MaxGrantedBytes = int.MaxValue / 2;

    private readonly Option<string?> _count = OptionText.Create(
        "--count", "N", $"End after N datagrams {verb}.");

    private readonly Option<string?> _seconds = OptionText.Create(
        "--seconds", "S", "End after S seconds.");

    private readonly Option<string?> _flows = OptionText.Create(
        "--flows", "N", "Number of sockets, each with its own thread. Default: 1.");

    private readonly Option<string?> _interval = IntervalText.Create();

    private readonly Option<string?> _cpu = OptionText.Create(
        "--cpu", $"LIST|auto|{CpuChoice.Any}", "CPUs to run on, such as 2,3: one per flow or thread. Default: as in "
            + $"spate bench for one thread whose peer is on this host, else {CpuChoice.Any}: the system chooses.");

    private readonly Option<bool> _cores = OptionText.CreateFlag(
        "--cores", "Show all CPUs of this host: user, system, softirq, irq, steal and idle time.");

    private readonly Option<bool> _verbose = OptionText.CreateVerbose();

    private readonly Option<string?> _buffer = OptionText.Create(
        "--buffer", "SIZE", "Socket buffer to request, such as 4M. Default: 4M; on Linux 32M for receiving.");

    private readonly Option<bool> _noForce = OptionText.CreateFlag(
        "--no-force", "Keep to the buffer limit of unprivileged users, even as root.");

    private readonly Option<string?> _backend = OptionText.CreateChoice(
        "--backend", $"{BackendText.Expected}. Default: auto.", static () => BackendText.Names);

    private readonly Option<bool> _noGso = OptionText.CreateFlag(
        "--no-gso", "Send without segmentation offload (GSO).");

    private readonly Option<bool> _noGro = OptionText.CreateFlag(
        "--no-gro", "Receive without coalescing (GRO).");

    private readonly AddressFamilyOptionSet _family = new();

    /// <summary>The options that describe a run rather than how datagrams are moved.</summary>
    public IReadOnlyList<Option> RunOptions => [_count, _seconds, _flows, _interval, _cores, _verbose, .. report.All];

    public void AddTo(Command command)
    {
        Option[] options =
        [
            _count, _seconds, _flows, _interval, _cpu, _cores, _verbose, _buffer, _noForce, _backend, _noGso, _noGro,
        ];
        foreach (Option option in options)
        {
            if (option != _flows || hasFlows)
            {
                option.Hidden = IsUseless(option);
                command.Add(option);
            }
        }

        report.AddTo(command);
        _family.AddTo(command);
    }

    public bool NamesFlows(ParseResult parsed) => parsed.GetResult(_flows) is OptionResult { Implicit: false };

    public TrafficRunOptions Read(ParseResult parsed)
    {
        RefuseUseless(parsed);
        var settings = new TrafficRunOptions
        {
            Family = _family.Read(parsed),
            DatagramCount = UnitText.ReadCount(parsed, _count, 1, long.MaxValue),
            Duration = SecondsText.Read(parsed, _seconds, minSeconds: 0.001),
            FlowCount = hasFlows
                ? (int)(UnitText.ReadCount(parsed, _flows, 1, TrafficSenderOptions.MaxFlowCount) ?? 1)
                : 1,
            Interval = IntervalText.Read(parsed, _interval),
            Cpus = ReadCpus(parsed),
            ShowsAllCores = parsed.GetValue(_cores),
            IsVerbose = parsed.GetValue(_verbose),
            Transport = ReadTransport(parsed),
            Report = report.Read(parsed),
        };

        if (hasFlows && settings.Cpus.Numbers.Count > settings.FlowCount)
        {
            throw CommandException.WrongUse(
                $"--cpu has {settings.Cpus.Numbers.Count} CPUs for {settings.FlowCount} flow(s): "
                + $"add --flows {settings.Cpus.Numbers.Count}, or give fewer CPUs");
        }

        return settings;
    }

    private bool IsUseless(Option option) => option.Name.Equals(useless, StringComparison.Ordinal);

    private void RefuseUseless(ParseResult parsed)
    {
        if (useless is not null && parsed.GetResult(useless) is OptionResult { Implicit: false })
        {
            string command = parsed.CommandResult.Command.Name;
            throw CommandException.WrongUse($"{useless} has no effect with spate {command}, because nothing is "
                + $"{(command is "send" ? "received" : "sent")}: leave it out");
        }
    }

    private TransportOptions ReadTransport(ParseResult parsed) => new()
    {
        BufferBytes = UnitText.ReadBytes(parsed, _buffer, MinBufferBytes, MaxBufferBytes) is { } bytes
            ? (int)Math.Min(bytes, MaxGrantedBytes)
            : null,
        ForceBuffers = !parsed.GetValue(_noForce),
        Backend = BackendText.Read(parsed, _backend),
        SegmentedSend = !parsed.GetValue(_noGso),
        CoalescedReceive = !parsed.GetValue(_noGro),
    };

    private CpuChoice ReadCpus(ParseResult parsed) =>
        parsed.GetValue(_cpu) is { } text ? CpuChoice.ParseHere(text, takesAny: true) : CpuChoice.None;
}

/// <summary>The checked values of <see cref="TrafficOptions"/>.</summary>
internal sealed record TrafficRunOptions
{
    public required AddressFamily? Family { get; init; }

    public required long? DatagramCount { get; init; }

    public required TimeSpan? Duration { get; init; }

    public required int FlowCount { get; init; }

    public required TimeSpan Interval { get; init; }

    public required CpuChoice Cpus { get; init; }

    public required bool ShowsAllCores { get; init; }

    public required bool IsVerbose { get; init; }

    public required TransportOptions Transport { get; init; }

    public required ReportOptions Report { get; init; }
}

/// <summary>What is counted of test datagrams: for <c>receive</c>, <c>serve</c> and <c>test</c>.</summary>
internal sealed class AccountingOptionSet(
    string verifyText = "Verify the checksum of every datagram; needs spate send --verify.")
{
    private const double MinDeadlineSeconds = 0.0001;

    private readonly Option<string?> _deadline = OptionText.Create(
        "--deadline", "S", "Count datagrams that arrive more than S seconds later than the fastest of their stream.");

    private readonly Option<bool> _verify = OptionText.CreateFlag(
        "--verify", verifyText);

    public IReadOnlyList<Option> Options => [_deadline, _verify];

    public void AddTo(Command command)
    {
        command.Add(_deadline);
        command.Add(_verify);
    }

    public AccountingOptions Read(ParseResult parsed) => new()
    {
        Deadline = SecondsText.Read(parsed, _deadline, MinDeadlineSeconds),
        Verify = parsed.GetValue(_verify),
    };
}

/// <summary>The options <c>-4</c> and <c>-6</c>, which restrict a command to one address family.</summary>
internal sealed class AddressFamilyOptionSet
{
    private readonly Option<bool> _ipv4 = OptionText.CreateFlag("-4", "Use IPv4 only.");
    private readonly Option<bool> _ipv6 = OptionText.CreateFlag("-6", "Use IPv6 only.");

    public void AddTo(Command command)
    {
        command.Add(_ipv4);
        command.Add(_ipv6);
    }

    public AddressFamily? Read(ParseResult parsed) => (parsed.GetValue(_ipv4), parsed.GetValue(_ipv6)) switch
    {
        (true, true) => throw CommandException.WrongUse("-4 and -6 exclude each other: use one of them, or none"),
        (true, false) => AddressFamily.InterNetwork,
        (false, true) => AddressFamily.InterNetworkV6,
        _ => null,
    };
}
