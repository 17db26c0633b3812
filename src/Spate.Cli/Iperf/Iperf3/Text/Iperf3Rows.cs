using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Iperf.Iperf3.Text;

/// <summary>The lines of iperf3's tables.</summary>
internal sealed class Iperf3Rows(char format, bool showsRoles)
{
    public const string Separator = "- - - - - - - - - - - - - - - - - - - - - - - - -";

    // The columns of the jitter, which a sender leaves empty, stand between those of both directions.
    private const string NoJitter = "          ";

    public string Header(bool isSender) => (showsRoles ? "[ ID][Role]" : "[ ID]")
        + " Interval           Transfer     Bitrate         "
        + (isSender && !showsRoles ? "Total Datagrams" : "Jitter    Lost/Total Datagrams");

    public string Interval(string id, string role, Iperf3Interval interval, Iperf3Counts counts, bool isSender)
    {
        string start = Start(id, role, interval.StartSeconds, interval.EndSeconds, counts.Bytes);
        string end = interval.IsOmitted ? "(omitted)" : "";
        return isSender
            ? Text($"{start} {(showsRoles ? NoJitter : "")} {counts.Packets}  {end}")
            : $"{start}  {Loss(counts)}  {end}";
    }

    public string Total(string id, string role, double seconds, Iperf3Counts counts, bool isSender) =>
        $"{Start(id, role, 0, seconds, counts.Bytes)}  {Loss(counts)}  {(isSender ? "sender" : "receiver")}";

    public string OutOfOrder(string id, string role, double seconds, long count) =>
        Text($"{Id(id, role)} {0.0,4:0.0}-{seconds,4:0.0} sec  {count} datagrams received out-of-order");

    private static string Text(FormattableString text) => FormattableString.Invariant(text);

    private static string Loss(Iperf3Counts counts) => Text(
        $"{counts.JitterSeconds * 1000,5:0.000} ms  {counts.Lost}/{counts.Packets} ")
        + $"({IperfFigures.Percent(Statistics.Ratio(100.0 * counts.Lost, counts.Packets))}%)";

    private string Id(string id, string role) => $"[{id,3}]{(showsRoles ? role : "")}";

    private string Start(string id, string role, double start, double end, long bytes) =>
        Text($"{Id(id, role)} {start,6:0.00}-{end,-6:0.00} sec  ")
        + $"{IperfFigures.Amount(bytes)}  "
        + IperfFigures.Rate(Statistics.Ratio(bytes, end - start), format);
}
