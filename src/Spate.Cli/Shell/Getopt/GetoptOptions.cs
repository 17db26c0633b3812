namespace Spate.Cli.Shell.Getopt;

/// <summary>The options of a client or a server as given, before they are checked against each other.</summary>
internal abstract class GetoptOptions
{
    public bool IsServer { get; set; }

    /// <summary>The server that a client is to use, as it was written; null where none was.</summary>
    public string? Host { get; set; }

    public bool IsUdp { get; set; }

    public int Port { get; set; }

    /// <summary>The address to use here, as it was written; null where none was.</summary>
    public string? Bind { get; set; }

    public TimeSpan Interval { get; set; }

    public List<string> Notices { get; } = [];
}
