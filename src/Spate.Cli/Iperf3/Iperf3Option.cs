using Spate.Cli.Getopt;

namespace Spate.Cli.Iperf3;

/// <summary>An option of iperf3, or one of our own, and what it does.</summary>
/// <param name="Syntax">How it is written.</param>
/// <param name="Side">The role that it is for.</param>
/// <param name="Apply">Puts it into the draft, or throws what is wrong with it.</param>
internal sealed record Iperf3Option(
    GetoptOption Syntax, Iperf3Side Side, Action<Iperf3Draft, GetoptChoice> Apply);
