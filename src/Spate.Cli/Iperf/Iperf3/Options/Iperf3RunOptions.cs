using Spate.Cli.Iperf.Iperf3.Clients;
using Spate.Cli.Iperf.Iperf3.Servers;

namespace Spate.Cli.Iperf.Iperf3.Options;

/// <summary>What a command line of <c>spate iperf3</c> asks for.</summary>
internal sealed record Iperf3RunOptions
{
    /// <summary>Null for a server, and <see cref="Server"/> for a client.</summary>
    public Iperf3ClientOptions? Client { get; init; }

    /// <summary>Why a client cannot run; told where the output goes, since a script reads it there.</summary>
    public string? UnknownHost { get; init; }

    public Iperf3ServerOptions? Server { get; init; }

    /// <summary>A client's server as it was written; empty for a server.</summary>
    public string Host { get; init; } = "";

    public required Iperf3OutputOptions Output { get; init; }

    /// <summary>For the number of this process (-I).</summary>
    public string? PidFile { get; init; }

    /// <summary>Of options that do nothing.</summary>
    public IReadOnlyList<string> Notices { get; init; } = [];
}
