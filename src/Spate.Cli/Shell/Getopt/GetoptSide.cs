namespace Spate.Cli.Shell.Getopt;

/// <summary>The role that an option is for.</summary>
internal enum GetoptSide
{
    /// <summary>The client and the server.</summary>
    Both,

    /// <summary>The client only.</summary>
    Client,

    /// <summary>The server only.</summary>
    Server,
}
