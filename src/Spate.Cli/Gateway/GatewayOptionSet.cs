using System.CommandLine;
using System.CommandLine.Parsing;
using System.Net;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Cli.Traffic;
using Spate.Gateway;
using Spate.Serving;

namespace Spate.Cli.Gateway;

/// <summary>The options of <c>spate gateway</c>.</summary>
internal sealed class GatewayOptionSet
{
    private const int MaxThreadCount = 256;
    private const int MaxPartitionCount = 64;
    private const int MaxConfirmWindow = 100;
    private const int MinBufferBytes = 1024;

    // Linux doubles the size in an int (sock_setsockopt).
    private const int MaxBufferBytes = int.MaxValue / 2;
    private const long MaxBytes = 1L << 40;

    private readonly Argument<string[]> _locals = new("locals")
    {
        HelpName = "ADDRESS:PORT",
        Description = "Addresses to receive on, IPv6 as [ADDRESS]:PORT. Default: 0.0.0.0:9999.",
        Arity = ArgumentArity.ZeroOrMore,
    };

    private readonly TargetOptionSet _target = new("--to", takesNull: true);

    private readonly Option<string?> _stream = OptionText.Create("--stream", "NAME", "The stream to commit to.");

    private readonly Option<string?> _queue = OptionText.Create(
        "--queue", "NAME", "The queue to commit to, preferably a quorum queue. Required without --stream.");

    private readonly Option<string?> _partitions = OptionText.Create(
        "--partitions", "N", "Divide among N streams or queues: NAME-0, NAME-1... Default: 1, NAME itself.");

    private readonly Option<string?> _partitionBy = OptionText.Create(
        "--partition-by", "WAY", "peer keeps a peer's datagrams together and in order; round-robin. Default: peer.");

    private readonly Option<bool> _declare = OptionText.CreateFlag(
        "--declare", "Declare missing streams, or missing quorum queues, which refuse messages when full.");

    private readonly Option<string?> _maxLength = OptionText.Create(
        "--max-length", "SIZE", "--declare: size limit of each, in bytes. Default: 2G.");

    private readonly Option<string?> _packBytes = OptionText.Create(
        "--pack-bytes", "SIZE", "Size limit of a message, in bytes. Default: 120k, one AMQP frame.");

    private readonly Option<string?> _packCount = OptionText.Create(
        "--pack-count", "N", "Maximum datagrams per message. Default: as many as fit.");

    private readonly Option<string?> _packWait = OptionText.Create(
        "--pack-wait", "S", "How long a message waits for more datagrams. Default: 20ms.");

    private readonly Option<string?> _window = OptionText.Create(
        "--window", "N", "Confirm window: maximum unconfirmed messages per thread. Default: 32.");

    private readonly Option<string?> _memory = OptionText.Create(
        "--memory", "SIZE", "Memory for filling, queued and unconfirmed messages. Default: 256M.");

    private readonly Option<string?> _whenFull = OptionText.Create(
        "--when-full", "WHICH", "Datagrams to drop at the --memory limit: newest or oldest. Default: newest.");

    private readonly Option<string?> _drain = OptionText.Create(
        "--drain", "S", "Time limit at the end to commit accepted datagrams. Default: 5.");

    private readonly Option<string?> _id = OptionText.Create(
        "--id", "NAME", "The gateway's name in every message. Default: the host name.");

    private readonly Option<string[]> _allow = new("--allow")
    {
        HelpName = "CIDR",
        Description = "Accept datagrams only from this prefix. Repeat for more prefixes. Default: all sources.",
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Option<string?> _limitPerPrefix = OptionText.Create(
        "--limit-per-prefix", "RATE", "Datagrams per second per thread from one /24 or /64. Default: no limit.");

    private readonly Option<string?> _connectTimeout = OptionText.Create(
        "--connect-timeout", "S", "Time limit for all connections at the start. Default: 10.");

    private readonly Option<string?> _threads = OptionText.Create(
        "--threads", "N", "Threads, each with its own connection. Default: one per CPU.");

    private readonly Option<string?> _steering = OptionText.Create(
        "--steering", "NAME", $"How the kernel chooses the thread: {ChoiceText.List<UdpSteering>()}; spread is for one "
            + "busy sender and does not keep its order. Default: automatic.");

    private readonly Option<string?> _receiveBuffer = OptionText.Create(
        "--receive-buffer", "SIZE", "Receive buffer to request, such as 4M. Default: 4M.");

    private readonly Option<string?> _seconds = OptionText.Create("--seconds", "S", "End after S seconds.");

    private readonly Option<string?> _interval = IntervalText.Create();

    private readonly Option<bool> _verbose = OptionText.CreateVerbose();

    private readonly ReportOptionSet _report = new(static () => GatewayJson.Default.GatewayReport);

    public void AddTo(Command command)
    {
        command.Add(_locals);
        _target.AddTo(command);
        Option[] options =
        [
            _stream, _queue, _partitions, _partitionBy, _declare, _maxLength, _packBytes, _packCount, _packWait,
            _window, _memory, _whenFull, _drain, _id, _allow, _limitPerPrefix, _connectTimeout, _threads, _steering,
            _receiveBuffer, _seconds, _interval, _verbose,
        ];
        foreach (Option option in options) command.Add(option);
        _report.AddTo(command);
    }

    public GatewayCommandOptions Read(ParseResult parsed)
    {
        BrokerChoice broker = _target.Read(parsed);
        (string? name, GatewayQueueKind kind) = ReadQueue(parsed, broker.Target);
        RefuseUseless(parsed, broker.Target);
        var defaults = new UdpGatewayOptions
        {
            LocalEndPoints = LocalEndPoints.Read(parsed.GetValue(_locals) ?? [], family: null),
            Target = broker.Target,
        };
        UdpGatewayOptions gateway = defaults with
        {
            QueueName = name,
            QueueKind = kind,
            Credentials = broker.Credentials,
            CertificateAuthorityFile = broker.AuthorityFile,
            PartitionCount = (int)(UnitText.ReadCount(parsed, _partitions, 1, MaxPartitionCount) ?? 1),
            Partitioning = ReadPartitioning(parsed),
            Declare = parsed.GetValue(_declare),
            MaxQueueBytes = UnitText.ReadBytes(parsed, _maxLength, 1 << 20, MaxBytes) ?? defaults.MaxQueueBytes,
            PackBytes = (int)(UnitText.ReadBytes(parsed, _packBytes, 4096, 1 << 20) ?? defaults.PackBytes),
            PackCount = (int?)UnitText.ReadCount(parsed, _packCount, 1, int.MaxValue),
            PackWait = SecondsText.Read(parsed, _packWait, minSeconds: 0.001, maxSeconds: 1) ?? defaults.PackWait,
            ConfirmWindow = (int)(UnitText.ReadCount(parsed, _window, 1, MaxConfirmWindow) ?? defaults.ConfirmWindow),
            MemoryBytes = UnitText.ReadBytes(parsed, _memory, 1 << 20, MaxBytes) ?? defaults.MemoryBytes,
            FullMode = FullModeOf(ChoiceText.Read(parsed, _whenFull, DropChoice.Newest)),
            Id = parsed.GetValue(_id) ?? defaults.Id,
            AllowedPrefixes = [.. (parsed.GetValue(_allow) ?? []).Select(ReadPrefix)],
            MaxPerSecondPerPrefix = (int?)UnitText.ReadCount(parsed, _limitPerPrefix, 1, 1_000_000),
            ConnectTimeout = SecondsText.Read(parsed, _connectTimeout, minSeconds: 0.1, maxSeconds: 600)
                ?? defaults.ConnectTimeout,
            ThreadCount = (int?)UnitText.ReadCount(parsed, _threads, 1, MaxThreadCount),
            Steering = ChoiceText.Read(parsed, _steering, UdpSteering.Automatic),
            Socket = defaults.Socket with
            {
                ReceiveBufferBytes = (int)(UnitText.ReadBytes(parsed, _receiveBuffer, MinBufferBytes, MaxBufferBytes)
                    ?? UdpSocketOptions.DefaultBufferBytes),
            },
        };
        return new GatewayCommandOptions(
            new GatewayRunOptions
            {
                Gateway = gateway,
                Drain = SecondsText.Read(parsed, _drain, minSeconds: 0.001, takesZero: true, maxSeconds: 3600)
                    ?? TimeSpan.FromSeconds(5),
                Duration = SecondsText.Read(parsed, _seconds, minSeconds: 0.001),
                Interval = IntervalText.Read(parsed, _interval),
            },
            parsed.GetValue(_verbose),
            _report.Read(parsed));
    }

    private (string? Name, GatewayQueueKind Kind) ReadQueue(ParseResult parsed, GatewayTarget target)
    {
        (string? stream, string? queue) = (parsed.GetValue(_stream), parsed.GetValue(_queue));
        if (stream is not null && queue is not null)
        {
            throw CommandException.WrongUse("--stream and --queue exclude each other: use one of them");
        }

        if (!target.IsDiscard && stream is null && queue is null)
        {
            throw CommandException.WrongUse("the destination is missing: expected --stream NAME or --queue NAME");
        }

        return (stream ?? queue, queue is null ? GatewayQueueKind.Stream : GatewayQueueKind.Queue);
    }

    private GatewayPartitioning ReadPartitioning(ParseResult parsed) => parsed.GetValue(_partitionBy) switch
    {
        null or "peer" => GatewayPartitioning.PeerHash,
        "round-robin" => GatewayPartitioning.RoundRobin,
        { } other => throw OptionText.Wrong(_partitionBy, other, "peer or round-robin"),
    };

    // The user would believe that they had an effect.
    private void RefuseUseless(ParseResult parsed, GatewayTarget target)
    {
        (Option Option, bool IsUsed, string Needs)[] uses =
        [
            (_declare, !target.IsDiscard, "a broker (--to)"),
            (_maxLength, parsed.GetValue(_declare), "--declare"),
            (_partitionBy, IsGiven(parsed, _partitions), "--partitions"),
        ];
        foreach ((Option option, bool isUsed, string needs) in uses)
        {
            if (!isUsed && IsGiven(parsed, option))
            {
                throw CommandException.WrongUse($"{option.Name} has no effect without {needs}: add it, or leave "
                    + $"{option.Name} out");
            }
        }
    }

    private IPNetwork ReadPrefix(string text)
    {
        // The runtime takes 10 for 0.0.0.10, and 192.168 for 192.0.0.168.
        string address = text.Split('/')[0];
        if (HostResolver.IsPlainAddress(address))
        {
            if (IPNetwork.TryParse(text, out IPNetwork prefix)) return prefix;
            if (IPAddress.TryParse(text, out IPAddress? one))
            {
                return new IPNetwork(one, one.GetAddressBytes().Length * 8);
            }
        }

        throw OptionText.Wrong(_allow, text, "an address, or a prefix such as 10.0.0.0/8");
    }

    private static bool IsGiven(ParseResult parsed, Option option) =>
        parsed.GetResult(option) is OptionResult { Implicit: false };

    private static GatewayFullMode FullModeOf(DropChoice choice) =>
        choice == DropChoice.Oldest ? GatewayFullMode.DropOldest : GatewayFullMode.DropArriving;

    /// <summary>The words of <c>--when-full</c>.</summary>
    private enum DropChoice
    {
        Newest = 0,
        Oldest,
    }
}

/// <summary>The request to <c>spate gateway</c>, checked.</summary>
internal sealed record GatewayCommandOptions(GatewayRunOptions Run, bool IsVerbose, ReportOptions Report);
