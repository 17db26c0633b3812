using Spate.Cli.Iperf.Iperf3.Options;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Text;

/// <summary>The text of a test, in both roles: as iperf3 3.12 writes it, and then what iperf3 does not know.</summary>
internal sealed class Iperf3Text(Iperf3Lines lines, Iperf3OutputOptions options, string host) : IIperfObserver
{
    private Iperf3Test? _test;
    private Iperf3Rows _rows = new('a', showsRoles: false);
    private bool _hasHeader;

    public string? OutputText => lines.Kept;

    private Iperf3Test Running => _test ?? throw new InvalidOperationException("The test has not begun.");

    private bool HasSums => Running.Parameters.StreamCount > 1;

    // A notice is not written here: the command writes it on stderr, in either role.
    public void Tell(IperfEvent news)
    {
        if (news is Iperf3Test test) Start(test);
        else if (news is IperfInterval interval) Report(interval);
        else if (news is Iperf3Outcome outcome) Finish(outcome);
    }

    private void Start(Iperf3Test test)
    {
        _test = test;
        _rows = new Iperf3Rows(options.Format, test.Parameters.Bidirectional);
        if (options.IsVerbose) WriteTime(test);

        Iperf3Parameters parameters = test.Parameters;
        lines.Add(test.IsClient
            ? $"Connecting to host {host}, port {test.Remote.Port}"
            : $"Accepted connection from {test.Remote.Address}, port {test.Remote.Port}");
        if (test.IsClient && parameters.Reverse) lines.Add($"Reverse mode, remote host {host} is sending");

        if (options.IsVerbose)
        {
            lines.Add($"      Cookie: {test.Cookie}");
            if (parameters.BitsPerSecond > 0) lines.Add($"      Target Bitrate: {parameters.BitsPerSecond}");
        }

        foreach (IperfStream stream in test.Streams)
        {
            lines.Add($"[{Id(stream.Number),3}] local {Ends(stream)}");
        }

        if (options.IsVerbose) lines.Add(Plan(parameters));
    }

    private void Report(IperfInterval interval)
    {
        if (!_hasHeader) lines.Add(_rows.Header(Running.Streams[0].Sends));
        else if (HasSums) lines.Add(Iperf3Rows.Separator);

        _hasHeader = true;
        foreach (IEnumerable<IperfRow> group in interval.Rows.GroupBy(static row => row.Sends))
        {
            IperfRow[] rows = [.. group];
            if (HasSums) rows = [.. rows, Iperf3Sum.Of(rows)];
            foreach (IperfRow row in rows) lines.Add(_rows.Interval(interval, row, Id(row.Number), RoleOf(row.Sends)));
        }
    }

    private void Finish(Iperf3Outcome outcome)
    {
        lines.Add(Iperf3Rows.Separator);
        if (options.IsVerbose) lines.Add("Test Complete. Summary Results:");

        lines.Add(_rows.Header(isSender: false));
        foreach (IGrouping<bool, (IperfStream Stream, Iperf3StreamOutcome Outcome)> group in
            Iperf3Sum.Directions(Running, outcome))
        {
            foreach ((IperfStream stream, Iperf3StreamOutcome counts) in group)
            {
                WriteTotal(Id(stream.Number), counts, stream.Sends);
            }

            if (HasSums) WriteTotal(Id(null), Iperf3Sum.Of(group), group.Key);

            if (options.IsVerbose) lines.Add(Cpu(outcome, group.Key));
        }

        WriteServerOutput(outcome);
        foreach (string line in Iperf3Account.Lines(outcome)) lines.Add(line);

        if (!Running.IsClient) return;

        lines.Add("");
        lines.Add("iperf Done.");
    }

    private static string Ends(IperfStream stream) =>
        $"{stream.Local.Address} port {stream.Local.Port} connected to "
        + $"{stream.Remote.Address} port {stream.Remote.Port}";

    private static string Plan(Iperf3Parameters test)
    {
        string end = test.Blocks > 0 ? $"{test.Blocks} blocks to send"
            : test.Bytes > 0 ? $"{test.Bytes} bytes to send"
            : $"{test.Seconds} second test";
        return $"Starting Test: protocol: UDP, {test.StreamCount} streams, {test.LengthBytes} byte blocks, "
            + $"omitting {test.OmitSeconds} seconds, {end}, tos {test.TrafficClass}";
    }

    private static string Cpu(Iperf3Outcome outcome, bool sends)
    {
        (string local, string remote) = sends ? ("sender", "receiver") : ("receiver", "sender");
        return $"CPU Utilization: local/{local} {Cpu(outcome.LocalCpu)}, remote/{remote} {Cpu(outcome.RemoteCpu)}";
    }

    private static string Cpu(Iperf3Cpu cpu) =>
        $"{cpu.TotalPercent:0.0}% ({cpu.UserPercent:0.0}%u/{cpu.SystemPercent:0.0}%s)";

    private static string Id(int? number) => number is { } one ? $"{Iperf3Sum.SocketOf(one)}" : "SUM";

    private string RoleOf(bool sends) => $"[{(sends ? "TX" : "RX")}-{(Running.IsClient ? "C" : "S")}]";

    private void WriteTime(Iperf3Test test)
    {
        if (test.IsClient)
        {
            lines.Add(ToolVersion.Line);
            lines.Add(SystemText.Line);
            if (test.MaxSegmentBytes > 0) lines.Add($"Control connection MSS {test.MaxSegmentBytes}");

            if (test.MaxSegmentBytes == test.Parameters.LengthBytes)
            {
                lines.Add($"Setting UDP block size to {test.Parameters.LengthBytes}");
            }
        }

        lines.Add($"Time: {test.StartedAt.UtcDateTime:R}");
    }

    // Each end shows what it has counted itself. A client shows both, as the results of the server came to it.
    private void WriteTotal(string id, Iperf3StreamOutcome stream, bool sends)
    {
        bool isClient = Running.IsClient;
        string role = RoleOf(sends);
        if (isClient || sends)
        {
            var sent = new IperfCounts { Bytes = stream.Sent.Bytes, Total = stream.Sent.Total };
            lines.Add(_rows.Total(id, role, stream.SentSeconds, sent, isSender: true));
        }

        if (!sends && stream.Received.OutOfOrder > 0)
        {
            lines.Add(_rows.OutOfOrder(id, role, stream.ReceivedSeconds, stream.Received.OutOfOrder));
        }

        if (isClient || !sends)
        {
            lines.Add(_rows.Total(id, role, stream.ReceivedSeconds, stream.Received, isSender: false));
        }
    }

    private void WriteServerOutput(Iperf3Outcome outcome)
    {
        if ((outcome.ServerText ?? outcome.ServerJson) is not { } output) return;

        lines.Add("");
        lines.Add(outcome.ServerText is null ? "Server JSON output:" : "Server output:");

        // iperf3 indents its JSON by tabs, which would be escaped as the control characters that they are.
        string plain = output.ReplaceLineEndings("\n").Replace("\t", "    ", StringComparison.Ordinal);
        foreach (string line in plain.TrimEnd('\n').Split('\n')) lines.Add(line);
    }
}

/// <summary>The lines of iperf3's tables.</summary>
internal sealed class Iperf3Rows(char format, bool showsRoles)
{
    public const string Separator = "- - - - - - - - - - - - - - - - - - - - - - - - -";

    // The columns of the jitter, which a sender leaves empty, stand between those of both directions.
    private const string NoJitter = "          ";

    public string Header(bool isSender) => (showsRoles ? "[ ID][Role]" : "[ ID]")
        + " Interval           Transfer     Bitrate         "
        + (isSender && !showsRoles ? "Total Datagrams" : "Jitter    Lost/Total Datagrams");

    public string Interval(IperfInterval interval, IperfRow row, string id, string role)
    {
        string start = Start(id, role, interval.StartSeconds, interval.EndSeconds, row.Counts.Bytes);
        string end = interval.IsOmitted ? "(omitted)" : "";
        return row.Sends
            ? $"{start} {(showsRoles ? NoJitter : "")} {row.Counts.Total}  {end}"
            : $"{start}  {Loss(row.Counts)}  {end}";
    }

    public string Total(string id, string role, double seconds, IperfCounts counts, bool isSender) =>
        $"{Start(id, role, 0, seconds, counts.Bytes)}  {Loss(counts)}  {(isSender ? "sender" : "receiver")}";

    public string OutOfOrder(string id, string role, double seconds, long count) =>
        $"{Id(id, role)} {0.0,4:0.0}-{seconds,4:0.0} sec  {count} datagrams received out-of-order";

    private static string Loss(IperfCounts counts) =>
        $"{counts.JitterSeconds * 1000,5:0.000} ms  {IperfFigures.Loss(counts.Lost, counts.Total)}";

    private string Id(string id, string role) => $"[{id,3}]{(showsRoles ? role : "")}";

    private string Start(string id, string role, double start, double end, long bytes) =>
        $"{Id(id, role)} {start,6:0.00}-{end,-6:0.00} sec  "
        + IperfFigures.Transfer(bytes, end - start, format);
}

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
            : $"{way}, derived from the byte counts of the other end:";
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

        yield return $"  iperf3 counts {direction.ReferenceLost}/{direction.ReferencePackets} lost "
            + $"({IperfFigures.LossPercent(direction.ReferenceLost, direction.ReferencePackets)}%), "
            + $"{Units.Count(direction.ReferenceOutOfOrder)} out of order"
            + AfterEnd(direction);
    }

    private static string AfterEnd(Iperf3Direction direction) => direction.AfterEnd is > 0 and var count
        ? $"; {Units.Count(count)} after the last one that it counts (after the end of the test"
            + (direction is { IsExact: true, Account.Lost: 0 } ? ") " : ", or lost at the tail) ")
            + $"{(count == 1 ? "is" : "are")} in no figure of iperf3"
        : "";
}

/// <summary>The streams of one direction, their sums, and the number that each has in the output.</summary>
internal static class Iperf3Sum
{
    /// <summary>5, 7, 8 and so on: iperf3 names a stream by its socket's descriptor, and these are common.</summary>
    public static int SocketOf(int number) => number + 4;

    public static IperfRow Of(IReadOnlyList<IperfRow> rows) =>
        new(Number: null, rows[0].Sends, Of([.. rows.Select(static row => row.Counts)]));

    /// <summary>The outcomes by direction: the streams of the first one were made first.</summary>
    public static IEnumerable<IGrouping<bool, (IperfStream Stream, Iperf3StreamOutcome Outcome)>> Directions(
        Iperf3Test test, Iperf3Outcome outcome) =>
        test.Streams.Zip(outcome.Streams).GroupBy(static one => one.First.Sends);

    /// <summary>The times are those of the first stream.</summary>
    public static Iperf3StreamOutcome Of(IEnumerable<(IperfStream Stream, Iperf3StreamOutcome Outcome)> direction)
    {
        Iperf3StreamOutcome[] streams = [.. direction.Select(static one => one.Outcome)];
        return streams[0] with
        {
            Sent = Of([.. streams.Select(static one => one.Sent)]),
            Received = Of([.. streams.Select(static one => one.Received)]),
        };
    }

    // The jitter is the mean, as iperf3 has it.
    private static IperfCounts Of(IReadOnlyList<IperfCounts> counts) => new(
        counts.Sum(static one => one.Bytes),
        counts.Sum(static one => one.Lost),
        counts.Sum(static one => one.Total),
        counts.Sum(static one => one.OutOfOrder),
        counts.Average(static one => one.JitterSeconds));
}

/// <summary>Makes the observer that writes what the settings ask for.</summary>
internal static class Iperf3Observers
{
    /// <param name="prefix">What each line of text begins with, to tell tests apart; empty for nothing.</param>
    public static IIperfObserver Create(
        Iperf3RunOptions settings, Action<string> write, TimeProvider time, string prefix = "")
    {
        Iperf3OutputOptions options = settings.Output;
        if (options.IsJson || options.IsJsonStream) return new Iperf3Json(settings, write);

        return new Iperf3Text(new Iperf3Lines(write, options, time, prefix), options, settings.Host);
    }
}
