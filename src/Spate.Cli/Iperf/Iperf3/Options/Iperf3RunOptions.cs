using Spate.Cli.Iperf.Iperf3.Clients;
using Spate.Cli.Iperf.Iperf3.Servers;

namespace Spate.Cli.Iperf.Iperf3.Options;

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
