using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Bench.Sessions;

/// <summary>The tables of <c>spate bench sessions</c>, for each size.</summary>
internal static class SessionsText
{
    private static readonly Table<SessionsRow> Table = new(
        new("sessions", Align.Right, 0, static row => Units.Count(row.Peers)),
        new("pattern", Align.Left, 0, static row => row.Pattern),
        new("receive ns", Align.Right, 0, static row => $"{row.NanosecondsPerDatagram:0.0}"),
        new("of it table ns", Align.Right, 1, static row => $"{row.TableNanosecondsPerDatagram:0.0}"),
        new("times one session", Align.Right, 2, static row => $"{row.TimesOneSession:0.00}"),
        new("spread %", Align.Right, 3, static row => BenchText.Spread(row.SpreadPercent, row.Samples)));

    public static void Write(SessionsReport report, TerminalWriter writer)
    {
        BenchText.WriteHead(report, writer);
        writer.Line($"{report.SocketRow}; {BenchText.CpuOf(report)}; medians of {BenchText.Rounds(report.Rounds)}; "
            + $"{report.Seconds:0} s in all");
        foreach (IGrouping<int, SessionsRow> rows in report.Rows.GroupBy(static row => row.SizeBytes))
        {
            writer.Line();
            writer.Line($"{rows.Key} bytes, nanoseconds per datagram");
            writer.Table(Table, rows);
        }

        if (report.AgingPasses > 0)
        {
            writer.Line();
            writer.Line($"ageing {report.AgingPeers:#,0} sessions: {report.AgingPassMicroseconds:0.0} us in the "
                + $"longest of {report.AgingPasses} passes ({report.AgingPassSeenMicroseconds:0.0} us with "
                + $"interruptions); the table has {Units.Bytes(report.TableBytes)}");
        }
    }
}
