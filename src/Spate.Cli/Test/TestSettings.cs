using System.Net;
using Spate.Cli.Shell.Options;
using Spate.Cli.Traffic;
using Spate.Measurement.PathTest;

namespace Spate.Cli.Test;

/// <summary>The request to <c>spate test -c</c>, checked, with all names resolved.</summary>
internal sealed record TestClientRunOptions
{
    public required TrafficRunOptions Traffic { get; init; }

    /// <summary>The server's addresses; one, or with <c>--all-addresses</c> all of its name.</summary>
    public required IReadOnlyList<Target> Servers { get; init; }

    /// <summary>The test. Its CPUs are chosen by the command, which has to explain the choice.</summary>
    public required TestClientOptions Options { get; init; }

    /// <summary>Notices for the user before the run.</summary>
    public required IReadOnlyList<string> Notices { get; init; }
}

/// <summary>The request to <c>spate test -s</c>, checked.</summary>
/// <param name="Local">Where to listen.</param>
/// <param name="Cpus">The CPUs of the flows' threads.</param>
/// <param name="Options">The server's options but for its CPUs.</param>
internal sealed record TestServerRunOptions(IPEndPoint Local, CpuChoice Cpus, TestServerOptions Options);
