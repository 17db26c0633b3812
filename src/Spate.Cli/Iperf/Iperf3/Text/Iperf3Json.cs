using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Iperf.Iperf3.Options;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Cli.Shell;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;

namespace Spate.Cli.Iperf.Iperf3.Text;

/// <summary>The JSON of a test: iperf3's document with our figures in <c>spate</c>, or a line for each event.</summary>
internal sealed class Iperf3Json(Iperf3RunOptions settings, Action<string> write) : IIperfObserver
{
    private const int BitsPerByte = 8;

    // A client of a server may ask for a test without end. What it keeps for the document must have one.
    private const int MaxKeptCharacters = 64 * 1024 * 1024;

    // The results that carry it must stay below 1 MiB.
    private const int MaxOutputCharacters = 768 * 1024;

    private readonly List<Iperf3JsonInterval> _intervals = [];
    private readonly bool _isStream = settings.Output.IsJsonStream;
    private Iperf3Test? _test;
    private Iperf3JsonTest _start = new();
    private Iperf3JsonEnd _end = new();
    private Iperf3Outcome? _outcome;
    private string? _error;
    private long _keptCharacters;
    private bool _isWritten;

    public string? OutputJson
    {
        get
        {
            string document = Document(isIndented: false, _intervals);
            return document.Length <= MaxOutputCharacters ? document : Document(isIndented: false, []);
        }
    }

    private bool KeepsIntervals => !_isStream || settings.Output.HasFullOutput;

    private Iperf3Test Running => _test ?? throw new InvalidOperationException("The test has not begun.");

    public void Tell(IperfEvent news)
    {
        switch (news)
        {
            case Iperf3Test test:
                _test = test;
                _start = StartOf(test);
                if (_isStream) WriteEvent("start", _start, Iperf3JsonContext.Default.Iperf3JsonTest);
                break;
            case IperfInterval interval:
                Keep(interval);
                break;
            case Iperf3Outcome outcome:
                _outcome = outcome;
                _end = EndOf(outcome);
                if (_isStream) WriteEndEvents(outcome);
                WriteDocument();
                break;
            case IperfMessage message when !_isWritten:
                _error = message.Text;
                if (_isStream) WriteEvent("error", message.Text, Iperf3JsonContext.Default.String);
                WriteDocument();
                break;
        }
    }

    private void Keep(IperfInterval interval)
    {
        Iperf3JsonInterval part = IntervalOf(interval);
        string text = JsonSerializer.Serialize(part, Iperf3JsonContext.Default.Iperf3JsonInterval);
        if (_isStream) WriteEvent("interval", text);
        if (!KeepsIntervals || _keptCharacters + text.Length > MaxKeptCharacters) return;

        _keptCharacters += text.Length;
        _intervals.Add(part);
    }

    private void WriteEvent<T>(string name, T data, JsonTypeInfo<T> type) =>
        WriteEvent(name, JsonSerializer.Serialize(data, type));

    private void WriteEvent(string name, string data) => write($$"""{"event":"{{name}}","data":{{data}}}""");

    private void WriteEndEvents(Iperf3Outcome outcome)
    {
        (JsonElement? json, string? text) = ServerOutput(outcome);
        if (json is { } output) WriteEvent("server_output_json", output, Iperf3JsonContext.Default.JsonElement);
        if (text is not null) WriteEvent("server_output_text", text, Iperf3JsonContext.Default.String);

        WriteEvent("end", _end with { Spate = FiguresOf(outcome) }, Iperf3JsonContext.Default.Iperf3JsonEnd);
    }

    private void WriteDocument()
    {
        if (_isWritten) return;

        _isWritten = true;
        if (KeepsIntervals) write(Document(isIndented: true, _intervals));
    }

    private string Document(bool isIndented, IReadOnlyList<Iperf3JsonInterval> intervals)
    {
        (JsonElement? json, string? text) = _outcome is { } outcome ? ServerOutput(outcome) : default;
        var document = new Iperf3JsonReport
        {
            Start = _start,
            Intervals = intervals,
            End = _end,
            ServerOutputJson = json,
            ServerOutputText = text,
            Spate = _outcome is null ? null : FiguresOf(_outcome),
            Title = _test?.Parameters.Title is { Length: > 0 } title ? title : null,
            ExtraData = _test?.Parameters.ExtraData is { Length: > 0 } extra ? extra : null,
            Error = _error,
        };
        using var bytes = new MemoryStream();
        var options = new JsonWriterOptions
        {
            Indented = isIndented,
            IndentCharacter = '\t',
            IndentSize = 1,
            NewLine = "\n",
        };
        using (var writer = new Utf8JsonWriter(bytes, options))
        {
            JsonSerializer.Serialize(writer, document, Iperf3JsonContext.Default.Iperf3JsonReport);
        }

        return Encoding.UTF8.GetString(bytes.GetBuffer(), 0, (int)bytes.Length);
    }

    private static JsonElement FiguresOf(Iperf3Outcome outcome) => JsonSerializer.SerializeToElement(
        new Iperf3Figures(
            Report.CurrentSchema,
            ToolVersion.Text,
            outcome.Directions,
            outcome.Notes,
            outcome.Local,
            outcome.Remote),
        Iperf3FigureContext.Default.Iperf3Figures);

    // A stranger wrote it: where it is no JSON, it is shown as text.
    private static (JsonElement? Json, string? Text) ServerOutput(Iperf3Outcome outcome)
    {
        if (outcome.ServerJson is { } json)
        {
            try
            {
                var element = JsonElement.Parse(json);
                _ = JsonSerializer.Serialize(element, Iperf3JsonContext.Default.JsonElement);
                return (element, null);
            }
            catch (Exception fault) when (fault is JsonException or InvalidOperationException or ArgumentException)
            {
                // Not JSON, or with text that is not Unicode, which shows only where it is written.
            }
        }

        return (null, outcome.ServerText ?? outcome.ServerJson);
    }

    private Iperf3JsonTest StartOf(Iperf3Test test)
    {
        Iperf3Parameters parameters = test.Parameters;
        TimeSpan interval = settings.Client?.Interval ?? settings.Server?.Interval ?? TimeSpan.Zero;
        string host = test.IsClient ? settings.Host : test.Remote.Address.ToString();
        var peer = new Iperf3JsonPeer(host, test.Remote.Port);
        return new Iperf3JsonTest
        {
            Connected = [.. test.Streams.Select(static stream => new Iperf3JsonConnection(
                Iperf3Sum.SocketOf(stream.Number),
                stream.Local.Address.ToString(),
                stream.Local.Port,
                stream.Remote.Address.ToString(),
                stream.Remote.Port))],
            Timestamp = new Iperf3JsonTime(
                test.StartedAt.UtcDateTime.ToString("R", CultureInfo.InvariantCulture),
                test.StartedAt.ToUnixTimeSeconds()),
            ConnectingTo = test.IsClient ? peer : null,
            AcceptedConnection = test.IsClient ? null : peer,
            Cookie = test.Cookie,
            TargetBitrate = parameters.BitsPerSecond,
            FqRate = parameters.FqBitsPerSecond,
            SockBufsize = parameters.WindowBytes,
            SndbufActual = test.SendBufferBytes,
            RcvbufActual = test.ReceiveBufferBytes,
            TestStart = new Iperf3JsonPlan(
                Protocol: "UDP",
                NumStreams: parameters.StreamCount,
                Blksize: parameters.LengthBytes,
                Omit: parameters.OmitSeconds,
                Duration: parameters.Seconds,
                Bytes: parameters.Bytes,
                Blocks: parameters.Blocks,
                Reverse: parameters.Reverse ? 1 : 0,
                Tos: parameters.TrafficClass,
                TargetBitrate: parameters.BitsPerSecond,
                Bidir: parameters.Bidirectional ? 1 : 0,
                Fqrate: parameters.FqBitsPerSecond,
                Interval: interval.TotalSeconds,
                Gso: parameters.Gsro ? 1 : 0,
                Gro: parameters.Gsro ? 1 : 0),
        };
    }

    private static Iperf3JsonInterval IntervalOf(IperfInterval interval)
    {
        Iperf3JsonRow[] sums =
        [
            .. interval.Rows.GroupBy(static row => row.Sends).Select(rows => RowOf(interval, Iperf3Sum.Of([.. rows]))),
        ];
        return new Iperf3JsonInterval
        {
            Streams = [.. interval.Rows.Select(row => RowOf(interval, row))],
            Sum = sums[0],
            SumBidirReverse = sums.ElementAtOrDefault(1),
        };
    }

    private Iperf3JsonEnd EndOf(Iperf3Outcome outcome)
    {
        // A test of one direction has one sum. In both directions the second one's rows have a suffix.
        Iperf3StreamOutcome[] sums = [.. Iperf3Sum.Directions(Running, outcome).Select(Iperf3Sum.Of)];
        bool sends = Running.Streams[0].Sends;
        Iperf3StreamOutcome? back = sums.ElementAtOrDefault(1);
        return new Iperf3JsonEnd
        {
            Streams = [.. Running.Streams.Zip(outcome.Streams, static (stream, counts) => new Iperf3JsonEndStream(
                EndRow(counts.SentSeconds, counts, stream.Sends) with
                {
                    Socket = Iperf3Sum.SocketOf(stream.Number),
                    OutOfOrder = counts.Received.OutOfOrder,
                }))],
            Sum = EndRow(sums[0].ReceivedSeconds, sums[0], sends),
            SumSent = SentRow(sums[0]),
            SumReceived = ReceivedRow(sums[0]),
            SumBidirReverse = back is null ? null : EndRow(back.ReceivedSeconds, back, !sends),
            SumSentBidirReverse = back is null ? null : SentRow(back),
            SumReceivedBidirReverse = back is null ? null : ReceivedRow(back),
            CpuUtilizationPercent = new Iperf3JsonCpu(
                outcome.LocalCpu.TotalPercent,
                outcome.LocalCpu.UserPercent,
                outcome.LocalCpu.SystemPercent,
                outcome.RemoteCpu.TotalPercent,
                outcome.RemoteCpu.UserPercent,
                outcome.RemoteCpu.SystemPercent),
        };
    }

    private static Iperf3JsonRow RowOf(IperfInterval interval, IperfRow row) =>
        Row(interval.StartSeconds, interval.EndSeconds, row.Counts, row.Sends, hasLoss: !row.Sends) with
        {
            Socket = row.Number is { } number ? Iperf3Sum.SocketOf(number) : null,
            Omitted = interval.IsOmitted,
        };

    // iperf3 mixes both ends here: bytes and rate of the sender, loss and jitter of the receiver.
    private static Iperf3JsonRow EndRow(double seconds, Iperf3StreamOutcome outcome, bool sends) =>
        Row(0, seconds, outcome.Received with { Bytes = outcome.Sent.Bytes }, sends) with
        {
            BitsPerSecond = Rate(outcome.Sent.Bytes, outcome.SentSeconds),
        };

    private static Iperf3JsonRow SentRow(Iperf3StreamOutcome sum) =>
        Row(0, sum.SentSeconds, new IperfCounts { Bytes = sum.Sent.Bytes, Total = sum.Sent.Total }, isSender: true);

    private static Iperf3JsonRow ReceivedRow(Iperf3StreamOutcome sum) =>
        Row(0, sum.ReceivedSeconds, sum.Received, isSender: false);

    private static Iperf3JsonRow Row(
        double start, double end, in IperfCounts counts, bool isSender, bool hasLoss = true) => new(
            Socket: null,
            Start: start,
            End: end,
            Seconds: end - start,
            Bytes: counts.Bytes,
            BitsPerSecond: Rate(counts.Bytes, end - start),
            JitterMs: hasLoss ? counts.JitterSeconds * 1000 : null,
            LostPackets: hasLoss ? counts.Lost : null,
            Packets: counts.Total,
            LostPercent: hasLoss ? 100 * Statistics.Ratio(counts.Lost, counts.Total) : null,
            Omitted: null,
            OutOfOrder: null,
            Sender: isSender);

    private static double Rate(long bytes, double seconds) => Statistics.Ratio((double)bytes * BitsPerByte, seconds);
}
