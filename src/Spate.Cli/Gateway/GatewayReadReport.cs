using System.Text.Json.Serialization.Metadata;
using Spate.Gateway;
using Spate.Measurement.Reports;

namespace Spate.Cli.Gateway;

/// <summary>The report of <c>spate gateway read</c>: what is in a stream, and what is not.</summary>
internal sealed record GatewayReadReport : Report
{
    public const string KindName = "gateway-read";

    /// <summary>The broker, without a user and a password.</summary>
    public string From { get; set; } = "";

    public string Stream { get; set; } = "";

    /// <summary>Whether nothing is missing without a stated reason, and everything could be read.</summary>
    public bool IsComplete { get; set; }

    public bool IsInterrupted { get; set; }

    /// <summary>Runs that have no end: what they accepted after their last accounting message is not known.</summary>
    public int RunsWithoutEnd { get; set; }

    public long Messages { get; set; }

    public long MessagesForeign { get; set; }

    public long MessagesUnreadable { get; set; }

    public string? FirstUnreadable { get; set; }

    /// <summary>Messages of more gateways, runs, threads and partitions than are told apart.</summary>
    public long MessagesUntracked { get; set; }

    public long Datagrams { get; set; }

    public long Duplicates { get; set; }

    public long Missing { get; set; }

    public long CommittedMissing { get; set; }

    public long Unexplained { get; set; }

    public long Unsettled { get; set; }

    public long Undecided { get; set; }

    public GatewayKeyReport[] Keys { get; set; } = [];

    public static GatewayReadReport Of(GatewayFindings findings, GatewayTarget from, string stream)
    {
        ArgumentNullException.ThrowIfNull(findings);
        ArgumentNullException.ThrowIfNull(from);
        return new GatewayReadReport
        {
            Kind = KindName,
            From = from.ToString(),
            Stream = stream,
            IsComplete = findings.IsComplete,
            IsInterrupted = findings.IsInterrupted,
            RunsWithoutEnd = findings.RunsWithoutEnd,
            Messages = findings.Messages,
            MessagesForeign = findings.MessagesForeign,
            MessagesUnreadable = findings.MessagesUnreadable,
            FirstUnreadable = findings.FirstUnreadable,
            MessagesUntracked = findings.MessagesUntracked,
            Datagrams = findings.Datagrams,
            Duplicates = findings.Duplicates,
            Missing = findings.Missing,
            CommittedMissing = findings.CommittedMissing,
            Unexplained = findings.Unexplained,
            Unsettled = findings.Unsettled,
            Undecided = findings.Undecided,
            Keys = [.. findings.Keys.Select(GatewayKeyReport.Of)],
        };
    }

    internal override JsonTypeInfo JsonType => GatewayJson.Default.GatewayReadReport;
}
