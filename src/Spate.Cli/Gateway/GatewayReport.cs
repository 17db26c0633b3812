using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Gateway;

/// <summary>
/// The report of a gateway, kind <c>gateway</c>: a receiver's figures, and the account of what became of every datagram
/// that was read: <see cref="Accepted"/> = <see cref="Committed"/> + <see cref="Dropped"/> + <see cref="InDoubt"/> +
/// <see cref="InFlight"/>.
/// </summary>
internal sealed record GatewayReport : EndReport
{
    public const string KindName = "gateway";

    public string Id { get; set; } = "";

    /// <summary>Where it committed to, without a user and a password.</summary>
    public string Target { get; set; } = "";

    /// <summary><c>stream</c> or <c>queue</c>; null where nothing was committed to.</summary>
    public string? Queue { get; set; }

    public string[] QueueNames { get; set; } = [];

    /// <summary>What it was doing before it was stopped, for example <c>committing</c>.</summary>
    public string State { get; set; } = "";

    /// <summary>Datagrams read from the sockets.</summary>
    public long Accepted { get; set; }

    /// <summary>Of these, those whose message the broker confirmed.</summary>
    public long Committed { get; set; }

    /// <summary>Of these, all that were dropped: the sum of the next five.</summary>
    public long Dropped { get; set; }

    public long DroppedWindowFull { get; set; }

    public long DroppedRefused { get; set; }

    public long DroppedOversized { get; set; }

    public long DroppedShutdown { get; set; }

    public long NotAllowed { get; set; }

    /// <summary>Published on a connection that was lost, and not confirmed since: stored or not.</summary>
    public long InDoubt { get; set; }

    /// <summary>In messages that are filled, wait or are not yet confirmed; 0 once the gateway has stopped.</summary>
    public long InFlight { get; set; }

    /// <summary>What is missing in the account: always 0.</summary>
    public long Difference { get; set; }

    /// <summary>Queued at the sockets when the gateway stopped, not read in time. Not in the account.</summary>
    public long Unread { get; set; }

    /// <summary>Messages confirmed, accounting messages included.</summary>
    public long MessagesConfirmed { get; set; }

    public long MessagesPublishedAgain { get; set; }

    public int ConnectionsLost { get; set; }

    [JsonPropertyOrder(3)]
    [JsonPropertyName("lanes")]
    public GatewayPipelineReport[] Pipelines { get; set; } = [];

    internal override JsonTypeInfo JsonType => GatewayJson.Default.GatewayReport;
}

/// <summary>A thread of a gateway with its connection. Fields as in <see cref="GatewayReport"/>.</summary>
internal sealed record GatewayPipelineReport
{
    public int Shard { get; set; }

    public string State { get; set; } = "";

    public long Accepted { get; set; }

    public long Committed { get; set; }

    public long Dropped { get; set; }

    public long InDoubt { get; set; }

    public long InFlight { get; set; }

    public long MessagesConfirmed { get; set; }

    public int ConnectionsLost { get; set; }
}
