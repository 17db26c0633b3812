using System.Net;
using Spate.Cli.Shell.Options;
using Spate.Measurement.Pacing;

namespace Spate.Cli.Traffic;

/// <summary>A destination of a send.</summary>
/// <param name="Text">The target as it was written on the command line.</param>
/// <param name="EndPoint">The address and port that the text was resolved to.</param>
/// <param name="IsLocal">Whether the address belongs to this machine.</param>
internal sealed record Target(string Text, IPEndPoint EndPoint, bool IsLocal);

/// <summary>The request to <c>spate send</c>, checked, with all names resolved.</summary>
internal sealed record SendOptions
{
    public required TrafficRunOptions Traffic { get; init; }

    public required IReadOnlyList<Target> Targets { get; init; }

    public required int SizeBytes { get; init; }

    /// <summary>Whether every datagram has a checksum.</summary>
    public required bool Checksums { get; init; }

    public required Rate Rate { get; init; }

    /// <summary>How to wait for what is due; null for the choice by the rate.</summary>
    public required PaceMode? Pace { get; init; }

    /// <summary>Notices for the user before the run: about a default rate, or a size that will be fragmented.</summary>
    public required IReadOnlyList<string> Notices { get; init; }
}
