using System.Buffers;
using System.CommandLine;
using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Unicode;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Gateway;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Gateway;

/// <summary><c>spate gateway read</c>: reads what gateways have committed, and says what is missing.</summary>
internal static class GatewayReadCommand
{
    public static Command Create(Streams streams)
    {
        var command = new Command("read", "Read datagrams back from a stream, and report missing ones with reasons.");
        var options = new GatewayReadOptionSet();
        options.AddTo(command);
        command.SetAction(parsed => Run(options.Read(parsed), streams));
        ExampleHelp.AddTo(
            command,
            "spate gateway read --from amqp://localhost --stream logs --verify",
            "spate gateway read --from amqp://localhost --stream logs --follow --ndjson | jq .text",
            "spate gateway read --from amqps://mq1,mq2/site --ca ca.pem --stream logs --partitions 4 --json loss.json");
        return command;
    }

    private static int Run(GatewayReadOptions settings, Streams streams)
    {
        using var output = ReportOutput.Open(settings.Report, streams);
        using var stop = new StopSignal(streams);
        var records = new RecordLines(streams.Output, settings.Reader.Follow);
        GatewayReaderOptions options = settings.Reader with { OnNotice = streams.Notice };
        GatewayRecordCallback? visit = null;
        if (settings.WritesRecords) visit = records.Write;
        GatewayFindings findings;
        try
        {
            findings = Read(options, visit, stop.Token);
        }
        finally
        {
            // What was read before a fault is the user's too.
            records.Flush();
        }

        // With the datagrams on stdout, the summary is for stderr.
        bool isBeside = settings.WritesRecords || output.TakesStandardOutput;
        GatewayReadText.Write(findings, isBeside ? streams.ErrorPage : streams.OutputPage);
        int exitCode = findings.IsInterrupted ? ExitCode.CouldNotRun
            : settings.Verifies && !findings.IsComplete ? ExitCode.CheckFailed
            : ExitCode.Done;
        return output.Finish(GatewayReadReport.Of(findings, options.Target, options.StreamName), exitCode);
    }

    private static GatewayFindings Read(
        GatewayReaderOptions options, GatewayRecordCallback? visit, CancellationToken stop)
    {
        try
        {
            return GatewayReader.ReadAsync(options, visit, stop).GetAwaiter().GetResult();
        }
        catch (ArgumentException fault)
        {
            throw GatewayCommand.WrongUse(fault);
        }
    }
}

/// <summary>The options of <c>spate gateway read</c>.</summary>
internal sealed class GatewayReadOptionSet
{
    private const int MaxPartitionCount = 64;

    private readonly TargetOptionSet _target = new("--from", takesNull: false);

    private readonly Option<string?> _stream = OptionText.Create("--stream", "NAME", "The stream to read. Required.");

    private readonly Option<string?> _partitions = OptionText.Create(
        "--partitions", "N", "The gateway's --partitions: streams NAME-0, NAME-1... Default: 1, NAME itself.");

    private readonly Option<string?> _offset = OptionText.Create(
        "--offset", "WHERE", "Start: first, next (messages published from now on) or a stream offset. "
            + "Default: first.");

    private readonly Option<bool> _follow = OptionText.CreateFlag(
        "--follow", "Keep reading at the end of the stream, until Ctrl-C.");

    private readonly Option<bool> _ndjson = OptionText.CreateFlag(
        "--ndjson", "Write each datagram to stdout as a line of JSON. Copies are left out.");

    private readonly Option<bool> _verify = OptionText.CreateFlag(
        "--verify", "Exit with code 1 if datagrams are missing without a stated reason or messages cannot be read. "
            + "Unexplained datagrams of a run without an end are only reported.");

    private readonly ReportOptionSet _report = new(static () => GatewayJson.Default.GatewayReadReport);

    public void AddTo(Command command)
    {
        _target.AddTo(command);
        Option[] options = [_stream, _partitions, _offset, _follow, _ndjson, _verify];
        foreach (Option option in options) command.Add(option);
        _report.AddTo(command);
    }

    public GatewayReadOptions Read(ParseResult parsed)
    {
        BrokerChoice broker = _target.Read(parsed);
        ReportOptions report = _report.Read(parsed);
        bool writesRecords = parsed.GetValue(_ndjson);
        if (writesRecords && report.JsonPath is "-")
        {
            throw CommandException.WrongUse("--ndjson and --json - both write to stdout: name a file for --json");
        }

        GatewayOffset offset = ReadOffset(parsed);
        bool follows = parsed.GetValue(_follow);
        if (offset.IsNext && !follows)
        {
            throw CommandException.WrongUse(
                "--offset next reads nothing without --follow: add --follow, or use another --offset");
        }

        return new GatewayReadOptions(
            new GatewayReaderOptions
            {
                Target = broker.Target,
                Credentials = broker.Credentials!,
                CertificateAuthorityFile = broker.AuthorityFile,
                StreamName = parsed.GetValue(_stream) is { Length: > 0 } name
                    ? name
                    : throw CommandException.WrongUse("--stream is missing: expected --stream NAME (queues cannot be "
                        + "read without consuming their messages)"),
                PartitionCount = (int)(UnitText.ReadCount(parsed, _partitions, 1, MaxPartitionCount) ?? 1),
                Offset = offset,
                Follow = follows,
            },
            writesRecords,
            parsed.GetValue(_verify),
            report);
    }

    private GatewayOffset ReadOffset(ParseResult parsed) => parsed.GetValue(_offset) switch
    {
        null or "first" => GatewayOffset.First,
        "next" => GatewayOffset.Next,
        { } text when UnitText.TryParse(text, UnitSuffix.CountThousand, out long number) =>
            GatewayOffset.At(number),
        { } text => throw OptionText.Wrong(_offset, text, "first, next or a number"),
    };
}

/// <summary>The request to <c>spate gateway read</c>, checked.</summary>
/// <param name="Verifies">Whether a loss is the exit code.</param>
internal sealed record GatewayReadOptions(
    GatewayReaderOptions Reader, bool WritesRecords, bool Verifies, ReportOptions Report);

/// <summary>
/// Writes datagrams as lines of JSON. What is not printable ASCII is escaped, since any host that reaches a gateway
/// chooses it.
/// </summary>
internal sealed class RecordLines(TextWriter output, bool isLive)
{
    private const int FlushBytes = 64 * 1024;
    private const long NanosecondsPerSecond = 1_000_000_000;

    private readonly ArrayBufferWriter<byte> _lines = new(FlushBytes);

    public void Write(in GatewayRecord record)
    {
        GatewayKey key = record.Key;
        using (var line = new Utf8JsonWriter(_lines))
        {
            line.WriteStartObject();
            line.WriteString("gateway", key.GatewayId);
            line.WriteNumber("epoch", key.EpochUnixNanoseconds);
            line.WriteNumber("shard", key.ShardIndex);
            line.WriteNumber("partition", key.PartitionIndex);
            line.WriteNumber("sequence", record.Sequence);
            line.WriteString("time", TimeText(record.ArrivalUnixNanoseconds));
            line.WriteString("peer", record.Peer.ToString());
            line.WriteString("local", record.LocalEndPoint.ToString());
            if (record.IsTruncated) line.WriteBoolean("truncated", true);

            // A payload is text, or it is not: readers take the field that is there.
            if (Utf8.IsValid(record.Payload)) line.WriteString("text", record.Payload);
            else line.WriteBase64String("base64", record.Payload);
            line.WriteEndObject();
        }

        _lines.Write("\n"u8);
        if (isLive || _lines.WrittenCount >= FlushBytes) Flush();
    }

    public void Flush()
    {
        if (_lines.WrittenCount == 0) return;
        output.Write(Encoding.UTF8.GetString(_lines.WrittenSpan));
        _lines.ResetWrittenCount();
    }

    // RFC 3339 with nanoseconds. A forged message may hold any number.
    private static string TimeText(long nanoseconds)
    {
        long seconds = Math.DivRem(nanoseconds, NanosecondsPerSecond, out long rest);
        if (rest < 0) (seconds, rest) = (seconds - 1, rest + NanosecondsPerSecond);
        DateTimeOffset time = DateTimeOffset.FromUnixTimeSeconds(seconds);
        return string.Create(CultureInfo.InvariantCulture, $"{time:yyyy-MM-ddTHH:mm:ss}.{rest:000000000}Z");
    }
}
