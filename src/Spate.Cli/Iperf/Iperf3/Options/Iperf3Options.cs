using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf3.Clients;
using Spate.Cli.Iperf.Iperf3.Flows;
using Spate.Cli.Iperf.Iperf3.Servers;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Getopt;
using Spate.Cli.Shell.Options;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Options;

/// <summary>What the options of <c>spate iperf3</c> have set.</summary>
internal sealed class Iperf3Options : GetoptOptions
{
    public Iperf3Options() => (Port, Interval) = (Iperf3ClientOptions.DefaultPort, TimeSpan.FromSeconds(1));

    public AddressFamily? Family { get; set; }

    public int? LocalCpu { get; set; }

    /// <summary>Whether <c>-A any</c> was given.</summary>
    public bool IsFreeToMove { get; set; }

    public int StreamPort { get; set; }

    public TimeSpan ConnectTimeout { get; set; }

    public TimeSpan? ReceiveTimeout { get; set; }

    public bool HasSeconds { get; set; }

    public string? PidFile { get; set; }

    public Iperf3Parameters Parameters { get; set; } = new() { ClientVersion = ToolVersion.Line };

    public Iperf3ServerOptions Server { get; set; } = new();

    public Iperf3OutputOptions Output { get; set; } = new();

    public TransportOptions Transport { get; set; } = new();
}

/// <summary>How the output of a test looks, and where it goes.</summary>
internal sealed record Iperf3OutputOptions
{
    public bool IsJson { get; init; }

    public bool IsJsonStream { get; init; }

    /// <summary>Whether the whole document follows the lines of the events.</summary>
    public bool HasFullOutput { get; init; }

    /// <summary>The unit of rates (-f): one of <c>kmgtKMGT</c>, or <c>a</c> for the one that fits.</summary>
    public char Format { get; init; } = 'a';

    public bool IsVerbose { get; init; }

    /// <summary>What begins every line (-T); empty for none.</summary>
    public string Title { get; init; } = "";

    /// <summary>A format of strftime(3) for the start of every line; null for no time.</summary>
    public string? TimestampFormat { get; init; }

    /// <summary>The file that the output is appended to; null for stdout.</summary>
    public string? LogFile { get; init; }
}

/// <summary>What a command line of <c>spate iperf3</c> asks for.</summary>
internal sealed record Iperf3RunOptions
{
    /// <summary>The test of a client; null for a server, as <see cref="Server"/> is for a client.</summary>
    public Iperf3ClientOptions? Client { get; init; }

    /// <summary>Why a host has no address; told where the output goes, since a script reads it there.</summary>
    public string? UnknownHost { get; init; }

    public Iperf3ServerOptions? Server { get; init; }

    /// <summary>The host that a client was asked to connect to, as it was written; empty for a server.</summary>
    public string Host { get; init; } = "";

    public required Iperf3OutputOptions Output { get; init; }

    public string? PidFile { get; init; }

    public IReadOnlyList<string> Notices { get; init; } = [];
}

/// <summary>Turns a command line into settings, and refuses what iperf3 refuses, with one line each.</summary>
internal static class Iperf3Arguments
{
    private const int MaxPort = 65_535;

    public static Iperf3RunOptions Read(GetoptLine line)
    {
        Iperf3Options draft = Iperf3OptionTable.All.Read(line);
        return draft.IsServer ? ReadServer(draft) : ReadClient(draft);
    }

    private static CommandException Wrong(string message) => Iperf3OptionTable.All.Wrong(message);

    private static Iperf3RunOptions ReadServer(Iperf3Options draft)
    {
        if (draft.Parameters.ServerCpu is not null)
        {
            throw Wrong("-A has two CPUs: with -s give one, because the client sets its own");
        }

        IPAddress local = draft.Bind is null
            ? draft.Family == AddressFamily.InterNetwork ? IPAddress.Any : IPAddress.IPv6Any
            : ResolveOwn(draft.Bind, draft.Family);
        return new Iperf3RunOptions
        {
            Server = WithCommon(draft.Server, draft) with { Local = new IPEndPoint(local, draft.Port) },
            Output = draft.Output,
            PidFile = draft.PidFile,
            Notices = draft.Notices,
        };
    }

    private static Iperf3RunOptions ReadClient(Iperf3Options draft)
    {
        CheckTest(draft);
        IReadOnlyList<IPAddress> servers = [];
        IPAddress? local = null;
        string? unknownHost = null;
        try
        {
            (servers, local) = ResolveEnds(draft);
        }
        catch (CommandException fault) when (fault.IsUnknownHost)
        {
            unknownHost = fault.Message;
        }

        return new Iperf3RunOptions
        {
            Client = WithCommon(new Iperf3ClientOptions { Servers = [] }, draft) with
            {
                Servers = [.. servers.Select(address => new IPEndPoint(address, draft.Port))],
                Parameters = draft.Parameters.EndsByAmount ? draft.Parameters with { Seconds = 0 } : draft.Parameters,
                Local = local,
                StreamPort = draft.StreamPort,
                ConnectTimeout = draft.ConnectTimeout,
            },
            UnknownHost = unknownHost,
            Host = draft.Host!,
            Output = draft.Output,
            PidFile = draft.PidFile,
            Notices = draft.Notices,
        };
    }

    private static void CheckTest(Iperf3Options draft)
    {
        Iperf3Parameters test = draft.Parameters;
        if (!draft.IsUdp) throw Wrong("only UDP is supported: add -u, or use iperf3 for TCP");

        if (test is { Reverse: true, Bidirectional: true })
        {
            throw Wrong("-R and --bidir exclude each other: use one of them");
        }

        int ends = (draft.HasSeconds ? 1 : 0) + (test.Bytes > 0 ? 1 : 0) + (test.Blocks > 0 ? 1 : 0);
        if (ends > 1) throw Wrong("-t, -n and -k exclude each other: use one of them");

        if (draft.ReceiveTimeout is not null && test is { Reverse: false, Bidirectional: false })
        {
            throw Wrong("--rcv-timeout is for a client that receives: add -R or --bidir, or leave it out");
        }

        if (draft.StreamPort > 0 && draft.StreamPort + test.AllStreamCount - 1 > MaxPort)
        {
            throw Wrong($"--cport {draft.StreamPort} leaves too few ports for {test.AllStreamCount} streams, one each");
        }
    }

    private static (IReadOnlyList<IPAddress> Servers, IPAddress? Local) ResolveEnds(Iperf3Options draft)
    {
        IReadOnlyList<IPAddress> servers = ResolveAll(draft.Host!, "-c", draft.Family);
        if (draft.Bind is null) return (servers, null);

        IReadOnlyList<IPAddress> locals = ResolveAll(draft.Bind, "-B", draft.Family);
        foreach (IPAddress local in locals)
        {
            IPAddress[] same = [.. servers.Where(server => server.AddressFamily == local.AddressFamily)];
            if (same.Length > 0) return (same, local);
        }

        throw Wrong($"-B {draft.Bind} and -c {draft.Host} have no common address family: use another address");
    }

    private static IPAddress ResolveOwn(string host, AddressFamily? family)
    {
        try
        {
            return ResolveAll(host, "-B", family)[0];
        }
        catch (CommandException fault) when (fault.IsUnknownHost)
        {
            throw CommandException.Refused(fault.Message, DocsAnchor.None, fault);
        }
    }

    private static IReadOnlyList<IPAddress> ResolveAll(string host, string option, AddressFamily? family)
    {
        // Behind the % of an IPv6 address stands its zone.
        bool namesDevice = host.Contains('%', StringComparison.Ordinal)
            && !host.Contains(':', StringComparison.Ordinal);
        return namesDevice
            ? throw Wrong($"{option} '{host}' names a device, which is not supported: give only the address")
            : HostResolver.ResolveAll(host, family);
    }

    private static T WithCommon<T>(T end, Iperf3Options draft)
        where T : Iperf3EndOptions => (T)((Iperf3EndOptions)end with
        {
            ReceiveTimeout = draft.ReceiveTimeout ?? end.ReceiveTimeout,
            Interval = draft.Interval,
            Cpus = draft.LocalCpu is { } cpu
                ? CpuChoice.ParseHere(cpu.ToString(CultureInfo.InvariantCulture), option: "-A").Numbers
                : [],
            PlacesBesidePeer = !draft.IsFreeToMove,
            Transport = draft.Transport,
        });
}
