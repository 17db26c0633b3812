namespace Spate.Cli.Iperf3;

/// <summary>The role that an option is for.</summary>
internal enum Iperf3Side
{
    /// <summary>The client and the server.</summary>
    Both,

    /// <summary>The client only.</summary>
    Client,

    /// <summary>The server only.</summary>
    Server,
}
