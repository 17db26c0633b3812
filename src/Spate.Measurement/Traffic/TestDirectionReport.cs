using Spate.Measurement.Arithmetic;
using Spate.Measurement.Loss;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Traffic;

/// <summary>One direction of a test: what one end sent, and what of it the other one received.</summary>
internal sealed record TestDirectionReport
{
    internal const string ClientName = "client";
    internal const string ServerName = "server";

    /// <summary>The end that sent: <c>client</c> or <c>server</c>.</summary>
    public string From { get; set; } = "";

    public long Datagrams { get; set; }

    public long Unique { get; set; }

    /// <summary>Datagrams that the sender's system refused. They have a number, so they are lost.</summary>
    public long Refused { get; set; }

    /// <summary>Datagrams that the sender's pacing gave up. They have no number and are not among the lost.</summary>
    public long Skipped { get; set; }

    /// <summary>Sent or refused less <see cref="Unique"/>, from datagram 0 to the agreed end.</summary>
    public long Lost { get; set; }

    /// <summary><see cref="Lost"/> in percent of <see cref="Datagrams"/> and <see cref="Refused"/>.</summary>
    public double LostPercent { get; set; }

    public double DatagramsPerSecond { get; set; }

    public double BitsPerSecond { get; set; }

    /// <summary>The sum of what arrived, all of <see cref="LostWhere"/>, and <see cref="Unexplained"/>.</summary>
    public long Offered { get; set; }

    /// <summary>Where the missing ones were lost: datagrams by place, see <see cref="LossPlace"/>.</summary>
    [MapNames(typeof(LossPlace))]
    public IReadOnlyDictionary<string, long> LostWhere { get; set; } =
        new Dictionary<string, long>(StringComparer.Ordinal);

    public long Unexplained { get; set; }

    /// <summary>Where most of them were lost, in one sentence that ends with what would help.</summary>
    public string Verdict { get; set; } = "";

    public string? Remedy { get; set; }

    /// <summary>Brings together what both ends say of one direction, in which each has done its part.</summary>
    internal static TestDirectionReport Between(string from, TestEndReport sender, TestEndReport receiver)
    {
        TrafficReport sent = sender.Sent!;
        TrafficReport received = receiver.Received!;
        long unique = Math.Max(0, received.Unique ?? 0);

        // The figures of the other end may be anything: below zero they count as zero, so that no difference wraps.
        long datagrams = Math.Max(0, sent.Datagrams);
        LossEvidence evidence = ReceiverEvidence.Of(sender, receiver, unique, isReceiverRemote: from is ClientName);
        long numbered = Saturating.Add(datagrams, evidence.Refused);
        long lost = Math.Max(0, numbered - unique);
        var account = LossAccount.Judge(evidence);
        return new TestDirectionReport
        {
            From = from,
            Datagrams = datagrams,
            Unique = unique,
            Refused = evidence.Refused,
            Skipped = evidence.Skipped,
            Lost = lost,
            LostPercent = 100 * Statistics.Ratio(lost, numbered),
            DatagramsPerSecond = received.DatagramsPerSecond ?? 0,
            BitsPerSecond = received.BitsPerSecond ?? 0,
            Offered = evidence.Offered,
            LostWhere = account.LostWhere,
            Unexplained = account.Unexplained,
            Verdict = account.Sentence,
            Remedy = account.Remedy,
        };
    }

    public override string ToString() => RecordText.Of(
        nameof(TestDirectionReport), PrintMembers, (nameof(LostWhere), LostWhere));
}
