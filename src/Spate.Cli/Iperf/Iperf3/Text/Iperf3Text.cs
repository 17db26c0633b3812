using System.Globalization;
using Spate.Cli.Iperf.Iperf3.Options;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Cli.Shell;

namespace Spate.Cli.Iperf.Iperf3.Text;

/// <summary>The text of a test, in both roles: as iperf3 3.12 writes it, and then what iperf3 does not know.</summary>
internal sealed class Iperf3Text(Iperf3Lines lines, Iperf3OutputOptions options, string host) : IIperf3Observer
{
    private Iperf3Test? _test;
    private Iperf3Rows _rows = new('a', showsRoles: false);
    private bool _hasHeader;

    public string? OutputText => lines.Kept;

    public string? OutputJson => null;

    private Iperf3Test Running => _test ?? throw new InvalidOperationException("The test has not begun.");

    private bool HasSums => Running.Parameters.StreamCount > 1;

    public void Start(Iperf3Test test)
    {
        _test = test;
        _rows = new Iperf3Rows(options.Format, test.Parameters.Bidirectional);
        if (options.IsVerbose) WriteTime(test);

        Iperf3Parameters parameters = test.Parameters;
        lines.Add(test.IsClient
            ? Text($"Connecting to host {host}, port {test.Remote.Port}")
            : Text($"Accepted connection from {test.Remote.Address}, port {test.Remote.Port}"));
        if (test.IsClient && parameters.Reverse) lines.Add($"Reverse mode, remote host {host} is sending");

        if (options.IsVerbose)
        {
            lines.Add($"      Cookie: {test.Cookie}");
            if (parameters.BitsPerSecond > 0) lines.Add(Text($"      Target Bitrate: {parameters.BitsPerSecond}"));
        }

        foreach (Iperf3Stream stream in test.Streams)
        {
            lines.Add(Text($"[{Iperf3SocketNumber.Of(stream),3}] local {Ends(stream)}"));
        }

        if (options.IsVerbose) lines.Add(Plan(parameters));
    }

    public void Report(Iperf3Interval interval)
    {
        if (!_hasHeader) lines.Add(_rows.Header(Running.Streams[0].Sends));
        else if (HasSums) lines.Add(Iperf3Rows.Separator);

        _hasHeader = true;
        foreach (bool sends in Groups())
        {
            int[] places = Iperf3Sum.Places(Running, sends);
            foreach (int place in places)
            {
                lines.Add(_rows.Interval(Id(place), RoleOf(sends), interval, interval.Streams[place], sends));
            }

            if (HasSums)
            {
                lines.Add(_rows.Interval("SUM", RoleOf(sends), interval, Iperf3Sum.Of(interval, places), sends));
            }
        }
    }

    public void Finish(Iperf3Outcome outcome)
    {
        lines.Add(Iperf3Rows.Separator);
        if (options.IsVerbose) lines.Add("Test Complete. Summary Results:");

        lines.Add(_rows.Header(isSender: false));
        foreach (bool sends in Groups())
        {
            int[] places = Iperf3Sum.Places(Running, sends);
            foreach (int place in places) WriteTotal(Id(place), RoleOf(sends), outcome.Streams[place], sends);

            if (HasSums) WriteTotal("SUM", RoleOf(sends), Iperf3Sum.Of(outcome, places), sends);

            if (options.IsVerbose) lines.Add(Cpu(outcome, sends));
        }

        WriteServerOutput(outcome);
        foreach (string line in Iperf3Account.Lines(outcome)) lines.Add(line);

        if (!Running.IsClient) return;

        lines.Add("");
        lines.Add("iperf Done.");
    }

    public void Fail(string message)
    {
        // The command says what went wrong on stderr, in either role.
    }

    private static string Text(FormattableString text) => FormattableString.Invariant(text);

    private static string Ends(Iperf3Stream stream) =>
        Text($"{stream.Local.Address} port {stream.Local.Port} connected to ")
        + Text($"{stream.Remote.Address} port {stream.Remote.Port}");

    private static string Plan(Iperf3Parameters test)
    {
        string end = test.Blocks > 0 ? Text($"{test.Blocks} blocks to send")
            : test.Bytes > 0 ? Text($"{test.Bytes} bytes to send")
            : Text($"{test.Seconds} second test");
        return Text($"Starting Test: protocol: UDP, {test.StreamCount} streams, {test.LengthBytes} byte blocks, ")
            + Text($"omitting {test.OmitSeconds} seconds, {end}, tos {test.TrafficClass}");
    }

    private static string Cpu(Iperf3Outcome outcome, bool sends)
    {
        (string local, string remote) = sends ? ("sender", "receiver") : ("receiver", "sender");
        return $"CPU Utilization: local/{local} {Cpu(outcome.LocalCpu)}, remote/{remote} {Cpu(outcome.RemoteCpu)}";
    }

    private static string Cpu(Iperf3Cpu cpu) =>
        Text($"{cpu.TotalPercent:0.0}% ({cpu.UserPercent:0.0}%u/{cpu.SystemPercent:0.0}%s)");

    // The streams of the first direction were made first. A test of one direction has one group.
    private IEnumerable<bool> Groups() => Running.Streams.Select(static stream => stream.Sends).Distinct();

    private string Id(int place) =>
        Iperf3SocketNumber.Of(Running.Streams[place]).ToString(CultureInfo.InvariantCulture);

    private string RoleOf(bool sends) => $"[{(sends ? "TX" : "RX")}-{(Running.IsClient ? "C" : "S")}]";

    private void WriteTime(Iperf3Test test)
    {
        if (test.IsClient)
        {
            lines.Add(ToolVersion.Line);
            lines.Add(SystemText.Line);
            if (test.MaxSegmentBytes > 0) lines.Add(Text($"Control connection MSS {test.MaxSegmentBytes}"));

            if (test.MaxSegmentBytes == test.Parameters.LengthBytes)
            {
                lines.Add(Text($"Setting UDP block size to {test.Parameters.LengthBytes}"));
            }
        }

        lines.Add(Text($"Time: {test.StartedAt.UtcDateTime:R}"));
    }

    // Each end shows what it has counted itself. A client shows both, as the results of the server came to it.
    private void WriteTotal(string id, string role, Iperf3StreamOutcome stream, bool sends)
    {
        bool isClient = Running.IsClient;
        if (isClient || sends)
        {
            var sent = new Iperf3Counts { Bytes = stream.Sent.Bytes, Packets = stream.Sent.Packets };
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
