using System.CommandLine;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Gateway;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Gateway;

/// <summary>The options of <c>spate gateway read</c>.</summary>
internal sealed class GatewayReadOptionSet
{
    private const int MaxPartitionCount = 64;

    private readonly TargetOptionSet _target = new("--from", takesNull: false);

    private readonly Option<string?> _stream = OptionText.Create("--stream", "NAME", "The stream to read. Needed.");

    private readonly Option<string?> _partitions = OptionText.Create(
        "--partitions", "N", "The gateway's --partitions: streams NAME-0, NAME-1... Default: 1, NAME itself.");

    private readonly Option<string?> _offset = OptionText.Create(
        "--offset", "WHERE", "Where to begin: first, next (what is published from now on) or a stream offset. "
            + "Default: first.");

    private readonly Option<bool> _follow = OptionText.CreateFlag(
        "--follow", "Go on at the end of the stream, until Ctrl-C.");

    private readonly Option<bool> _ndjson = OptionText.CreateFlag(
        "--ndjson", "Write each datagram to stdout as a line of JSON. Copies are left out.");

    private readonly Option<bool> _verify = OptionText.CreateFlag(
        "--verify", "Exit with code 1 if something is missing without a stated reason, or cannot be read; what a run "
            + "without an end leaves unexplained is told only.");

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
            throw CommandException.WrongUse("--offset next reads nothing without --follow: add it, or begin elsewhere");
        }

        return new GatewayReadOptions(
            new GatewayReaderOptions
            {
                Target = broker.Target,
                Credentials = broker.Credentials!,
                CertificateAuthorityFile = broker.AuthorityFile,
                StreamName = parsed.GetValue(_stream) is { Length: > 0 } name
                    ? name
                    : throw CommandException.WrongUse("nothing to read: expected --stream NAME (queues cannot be read "
                        + "without taking their messages away)"),
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
