using Spate.Cli.Getopt;

namespace Spate.Cli.Iperf2;

/// <summary>An option of iperf 2, or one of our own, and what it does.</summary>
/// <param name="Syntax">How it is written.</param>
/// <param name="IsForServer">Whether a server may have it.</param>
/// <param name="IsForClient">Whether a client may have it.</param>
/// <param name="Apply">Puts it into the draft, or throws what is wrong with it.</param>
internal sealed record Iperf2Option(
    GetoptOption Syntax, bool IsForServer, bool IsForClient, Action<Iperf2Draft, GetoptChoice> Apply);
