using Spate.Measurement.Bench.Sessions;

namespace Spate.Cli.Output;

internal static partial class BenchText
{
    public static void Write(SessionsReport report, Streams streams)
    {
        WriteHead(report, streams);
        streams.Output.WriteLine($"{report.SocketRow}; {CpuOf(report)}; medians of {Rounds(report.Rounds)}; "
            + $"{report.Seconds:0} s in all");
        foreach (IGrouping<int, SessionsRow> rows in report.Rows.GroupBy(static row => row.SizeBytes))
        {
            streams.Output.WriteLine();
            streams.Output.WriteLine($"{rows.Key} bytes, nanoseconds per datagram");
            var table = new Table(
                new("sessions", true), new("pattern"), new("receive ns", true), new("of it table ns", true),
                new("times one session", true), new("spread %", true));
            foreach (SessionsRow row in rows)
            {
                table.Add(
                    $"{row.Peers:#,0}",
                    row.Pattern,
                    $"{row.NanosecondsPerDatagram:0.0}",
                    $"{row.TableNanosecondsPerDatagram:0.0}",
                    $"{row.TimesOneSession:0.00}",
                    Spread(row.SpreadPercent, row.Samples));
            }

            TableOutput.Write(table, streams);
        }

        if (report.AgingPasses == 0)
        {
            return;
        }

        streams.Output.WriteLine();
        streams.Output.WriteLine(
            $"ageing {report.AgingPeers:#,0} sessions: {report.AgingPassMicroseconds:0.0} us in the longest of "
            + $"{report.AgingPasses} passes ({report.AgingPassSeenMicroseconds:0.0} us with interruptions); "
            + $"the table has {Units.Bytes(report.TableBytes)}");
    }
}
