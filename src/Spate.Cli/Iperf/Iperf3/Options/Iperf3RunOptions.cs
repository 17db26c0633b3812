using Spate.Cli.Iperf.Iperf3.Clients;
using Spate.Cli.Iperf.Iperf3.Servers;

namespace Spate.Cli.Iperf.Iperf3.Options;

/// <summary>What a command line of <c>spate iperf3</c> asks for.</summary>
internal sealed record Iperf3RunOptions
{
    /// <summary>The test of a client; null for a server.</summary>
    public Iperf3ClientOptions? Client { get; init; }

    /// <summary>
    /// Why the client cannot run, where a host that it was given has no address; null where it can. It is told where
    /// the output goes, since a script reads it there.
    /// </summary>
    public string? UnknownHost { get; init; }

    /// <summary>What a server offers; null for a client.</summary>
    public Iperf3ServerOptions? Server { get; init; }

    /// <summary>The host that a client was asked to connect to, as it was written; empty for a server.</summary>
    public string Host { get; init; } = "";

    /// <summary>How the output looks.</summary>
    public required Iperf3OutputOptions Output { get; init; }

    /// <summary>The file for the number of this process (-I); null for none.</summary>
    public string? PidFile { get; init; }

    /// <summary>What the user should know of options that do nothing.</summary>
    public IReadOnlyList<string> Notices { get; init; } = [];
}
