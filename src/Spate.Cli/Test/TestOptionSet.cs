using System.CommandLine;
using System.CommandLine.Parsing;
using System.Net;
using System.Text;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Traffic;
using Spate.HostTuning.Reading.Interfaces;
using Spate.Measurement.Counting;
using Spate.Measurement.Pacing;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Test;

/// <summary>The options of <c>spate test</c>: those of its client, of its server, and of both.</summary>
internal sealed class TestOptionSet
{
    private const string AutomaticCpus = "auto";
    private const int MaxDscp = 63;
    private const int DscpShift = 2;
    private const int MinBufferBytes = 1024;
    private const int MaxBufferBytes = int.MaxValue / 2;

    private readonly Option<string?> _server = new("-s", "--server")
    {
        HelpName = "ADDRESS:PORT",
        Description = "Run as server: wait for clients on this address, IPv6 as [ADDRESS]:PORT. Default: "
            + "0.0.0.0:9999, with -6 [::]:9999. One UDP port carries control and data.",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<string?> _client = new("-c", "--client")
    {
        HelpName = "HOST[:PORT]",
        Description = "Run as client: test with the server at this host. Default port: 9999.",
    };

    private readonly Option<bool> _reverse = new("--reverse", "-R")
    {
        Description = "-c: the server sends, the client receives.",
    };

    private readonly Option<bool> _bidir = OptionText.CreateFlag(
        "--bidir", "-c: both ends send at the same time, over the same sockets.");

    private readonly Option<string?> _remoteCpu = OptionText.Create(
        "--remote-cpu", "LIST|auto", "-c: CPUs of the server's threads, such as 2,3. Default: the server's --cpu.");

    private readonly Option<string?> _remoteBuffer = OptionText.Create(
        "--remote-buffer", "SIZE", "-c: socket buffer that the server requests. Default: the server's --buffer.");

    private readonly Option<string?> _dscp = OptionText.Create(
        "--dscp", "N", $"-c: DSCP of the data in both directions, 0 to {MaxDscp}. Default: 0.");

    private readonly Option<bool> _df = OptionText.CreateFlag(
        "--df", "-c: set Don't Fragment at both ends: data above the path MTU is refused, not fragmented.");

    private readonly Option<string?> _bind = new("--bind", "-B")
    {
        HelpName = "ADDRESS",
        Description = "-c: the local address to use. Default: the system chooses.",
    };

    private readonly Option<string?> _label = OptionText.Create(
        "--label", "TEXT", $"-c: a name for the test in both ends' output, up to {TestParameters.MaxLabelLength} "
            + "characters.");

    private readonly Option<bool> _allAddresses = OptionText.CreateFlag(
        "--all-addresses",
        "-c: spread the flows over all addresses of the host name, which must be one server's. Default of --flows: "
            + $"one per address, up to {TestParameters.MaxFlowCount}.");

    private readonly Option<string?> _maxClients = OptionText.Create(
        "--max-clients", "N", "-s: concurrent tests; more are refused. Default: 8.");

    private readonly Option<string?> _maxRate = OptionText.Create(
        "--max-rate", "N|max", "-s: the highest rate per test and direction, datagrams per second such as 200k. "
            + "Default: max, no limit.");

    private readonly Option<string?> _maxSeconds = OptionText.Create(
        "--max-seconds", "S", "-s: the longest test, in seconds. Default: 3600.");

    private readonly Option<bool> _once = OptionText.CreateFlag("--once", "-s: end after one test.");

    private readonly TrafficOptionSet _traffic = new(
        "sent", new ReportOptionSet(static () => TestJson.Default.TestReport));
    private readonly SendLoad _load = new(TestDatagram.HeaderBytes);
    private readonly TestKeyOption _key = new();
    private readonly AccountingOptionSet _accounting = new(
        "-c: add a checksum to every datagram, and verify it at the receiver.");

    private Option[] ClientOnly =>
    [
        .. _load.Options, _reverse, _bidir, _remoteCpu, _remoteBuffer, _dscp, _df, _bind, _label, _allAddresses,
        .. _accounting.Options, .. _traffic.RunOptions,
    ];

    private Option[] ServerOnly => [_maxClients, _maxRate, _maxSeconds, _once];

    public void AddTo(Command command)
    {
        command.Add(_server);
        command.Add(_client);
        _load.AddTo(command);
        Option[] options =
        [
            _reverse, _bidir, _remoteCpu, _remoteBuffer, _dscp, _df, _bind, _label, _allAddresses, .. ServerOnly,
        ];
        foreach (Option option in options)
        {
            command.Add(option);
        }

        _accounting.AddTo(command);
        _key.AddTo(command);
        _traffic.AddTo(command);
    }

    /// <summary>Whether the server is asked for. Neither end, both, or options of the other are refused.</summary>
    public bool IsServer(ParseResult parsed)
    {
        bool isServer = IsGiven(parsed, _server);
        if (isServer == IsGiven(parsed, _client))
        {
            throw CommandException.WrongUse(isServer
                ? "-s and -c exclude each other: server and client are two processes"
                : "a test needs -s on one host and -c HOST on the other (see spate test --help)");
        }

        Option? wrong = Array.Find(isServer ? ClientOnly : ServerOnly, option => IsGiven(parsed, option));
        return wrong is null
            ? isServer
            : throw CommandException.WrongUse(isServer
                ? $"{wrong.Name} has no effect with -s, because clients set it: use it with spate test -c"
                : $"{wrong.Name} has no effect with -c: use it with spate test -s");
    }

    public TestServerRunOptions ReadServer(ParseResult parsed)
    {
        TrafficRunOptions traffic = _traffic.Read(parsed);
        var defaults = new TestServerOptions();
        IPEndPoint local = EndPointText.ParseLocal(parsed.GetValue(_server), traffic.Family);
        Rate? maxRate = SendLoad.ReadRate(_maxRate, parsed);
        if (maxRate is { BitsPerSecond: not null } or { DatagramsPerSecond: < 1 })
        {
            throw OptionText.Wrong(
                _maxRate, parsed.GetValue(_maxRate) ?? "", "datagrams per second from 1 on such as 200k, or max");
        }

        return new TestServerRunOptions(traffic.Cpus, new TestServerOptions
        {
            Local = UdpEndPoint.FromIPEndPoint(local),
            MaxClients = (int)(UnitText.ReadCount(parsed, _maxClients, 1, TestServerOptions.MaxMaxClients)
                ?? defaults.MaxClients),
            MaxDuration = SecondsText.Read(parsed, _maxSeconds, minSeconds: 0.001) ?? defaults.MaxDuration,
            MaxDatagramsPerSecond = maxRate?.DatagramsPerSecond,
            EndsAfterOne = parsed.GetValue(_once),
            Key = _key.Read(parsed),
            Transport = traffic.Transport,
        });
    }

    public TestClientRunOptions ReadClient(ParseResult parsed)
    {
        TrafficRunOptions traffic = _traffic.Read(parsed);
        if (traffic.FlowCount > TestParameters.MaxFlowCount)
        {
            throw CommandException.WrongUse(
                $"--flows {traffic.FlowCount} is too many: a test has at most {TestParameters.MaxFlowCount}");
        }

        string host = parsed.GetValue(_client) ?? "";
        (List<IPEndPoint> ends, int flowCount) = Spread(
            EndPointText.ParseTargets(host, traffic.Family),
            parsed.GetValue(_allAddresses),
            _traffic.NamesFlows(parsed) ? traffic.FlowCount : null);
        List<Target> servers =
            [.. ends.Select(end => new Target(host, end, LocalAddresses.Contains(end.Address)))];
        var notices = new List<string>();
        (int sizeBytes, Rate rate, PaceMode? pace) = _load.Read(parsed, servers, notices);
        string label = parsed.GetValue(_label) ?? "";
        if (label.Length > TestParameters.MaxLabelLength)
        {
            throw OptionText.Wrong(_label, label, $"at most {TestParameters.MaxLabelLength} characters");
        }

        string? remoteCpus = parsed.GetValue(_remoteCpu);
        TransportOptions transport = traffic.Transport;
        long? dscp = UnitText.ReadCount(parsed, _dscp, 0, MaxDscp);
        bool isEndless = traffic is { Duration: null, DatagramCount: null };
        UdpAddress local = ReadBind(parsed, servers);
        var test = new TestParameters
        {
            Direction = ReadDirection(parsed),
            Flows = flowCount,
            SizeBytes = sizeBytes,
            DatagramsPerSecond = rate.ForSize(sizeBytes),
            DatagramCount = traffic.DatagramCount,
            Seconds = (isEndless ? SendLoad.DefaultDuration : traffic.Duration)?.TotalSeconds,
            IntervalSeconds = traffic.Interval.TotalSeconds,
            Pace = pace,
            Cpus = remoteCpus is null or AutomaticCpus
                ? []
                : [.. CpuChoice.ParseNumbers(_remoteCpu.Name, remoteCpus)],
            AutomaticCpus = remoteCpus is AutomaticCpus,
            BufferBytes = (int?)UnitText.ReadBytes(parsed, _remoteBuffer, MinBufferBytes, MaxBufferBytes),
            ForceBuffers = transport.ForceBuffers,
            SegmentedSend = transport.SegmentedSend,
            CoalescedReceive = transport.CoalescedReceive,
            TrafficClass = (int?)(dscp << DscpShift),
            DontFragment = parsed.GetValue(_df),
            AllCores = traffic.ShowsAllCores,
            Label = label,
        };
        AccountingOptions accounting = ReadAccounting(parsed, sizeBytes);
        test.Verify = accounting.Verify;
        test.DeadlineSeconds = accounting.Deadline?.TotalSeconds;
        if (test.FindFault() is { } fault) throw CommandException.WrongUse($"this test cannot be: {fault}");

        var options = new TestClientOptions
        {
            Servers = [.. servers.Select(static server => UdpEndPoint.FromIPEndPoint(server.EndPoint))],
            LocalAddress = local,
            Transport = transport,
            Parameters = test,

            // Wrong options are reported before an unreadable file.
            Key = _key.Read(parsed),
        };
        return new TestClientRunOptions(traffic, options, notices);
    }

    private static bool IsGiven(ParseResult parsed, Option option) =>
        parsed.GetResult(option) is OptionResult { Implicit: false };

    internal static (List<IPEndPoint> Ends, int FlowCount) Spread(
        IReadOnlyList<IPEndPoint> found, bool isAll, int? flowCount)
    {
        int maxEnds = isAll ? flowCount ?? TestParameters.MaxFlowCount : 1;
        List<IPEndPoint> ends = [.. found.Take(maxEnds)];
        return (ends, flowCount ?? ends.Count);
    }

    private UdpAddress ReadBind(ParseResult parsed, List<Target> servers)
    {
        if (parsed.GetValue(_bind) is not { } text) return default;

        IPAddress address = HostResolver.Resolve(text, servers[0].EndPoint.AddressFamily);
        return UdpAddress.FromIPAddress(address);
    }

    private AccountingOptions ReadAccounting(ParseResult parsed, int sizeBytes)
    {
        AccountingOptions accounting = _accounting.Read(parsed);
        return accounting.Verify && sizeBytes < TestDatagram.ChecksummedHeaderBytes
            ? throw CommandException.WrongUse($"--verify needs room for the checksum, and --size is {sizeBytes}: "
                + $"expected at least {TestDatagram.ChecksummedHeaderBytes} bytes")
            : accounting;
    }

    private TestDirection ReadDirection(ParseResult parsed) =>
        (parsed.GetValue(_reverse), parsed.GetValue(_bidir)) switch
        {
            (true, true) => throw CommandException.WrongUse(
                "-R and --bidir exclude each other: use one of them, or none"),
            (true, false) => TestDirection.Reverse,
            (false, true) => TestDirection.Both,
            _ => TestDirection.Forward,
        };
}

/// <summary>
/// The request to <c>spate test -c</c>, checked, with all names resolved. The command chooses the CPUs of the test,
/// since it has to explain the choice.
/// </summary>
internal sealed record TestClientRunOptions(
    TrafficRunOptions Traffic, TestClientOptions Options, IReadOnlyList<string> Notices);

/// <summary>The request to <c>spate test -s</c>, checked; its options are without the CPUs.</summary>
internal sealed record TestServerRunOptions(CpuChoice Cpus, TestServerOptions Options);

/// <summary><c>--key-file</c>, and the environment variable that stands in for it.</summary>
internal sealed class TestKeyOption
{
    private const string VariableName = "SPATE_TEST_KEY";

    private readonly Option<string?> _file = OptionText.Create(
        "--key-file", "FILE", "A file with the key of both ends, so that strangers cannot run tests: at least "
            + $"{TestKey.MinBytes} bytes, not counting a line end. Default: the key in {VariableName}. "
            + "Data is not encrypted.");

    public void AddTo(Command command) => command.Add(_file);

    public TestKey? Read(ParseResult parsed)
    {
        (string source, byte[]? secret) = parsed.GetValue(_file) is { } path
            ? ($"--key-file {path}", ReadFile(path))
            : (VariableName, ReadVariable());
        if (secret is null) return null;

        ReadOnlySpan<byte> key = secret.AsSpan().TrimEnd("\r\n"u8);
        return key.Length is >= TestKey.MinBytes and <= TestKey.MaxBytes
            ? new TestKey(key)
            : throw CommandException.WrongUse(
                $"{source} holds a key of {key.Length} bytes: expected {TestKey.MinBytes} to {TestKey.MaxBytes}");
    }

    private static byte[]? ReadVariable() =>
        Environment.GetEnvironmentVariable(VariableName) is { Length: > 0 } text ? Encoding.UTF8.GetBytes(text) : null;

    // One byte more than a key and its line end may have tells a file that is too long, a device for instance.
    private static byte[] ReadFile(string path)
    {
        try
        {
            using FileStream file = File.OpenRead(path);
            byte[] bytes = new byte[TestKey.MaxBytes + 3];
            int length = file.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false);
            return bytes[..length];
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw CommandException.Refused(
                $"--key-file {path} cannot be read: {fault.Message.TrimEnd('.')}", DocsAnchor.None, fault);
        }
    }
}
