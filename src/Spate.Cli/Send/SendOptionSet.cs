using System.CommandLine;
using System.Net;
using System.Net.Sockets;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Traffic;
using Spate.HostTuning.Reading.Interfaces;
using Spate.Measurement.Counting;
using Spate.Measurement.Pacing;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Send;

/// <summary>The options of <c>spate send</c>.</summary>
internal sealed class SendOptionSet
{
    private const int MaxTargetCount = 256;

    private readonly Argument<string[]> _targets = new("targets")
    {
        HelpName = "HOST[:PORT]",
        Description = "Where to send: a name or an address, IPv6 as [ADDRESS]:PORT. Default port: 9999. "
            + "Several targets share the load.",
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Option<bool> _verify = OptionText.CreateFlag(
        "--verify", "Add a checksum to every datagram, which spate receive --verify looks at.");

    private readonly SendLoad _load = new(minSizeBytes: 0);
    private readonly TrafficOptionSet _traffic = new(
        "sent", new ReportOptionSet(static () => TrafficJson.Default.TrafficReport), useless: "--no-gro");

    public void AddTo(Command command)
    {
        command.Add(_targets);
        _load.AddTo(command);
        command.Add(_verify);
        _traffic.AddTo(command);
    }

    public SendOptions Read(ParseResult parsed)
    {
        TrafficRunOptions traffic = _traffic.Read(parsed);
        List<Target> targets = ReadTargets(parsed.GetValue(_targets) ?? [], traffic.Family);

        var notices = new List<string>();
        (int sizeBytes, Rate rate, PaceMode? pace) = _load.Read(parsed, targets, notices);

        // Without an end of its own, a forgotten run could flood a network for ever.
        bool isEndless = traffic is { Duration: null, DatagramCount: null };
        return new SendOptions
        {
            Traffic = isEndless ? traffic with { Duration = SendLoad.DefaultDuration } : traffic,
            Targets = targets,
            SizeBytes = sizeBytes,
            Checksums = ReadChecksums(parsed, sizeBytes),
            Rate = rate,
            Pace = pace,
            Notices = notices,
        };
    }

    private bool ReadChecksums(ParseResult parsed, int sizeBytes)
    {
        if (!parsed.GetValue(_verify)) return false;
        return sizeBytes >= TestDatagram.ChecksummedHeaderBytes
            ? true
            : throw CommandException.WrongUse($"--verify needs room for the checksum, and --size is {sizeBytes}: "
                + $"expected at least {TestDatagram.ChecksummedHeaderBytes} bytes");
    }

    private static List<Target> ReadTargets(string[] texts, AddressFamily? family)
    {
        if (texts.Length > MaxTargetCount)
        {
            throw CommandException.WrongUse(
                $"{texts.Length} targets are too many: expected {MaxTargetCount} at most");
        }

        var targets = new List<Target>(texts.Length);
        foreach (string text in texts)
        {
            IPEndPoint endPoint = EndPointText.ParseTarget(text, family);
            targets.Add(new Target(text, endPoint, LocalAddresses.Contains(endPoint.Address)));
        }

        return targets;
    }
}

/// <summary>The request to <c>spate send</c>, checked, with all names resolved.</summary>
internal sealed record SendOptions
{
    public required TrafficRunOptions Traffic { get; init; }

    public required IReadOnlyList<Target> Targets { get; init; }

    public required int SizeBytes { get; init; }

    public required bool Checksums { get; init; }

    public required Rate Rate { get; init; }

    /// <summary>How to wait for what is due; null for the choice by the rate.</summary>
    public required PaceMode? Pace { get; init; }

    public required IReadOnlyList<string> Notices { get; init; }
}
