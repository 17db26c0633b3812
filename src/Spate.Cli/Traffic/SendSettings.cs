using System.Net;
using Spate.Cli.Options;

namespace Spate.Cli.Traffic;

/// <summary>One destination.</summary>
/// <param name="Text">As it was written on the command line.</param>
/// <param name="EndPoint">What that was resolved to.</param>
/// <param name="IsLocal">Whether it is this machine's.</param>
internal sealed record Target(string Text, IPEndPoint EndPoint, bool IsLocal);

/// <summary>What <c>spate send</c> was asked to do, checked, names resolved.</summary>
internal sealed record SendSettings
{
    public required TrafficSettings Traffic { get; init; }

    public required IReadOnlyList<Target> Targets { get; init; }

    public required int SizeBytes { get; init; }

    public required Rate Rate { get; init; }

    /// <summary>What the user should know before the run: a polite rate, a size that will be fragmented.</summary>
    public required IReadOnlyList<string> Notices { get; init; }
}
