using Spate.Measurement.Arithmetic;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.Testing;

/// <summary>One direction of a test: what one end sent, and what of it the other one received.</summary>
public sealed record TestDirectionReport
{
    /// <summary>The end that sent: <c>client</c> or <c>server</c>.</summary>
    public string From { get; set; } = "";

    /// <summary>Datagrams that the sender's system took.</summary>
    public long Datagrams { get; set; }

    /// <summary>Different datagrams that arrived.</summary>
    public long Unique { get; set; }

    /// <summary>
    /// <see cref="Datagrams"/> less <see cref="Unique"/>. Every stream begins with datagram 0 and its end is agreed on,
    /// so a loss at the head, at the tail and of everything is in it.
    /// </summary>
    public long Lost { get; set; }

    /// <summary><see cref="Lost"/> in percent of <see cref="Datagrams"/>.</summary>
    public double LostPercent { get; set; }

    /// <summary>Datagrams that arrived in a second, copies included.</summary>
    public double DatagramsPerSecond { get; set; }

    /// <summary>Payload bits that arrived in a second.</summary>
    public double BitsPerSecond { get; set; }

    /// <summary>What became of what was lost, in one sentence.</summary>
    public string Verdict { get; set; } = "";

    /// <summary>What would help; null where nothing needs to, or nothing is known.</summary>
    public string? Remedy { get; set; }

    /// <summary>Brings together what both ends say of one direction.</summary>
    /// <param name="from">The end that sent.</param>
    /// <param name="sent">What it says.</param>
    /// <param name="received">What the other end says.</param>
    internal static TestDirectionReport Between(string from, TrafficReport sent, TrafficReport received)
    {
        long unique = received.PerStream.Sum(
            static stream => stream.Datagrams - (stream.Duplicated ?? 0) - (stream.Late ?? 0));
        long lost = Math.Max(0, sent.Datagrams - unique);
        return new TestDirectionReport
        {
            From = from,
            Datagrams = sent.Datagrams,
            Unique = unique,
            Lost = lost,
            LostPercent = 100 * Statistics.Ratio(lost, sent.Datagrams),
            DatagramsPerSecond = received.DatagramsPerSecond ?? 0,
            BitsPerSecond = received.BitsPerSecond ?? 0,
            Verdict = TestVerdict.Of(sent, received, lost),
        };
    }
}
