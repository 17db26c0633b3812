using System.CommandLine;
using System.Net;
using System.Net.Sockets;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.HostTuning.Reading.Interfaces;
using Spate.Measurement.Pacing;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Traffic;

/// <summary><c>--size</c>, <c>--rate</c> and <c>--pace</c>: what a sender puts on the network.</summary>
/// <param name="minSizeBytes">The smallest payload that the command sends.</param>
internal sealed class SendLoad(int minSizeBytes)
{
    private const double PoliteDatagramsPerSecond = 1000;

    public static readonly TimeSpan DefaultDuration = TimeSpan.FromSeconds(10);

    private readonly Option<string?> _size = OptionText.Create(
        "--size",
        "N|mtu",
        $"Payload bytes per datagram{(minSizeBytes > 0 ? $", from {minSizeBytes}" : "")}, up to 65507 (65527 on IPv6), "
            + $"or mtu: the largest for the path MTU. Default: {TrafficSenderOptions.DefaultSizeBytes}.");

    private readonly Option<string?> _rate = OptionText.Create(
        "--rate", "N|max", "Rate of all flows: datagrams per second such as 200k, payload bits such as 5Gbit, or max. "
            + "Default: max to this machine, 1000 to others.");

    private readonly Option<string?> _pace = ChoiceText.Create<PaceMode>(
        "--pace",
        "Pacing of --rate: sleep (bursts of up to 500 us), spin (exact, uses a CPU), txtime (by the qdisc fq). "
            + $"Default: sleep, spin from {PacerWait.MinSpinDatagramsPerSecond / 1e6:0}m/s per flow on.");

    public IReadOnlyList<Option> Options => [_size, _rate, _pace];

    public void AddTo(Command command)
    {
        foreach (Option option in Options)
        {
            command.Add(option);
        }
    }

    public (int SizeBytes, Rate Rate, PaceMode? Pace) Read(
        ParseResult parsed, IReadOnlyList<Target> targets, List<string> notices)
    {
        string? sizeText = parsed.GetValue(_size);
        bool isMtu = sizeText is "mtu";
        long? givenBytes = sizeText is null || isMtu
            ? null
            : UnitText.ReadBytes(parsed, _size, minSizeBytes, SendSize.MaxIpv6Bytes);
        Rate? givenRate = ReadRate(_rate, parsed);

        int fittingBytes = SendSize.Fitting(targets, out Target? narrowest, out int mtuBytes);
        if (narrowest is null && isMtu)
        {
            throw CommandException.Refused(
                "--size mtu: the path MTU is unknown; give the size in bytes", DocsAnchor.PathMtu);
        }

        int sizeBytes = isMtu ? fittingBytes : (int)(givenBytes ?? TrafficSenderOptions.DefaultSizeBytes);
        SendSize.Check(sizeBytes, targets);
        if (narrowest is not null && sizeBytes > fittingBytes)
        {
            notices.Add($"datagrams of {sizeBytes} bytes will be fragmented on the way to {narrowest.Text} "
                + $"(MTU {mtuBytes}): --size {fittingBytes} (or --size mtu) fits ({DocsAnchor.PathMtu})");
        }

        Rate rate = givenRate is { } given ? Checked(given, sizeBytes) : DefaultRate(targets, notices);
        return (sizeBytes, rate, ReadPace(parsed, rate));
    }

    public static Rate? ReadRate(Option<string?> option, ParseResult parsed)
    {
        if (parsed.GetValue(option) is not { } text) return null;

        return Rate.TryParse(text, out Rate rate) ? rate : throw OptionText.Wrong(option, text, Rate.Expected);
    }

    private PaceMode? ReadPace(ParseResult parsed, Rate rate)
    {
        if (parsed.GetValue(_pace) is null) return null;

        PaceMode mode = ChoiceText.Read(parsed, _pace, PaceMode.Sleep);
        return rate.IsMaximum
            ? throw CommandException.WrongUse("--pace has no effect without a rate: add --rate N")
            : mode;
    }

    /// <summary>Refuses a rate that datagrams of this size cannot have.</summary>
    public static Rate Checked(Rate rate, int sizeBytes)
    {
        if (rate.BitsPerSecond is not null && sizeBytes == 0)
        {
            throw CommandException.WrongUse("--rate in bits needs a payload, but --size is 0: use datagrams/s");
        }

        return rate.ForSize(sizeBytes) switch
        {
            < 1 => throw CommandException.WrongUse(
                $"--rate is below one datagram of {sizeBytes} bytes per second: expected at least 1"),
            > Rate.MaxDatagramsPerSecond => throw CommandException.WrongUse(
                $"--rate is over {Rate.MaxDatagramsPerSecond:0} datagrams per second: use --rate max"),
            _ => rate,
        };
    }

    private static Rate DefaultRate(IReadOnlyList<Target> targets, List<string> notices)
    {
        Target? remote = targets.FirstOrDefault(static target => !target.IsLocal);
        if (remote is null) return Rate.Maximum;

        notices.Add($"sending {PoliteDatagramsPerSecond} datagrams/s because {remote.Text} is not this machine: "
            + $"--rate N sets another rate, --rate max removes the limit ({DocsAnchor.SendRate})");
        return Rate.OfDatagrams(PoliteDatagramsPerSecond);
    }
}

/// <summary>The payload sizes that the targets can take.</summary>
internal static class SendSize
{
    /// <summary>65535 less 28: the length field of IPv4 counts the headers of IPv4 and UDP.</summary>
    public const int MaxIpv4Bytes = 65_507;

    /// <summary>65535 less 8: the length field of IPv6 counts the header of UDP alone.</summary>
    public const int MaxIpv6Bytes = 65_527;

    public static void Check(int sizeBytes, IReadOnlyList<Target> targets)
    {
        foreach (Target target in targets)
        {
            if (sizeBytes > MaxIpv4Bytes && target.EndPoint.AddressFamily == AddressFamily.InterNetwork)
            {
                throw CommandException.WrongUse($"--size {sizeBytes} is too large for {target.Text}: "
                    + $"expected at most {MaxIpv4Bytes} bytes on IPv4");
            }
        }
    }

    /// <summary>
    /// The largest payload that reaches every target unfragmented. The narrowest target, which has the smallest MTU, is
    /// null where no path's MTU is known.
    /// </summary>
    public static int Fitting(IReadOnlyList<Target> targets, out Target? narrowest, out int mtuBytes)
    {
        int fittingBytes = int.MaxValue;
        narrowest = null;
        mtuBytes = 0;
        foreach (Target target in targets)
        {
            if (!PathMtu.TryFind(target.EndPoint, out int candidateBytes)) continue;

            int payloadBytes = PathMtu.MaxPayload(candidateBytes, target.EndPoint.AddressFamily);
            if (payloadBytes < fittingBytes)
            {
                (fittingBytes, narrowest, mtuBytes) = (payloadBytes, target, candidateBytes);
            }
        }

        return fittingBytes;
    }
}

/// <summary>
/// A destination of a send: its text on the command line, what that was resolved to, and whether that address is one of
/// this machine.
/// </summary>
internal sealed record Target(string Text, IPEndPoint EndPoint, bool IsLocal);
