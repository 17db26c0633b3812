namespace Spate.Cli.Gateway;

/// <summary>
/// One pipeline of a gateway: a thread with its connection. Fields as in <see cref="GatewayReport"/>.
/// </summary>
internal sealed record GatewayPipelineReport
{
    /// <summary>The index of the thread, from 0.</summary>
    public int Shard { get; set; }

    /// <summary>What the pipeline was doing.</summary>
    public string State { get; set; } = "";

    /// <summary>Datagrams that the thread has read from its sockets.</summary>
    public long Accepted { get; set; }

    /// <summary>Datagrams that the broker has confirmed.</summary>
    public long Committed { get; set; }

    /// <summary>Datagrams dropped, for every reason.</summary>
    public long Dropped { get; set; }

    /// <summary>Datagrams in doubt.</summary>
    public long InDoubt { get; set; }

    /// <summary>Datagrams in flight.</summary>
    public long InFlight { get; set; }

    /// <summary>Messages that the broker has confirmed, accounting messages included.</summary>
    public long MessagesConfirmed { get; set; }

    /// <summary>Connections that were lost.</summary>
    public int ConnectionsLost { get; set; }
}
