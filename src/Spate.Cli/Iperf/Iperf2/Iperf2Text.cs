using Spate.Cli.Iperf.Iperf2.Ends;
using Spate.Cli.Iperf.Iperf2.Results;
using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.Measurement.Counting;
using Spate.Measurement.Reports;

namespace Spate.Cli.Iperf.Iperf2;

/// <summary>Shows flows as iperf 2.1.8 does, and behind them the exact figures.</summary>
internal sealed class Iperf2Text(Action<string> write, char format) : IIperfObserver
{
    private const string Rule = "------------------------------------------------------------";
    private const string SentHeader = "[ ID] Interval       Transfer     Bandwidth";
    private const string ReceivedHeader = SentHeader + "        Jitter   Lost/Total Datagrams";

    private string _header = "";

    public void Describe(Iperf2Server server)
    {
        write(Rule);
        write($"Server listening on UDP port {server.LocalEndPoint.Port}");
        write(BufferLine(server.Socket.ReceiveBufferBytes));
        write(Rule);
    }

    public void Describe(Iperf2Client client, Iperf2ClientOptions options)
    {
        string pace = double.IsInfinity(options.Rate)
            ? "as fast as possible"
            : $"IPG target: {1e6 / options.Rate:0.00} us";
        write(Rule);
        if (client.ListeningAt is { } back) write($"Listening on UDP port {back.Port} for the server's datagrams");

        write($"Client connecting to {options.Server.Address}, UDP port {options.Server.Port}");
        write($"Sending {options.Size} byte datagrams, {pace}");
        write(BufferLine(client.FirstSocket.SendBufferBytes));
        write(Rule);
    }

    public void Tell(IperfEvent news)
    {
        switch (news)
        {
            case IperfTest start:
                foreach (IperfStream stream in start.Streams) write(Connection(stream));
                break;
            case IperfInterval interval:
                foreach (IperfRow row in interval.Rows) WriteRow(interval, row);
                break;
            case Iperf2Received received:
                string id = Id(received.Stream.Number);
                Head(ReceivedHeader);
                WriteCounts(id, received.Seconds, received.Counts);
                WriteExact(id, received);
                break;
            case Iperf2SendReport sent:
                WriteSent(sent.Flows);
                break;
            case IperfMessage message:
                write("spate: " + PrintableText.ForTerminal(message.Text, maxLength: 1000));
                break;
        }
    }

    private static string Connection(IperfStream stream) =>
        $"{Id(stream.Number)} local {stream.Local.Address} port {stream.Local.Port} connected with "
        + $"{stream.Remote.Address} port {stream.Remote.Port}{(stream.IsReverse ? " (reverse)" : "")}";

    private void WriteRow(IperfInterval interval, IperfRow row)
    {
        Head(row.Sends ? SentHeader : ReceivedHeader);
        string line = Line(Id(row.Number), interval.StartSeconds, interval.EndSeconds, row.Counts.Bytes);
        write(row.Sends ? line : line + Received(row.Counts));
    }

    private void WriteSent(IReadOnlyList<Iperf2Sent> flows)
    {
        if (!ReferenceEquals(_header, SentHeader)) write(_header = SentHeader);
        foreach (Iperf2Sent sent in flows)
        {
            write(Line(Id(sent.Stream.Number), 0, sent.Seconds, sent.Bytes));
            write($"{Id(sent.Stream.Number)} Sent {sent.Datagrams} datagrams");
        }

        if (flows.Count > 1)
        {
            write(Line(Id(null), 0, flows.Max(static sent => sent.Seconds), flows.Sum(static sent => sent.Bytes)));
            write($"{Id(null)} Sent {flows.Sum(static sent => sent.Datagrams)} datagrams");
        }

        foreach (Iperf2Sent sent in flows) WriteAnswer(sent, flows.Count);
    }

    // The longer header names all columns of the shorter one.
    private void Head(string header)
    {
        if (_header.Length < header.Length) write(_header = header);
    }

    private void WriteAnswer(Iperf2Sent sent, int flowCount)
    {
        string id = Id(sent.Stream.Number);
        string other = sent.Stream.IsReverse ? "client" : "server";
        if (sent.Report is { } report)
        {
            write($"{id} Server Report:");
            write(_header = ReceivedHeader);
            WriteCounts(id, report.Seconds, report.Counts);
        }

        string refused = sent.Refused > 0 ? $", {sent.Refused} more were refused by the system" : "";
        string said = sent switch
        {
            { Report: null, IsPortClosed: true } => "no report: no program listens on that port"
                + (sent.Stream.IsReverse ? "" : " (start it there: spate iperf2 -s -u)"),
            { Report: null } => $"no report: the end was sent {sent.EndTries} times, and the {other} did not answer",
            { Arrived: { } arrived } when arrived == sent.Datagrams => $"the {other} received as many",
            { Arrived: { } arrived } when arrived < sent.Datagrams =>
                $"the {other} received {arrived}, copies included: {sent.Datagrams - arrived} fewer",
            { Arrived: { } arrived } =>
                $"the {other} received {arrived}, {(flowCount > 1 ? "copies or another flow's" : "copies")} included",
            _ => $"the {other}'s bytes are not a multiple of the size",
        };
        write($"{id} Spate: {sent.Datagrams} datagrams sent{refused}; {said}");
    }

    private void WriteCounts(string id, double seconds, IperfCounts counts)
    {
        write(Line(id, 0, seconds, counts.Bytes) + Received(counts));
        if (counts.OutOfOrder > 0)
        {
            write($"{id} 0.0000-{seconds:0.0000} sec  {counts.OutOfOrder} datagrams received out-of-order");
        }
    }

    private void WriteExact(string id, Iperf2Received received)
    {
        SequenceCounts exact = received.Exact;
        string head = received.LostBeforeFirst > 0 ? $" ({received.LostBeforeFirst} before the first arrival)" : "";
        string late = exact.Late > 0 ? $", {exact.Late} outside the tracking window" : "";
        write($"{id} Spate: {exact.Unique} of {exact.Unique + received.Lost} datagrams arrived, "
            + $"{received.Lost} lost{head}, {exact.Duplicated} duplicated, {exact.Reordered} reordered{late}");
        if (received is { Lost: > 0, SocketDrops: > 0 and var drops })
        {
            write($"{id} Spate: receive buffer full: {drops} drops meanwhile, all flows together: see spate doctor");
        }

        string? end = received.End switch
        {
            Iperf2End.Silent => "no end arrived: the flow ended after 10 s of silence, and loss after the last "
                + "datagram is unknown",
            Iperf2End.Replaced => "no end arrived: another flow took the place of this silent one",
            Iperf2End.Stopped => "no end arrived before the server was stopped",
            _ when !received.IsAnswered => "the datagram that ended it is too short for an answer: at least 56 bytes",
            _ => null,
        };
        if (end is not null) write($"{id} Spate: {end}");
    }

    private string Line(string id, double start, double end, long bytes) =>
        $"{id} {start:0.0000}-{end:0.0000} sec  {IperfFigures.Transfer(bytes, end - start, format)}";

    private static string Received(IperfCounts counts) =>
        $"  {counts.JitterSeconds * 1e3,6:0.000} ms {IperfFigures.Loss(counts.Lost, counts.Total)}";

    private static string BufferLine(int bytes) => "UDP buffer size: " + IperfFigures.Amount(bytes).TrimEnd('s');

    private static string Id(int? number) => number is { } one ? $"[{one,3}]" : "[SUM]";
}
