using System.CommandLine;
using System.Net;
using System.Net.Sockets;
using Spate.Cli.Options;
using Spate.HostTuning.Interfaces;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Traffic;

/// <summary>The options of <c>spate send</c>.</summary>
internal sealed class SendOptions
{
    private const int MaxTargetCount = 256;
    private const int DefaultSeconds = 10;
    private const double PoliteDatagramsPerSecond = 1000;

    private readonly Argument<string[]> _targets = new("targets")
    {
        HelpName = "HOST[:PORT]",
        Description = "Where to send: a name or an address, IPv6 as [ADDRESS]:PORT. Default port: 9999. "
            + "Several targets share the load.",
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Option<string?> _size = OptionText.Create(
        "--size", "N|mtu", "Payload bytes per datagram, up to 65507 (65527 on IPv6), or what fits the path's MTU. "
            + $"Default: {TrafficSenderOptions.DefaultSizeBytes}.");

    private readonly Option<string?> _rate = OptionText.Create(
        "--rate", "N|max", "All flows together: datagrams a second such as 200k, payload bits such as 5Gbit, or max. "
            + "Default: max towards this machine, 1000 elsewhere.");

    private readonly TrafficOptions _traffic = new("sent", useless: "--no-gro");

    public void AddTo(Command command)
    {
        command.Add(_targets);
        command.Add(_size);
        command.Add(_rate);
        _traffic.AddTo(command);
    }

    public SendSettings Read(ParseResult parsed)
    {
        TrafficSettings traffic = _traffic.Read(parsed);
        string? sizeText = parsed.GetValue(_size);
        bool isMtu = sizeText is "mtu";
        long? givenBytes = ReadSize(parsed, sizeText);
        Rate? givenRate = ReadRate(parsed.GetValue(_rate));
        List<Target> targets = ReadTargets(parsed.GetValue(_targets) ?? [], traffic.Family);

        int fittingBytes = SendSize.Fitting(targets, out Target? narrowest, out int mtuBytes);
        if (narrowest is null && isMtu)
        {
            throw CommandException.Refused("--size mtu: no path MTU can be found; give the size in bytes");
        }

        int sizeBytes = isMtu ? fittingBytes : (int)(givenBytes ?? TrafficSenderOptions.DefaultSizeBytes);
        SendSize.Check(sizeBytes, targets);

        var notices = new List<string>();
        if (narrowest is not null && sizeBytes > fittingBytes)
        {
            notices.Add($"datagrams of {sizeBytes} bytes will be fragmented on the way to {narrowest.Text} "
                + $"(MTU {mtuBytes}): --size {fittingBytes} (or --size mtu) fits");
        }

        // Without an end of its own, a forgotten run could flood a network for ever.
        bool isEndless = traffic is { Duration: null, DatagramCount: null };
        return new SendSettings
        {
            Traffic = isEndless ? traffic with { Duration = TimeSpan.FromSeconds(DefaultSeconds) } : traffic,
            Targets = targets,
            SizeBytes = sizeBytes,
            Rate = ChooseRate(givenRate, sizeBytes, targets, notices),
            Notices = notices,
        };
    }

    private long? ReadSize(ParseResult parsed, string? text) =>
        text is null or "mtu" ? null : UnitText.ReadBytes(parsed, _size, 0, SendSize.MaxIpv6Bytes);

    private Rate? ReadRate(string? text)
    {
        if (text is null) return null;

        return Rate.TryParse(text, out Rate rate) ? rate : throw OptionText.Wrong(_rate, text, Rate.Expected);
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

    private static Rate ChooseRate(Rate? given, int sizeBytes, List<Target> targets, List<string> notices) =>
        given is { } rate ? Checked(rate, sizeBytes) : DefaultRate(targets, notices);

    private static Rate Checked(Rate rate, int sizeBytes)
    {
        if (rate.BitsPerSecond is not null && sizeBytes == 0)
        {
            throw CommandException.WrongUse("--rate in bits needs a payload, and --size is 0: give datagrams a second");
        }

        return rate.ForSize(sizeBytes) switch
        {
            < 1 => throw CommandException.WrongUse(
                $"--rate is less than one datagram of {sizeBytes} bytes a second: expected at least 1"),
            > Rate.MaxDatagramsPerSecond => throw CommandException.WrongUse(
                $"--rate is over {Rate.MaxDatagramsPerSecond:0} datagrams a second: use --rate max"),
            _ => rate,
        };
    }

    private static Rate DefaultRate(List<Target> targets, List<string> notices)
    {
        Target? remote = targets.Find(static target => !target.IsLocal);
        if (remote is null) return Rate.Maximum;

        notices.Add($"sending {PoliteDatagramsPerSecond} datagrams/s because {remote.Text} is not this machine: "
            + "--rate N sends more, --rate max all it can");
        return Rate.OfDatagrams(PoliteDatagramsPerSecond);
    }
}
