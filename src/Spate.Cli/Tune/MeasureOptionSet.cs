using System.CommandLine;
using System.CommandLine.Parsing;
using System.Net;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Traffic;
using Spate.Cli.Tune.Trials;
using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Tune;

/// <summary>The options of <c>spate tune --measure</c>.</summary>
internal sealed class MeasureOptionSet
{
    private readonly Option<bool> _measure = OptionText.CreateFlag(
        "--measure",
        "Try each change, and CPUs for the threads, in repeated measurements, and take it back. With --apply: keep "
            + "what is proven to help.");

    private readonly Option<string?> _to = OptionText.Create(
        "--to", "HOST[:PORT]", "--measure: against a spate test -s there, in both directions. Default: the loopback.");

    private readonly Option<bool> _namespaces = OptionText.CreateFlag(
        "--namespaces", "--measure: between two network namespaces, made for it and removed. Needs root and ip(8).");

    private readonly Option<string?> _rate = OptionText.Create(
        "--rate", "N|max", "--measure: the load, as of spate test. Default: 90 % of the highest rate; --to needs one.");

    private readonly Option<string?> _size = OptionText.Create(
        "--size", "N", $"--measure: payload bytes per datagram. Default: {TrafficSenderOptions.DefaultSizeBytes}.");

    private readonly Option<string?> _repeat = OptionText.Create(
        "--repeat", "N", $"--measure: measurements of each side, {TrialOptions.MinRepeat} to {TrialOptions.MaxRepeat}. "
            + "Default: 7.");

    private readonly Option<string?> _trialSeconds = OptionText.Create(
        "--trial-seconds", "S", "--measure: the length of one measurement, 0.2 to 60. Default: 1.");

    private readonly Option<string?> _seed = OptionText.Create(
        "--seed", "N", "--measure: what decides the order. Default: a new one, which is printed.");

    private Option[] Details => [_to, _namespaces, _rate, _size, _repeat, _trialSeconds, _seed];

    public void AddTo(Command command)
    {
        command.Add(_measure);
        foreach (Option option in Details) command.Add(option);
    }

    public MeasureOptions? Read(ParseResult parsed)
    {
        if (parsed.GetValue(_measure))
        {
            bool namesRate = parsed.GetValue(_rate) is not null;
            return new MeasureOptions(
                ReadTarget(parsed), parsed.GetValue(_namespaces), ReadTrials(parsed), namesRate);
        }

        Option? alone = Array.Find(Details, one => parsed.GetResult(one) is OptionResult { Implicit: false });
        return alone is null
            ? null
            : throw CommandException.WrongUse($"{alone.Name} says how to measure: it needs --measure");
    }

    private IPEndPoint? ReadTarget(ParseResult parsed)
    {
        if (parsed.GetValue(_to) is not { } text) return null;

        if (parsed.GetValue(_namespaces))
        {
            throw CommandException.WrongUse("--to and --namespaces are different ends: give one of them");
        }

        return parsed.GetValue(_rate) is not null
            ? EndPointText.ParseTarget(text, family: null)
            : throw CommandException.WrongUse(
                "--to needs --rate: others may use the network too, so say how much to send, such as --rate 100k");
    }

    private TrialOptions ReadTrials(ParseResult parsed)
    {
        int size = (int)(UnitText.ReadBytes(parsed, _size, TestDatagram.HeaderBytes, SendSize.MaxIpv4Bytes)
            ?? TrafficSenderOptions.DefaultSizeBytes);
        Rate? rate = SendLoad.ReadRate(_rate, parsed);
        var load = new TrialLoad
        {
            SizeBytes = size,
            DatagramsPerSecond = rate?.ForSize(size) ?? double.PositiveInfinity,
        };
        TimeSpan? duration = SecondsText.Read(
            parsed,
            _trialSeconds,
            TrialLoad.MinDuration.TotalSeconds,
            maxSeconds: TrialLoad.MaxDuration.TotalSeconds);
        if (duration is { } length) load = load with { Duration = length };

        var options = new TrialOptions
        {
            Load = load,
            Seed = (int?)UnitText.ReadCount(parsed, _seed, 0, int.MaxValue) ?? Random.Shared.Next(),
        };
        return UnitText.ReadCount(parsed, _repeat, TrialOptions.MinRepeat, TrialOptions.MaxRepeat) is { } repeat
            ? options with { Repeat = (int)repeat }
            : options;
    }
}

/// <summary>What <c>spate tune --measure</c> is asked to measure.</summary>
/// <param name="Target">The server of <c>--to</c>; null for ends on this host.</param>
/// <param name="Trials">How to measure, with an infinite rate where none is named.</param>
/// <param name="NamesRate">Whether the rate was named; false means that it is looked for.</param>
internal sealed record MeasureOptions(IPEndPoint? Target, bool InNamespaces, TrialOptions Trials, bool NamesRate);
