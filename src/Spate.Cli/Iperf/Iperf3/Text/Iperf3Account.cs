using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Text;

/// <summary>The lines below iperf3's own: what became of every datagram, and what iperf3 makes of it.</summary>
internal static class Iperf3Account
{
    public static IEnumerable<string> Lines(Iperf3Outcome outcome) =>
    [
        .. outcome.Directions.SelectMany(static direction => Lines(direction).Prepend("")),
        .. outcome.Notes.Select(static note => $"note: {note}"),
    ];

    private static IEnumerable<string> Lines(Iperf3Direction direction)
    {
        TestDirectionReport account = direction.Account;
        string way = account.From is "client" ? "client to server" : "server to client";
        yield return direction.IsExact
            ? $"{way}, every datagram accounted for:"
            : $"{way}, as far as the bytes of the other end tell:";
        yield return $"  sent {Units.Count(direction.Sent)}, arrived {Units.Count(account.Unique)}, "
            + $"missing {Units.Count(account.Lost)} ({account.LostPercent:0.####} %), "
            + $"duplicated {Units.Count(direction.Duplicated)}, reordered {Units.Count(direction.Reordered)}";
        if (account.Skipped > 0 || account.Refused > 0)
        {
            yield return $"  of {Units.Count(account.Offered)} due, the sender's system refused "
                + $"{Units.Count(account.Refused)}, and {Units.Count(account.Skipped)} were not sent";
        }

        string? more = account.Remedy is null ? DocsAnchor.None : DocsAnchor.Verdict;
        if (account.Verdict.Length > 0) yield return $"  {DocsAnchor.Append(account.Verdict, more)}";

        double percent = 100 * Statistics.Ratio(direction.ReferenceLost, direction.ReferencePackets);
        yield return FormattableString.Invariant(
            $"  iperf3 counts {direction.ReferenceLost}/{direction.ReferencePackets} lost ")
            + $"({IperfFigures.Percent(percent)}%), {Units.Count(direction.ReferenceOutOfOrder)} out of order"
            + AfterEnd(direction);
    }

    private static string AfterEnd(Iperf3Direction direction) => direction.AfterEnd is > 0 and var count
        ? $"; {Units.Count(count)} after the last one that it counts (after the end of the test"
            + (direction is { IsExact: true, Account.Lost: 0 } ? ") " : ", or lost at the tail) ")
            + $"{(count == 1 ? "is" : "are")} in no figure of iperf3"
        : "";
}
