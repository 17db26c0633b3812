using System.Globalization;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Pacing;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Flows;

/// <summary>Brings together what both ends of a test say at its end. The other end may be a stranger.</summary>
internal sealed class OutcomeMaker(Iperf3Parameters parameters, bool isClient, IReadOnlyList<StreamLink> links)
{
    // 65507 bytes hold 129 segments of it.
    private const int MaxSilentBytes = 507;

    /// <summary>Throws an <see cref="Iperf3Exception"/> where the other end speaks of other streams.</summary>
    public Iperf3Outcome Make(Iperf3Results own, Iperf3Results other, TestEndReport report)
    {
        Iperf3StreamResult[] theirs = [.. links.Select(link => other.Streams.FirstOrDefault(one => one.Id == link.Id)
            ?? throw new Iperf3Exception($"the other end sent no results of stream {link.Id}"))];
        Iperf3StreamResult[] ours = [.. own.Streams];
        return new Iperf3Outcome
        {
            Streams = [.. links.Select((link, i) => link.Sends ? Of(ours[i], theirs[i]) : Of(theirs[i], ours[i]))],
            LocalCpu = own.Cpu,
            RemoteCpu = other.Cpu,
            ServerText = other.ServerText,
            ServerJson = other.ServerJson,
            Directions = [.. Directions(ours, theirs, report, other.Spate)],
            Notes = [.. Notes(ours, theirs, report)],
            Local = report,
            Remote = other.Spate,
        };
    }

    private IEnumerable<string> Notes(Iperf3StreamResult[] ours, Iperf3StreamResult[] theirs, TestEndReport report)
    {
        long numbered = report.Sent is { } sent ? Saturating.Add(sent.Datagrams, sent.Refused) : 0;
        bool hasOmitted = parameters.OmitSeconds > 0;
        if (Enumerable.Range(0, links.Count).Any(i =>
            FigureCheck.IsImpossible(links[i].Sends, ours[i], theirs[i], numbered, hasOmitted)))
        {
            yield return "the figures of the other end are inconsistent";
        }

        // iperf3 3.21 sends nothing with its own --gsro where a GSO message would have more than 128 segments.
        bool isSilent = parameters.Gsro && !isClient && parameters.LengthBytes <= MaxSilentBytes
            && Enumerable.Range(0, links.Count).All(i => links[i].Sends || theirs[i].Packets <= 0);
        if (isSilent && links.Any(static link => !link.Sends))
        {
            yield return $"nothing was sent: iperf3's --gsro sends nothing at -l {parameters.LengthBytes}; "
                + $"use -l {MaxSilentBytes + 1} or more, or leave --gsro out";
        }

        if (parameters.BurstDatagrams > 0 && parameters.BitsPerSecond > 0 && links.Any(static link => link.Sends)
            && parameters.BurstDatagrams * 8.0 * parameters.LengthBytes
                > parameters.BitsPerSecond * RatePacer.BacklogSeconds)
        {
            yield return "the bursts were smaller than requested: none holds more than "
                + $"{RatePacer.BacklogSeconds:0.##} s of the rate";
        }
    }

    private static Iperf3StreamOutcome Of(Iperf3StreamResult sender, Iperf3StreamResult receiver) => new()
    {
        Sent = CountsOf(sender),
        SentSeconds = sender.EndSeconds,
        Received = CountsOf(receiver),
        ReceivedSeconds = receiver.EndSeconds,
    };

    private static IperfCounts CountsOf(Iperf3StreamResult result) => new()
    {
        Bytes = result.Bytes,
        Total = result.Packets - result.OmittedPackets,
        Lost = result.Errors - result.OmittedErrors,
        OutOfOrder = result.OutOfOrder,
        JitterSeconds = result.Jitter,
    };

    private IEnumerable<Iperf3Direction> Directions(
        Iperf3StreamResult[] ours, Iperf3StreamResult[] theirs, TestEndReport local, TestEndReport? remote)
    {
        foreach (bool isForward in (bool[])[true, false])
        {
            bool sends = isForward == isClient;
            int[] indexes = [.. Enumerable.Range(0, links.Count).Where(i => links[i].Sends == sends)];
            if (indexes.Length == 0) continue;

            Iperf3StreamResult[] sent = [.. indexes.Select(i => sends ? ours[i] : theirs[i])];
            Iperf3StreamResult[] received = [.. indexes.Select(i => sends ? theirs[i] : ours[i])];
            TestEndReport sender = sends ? local : remote is { Sent: not null } ? remote : SenderOf(sent);
            bool isExact = !sends || remote is { Received: not null };
            long total = sender.Sent!.Datagrams;
            long highest = Sum(received, static one => one.Packets);

            // A server sends until it hears of the end: what the receiver did not count then is not lost.
            if (!isExact && !isForward)
            {
                sender = sender with { Sent = sender.Sent with { Datagrams = Math.Min(total, highest) } };
            }

            TestEndReport receiver = !sends ? local : isExact ? remote! : ReceiverOf(received, sender);
            string from = isForward ? TestDirectionReport.ClientName : TestDirectionReport.ServerName;
            TestDirectionReport account = RemedyText.InOptionsOfIperf3(
                TestDirectionReport.Between(from, sender, receiver), parameters, isExact);
            long afterEnd = Math.Max(0, Sum(sent, static one => one.Packets) - highest);

            // What an iperf3 did not count may have arrived or not: its bytes do not tell.
            if (!isExact && afterEnd > 0 && account.Lost == 0)
            {
                account.Verdict = $"Up to the last one that iperf3 counts: {account.Verdict}";
            }

            yield return new Iperf3Direction
            {
                IsExact = isExact,
                Sent = Math.Max(0, total),
                Account = account,
                Duplicated = isExact ? receiver.Received!.Duplicated : null,
                Reordered = isExact ? receiver.Received!.Reordered : null,
                AfterEnd = afterEnd,
                ReferenceLost = Sum(received, static one => one.Errors),
                ReferenceOutOfOrder = Sum(received, static one => one.OutOfOrder),
                ReferencePackets = highest,
            };
        }
    }

    // A stranger's numbers may be below zero, but none is so large that they would not add up.
    private static long Sum(Iperf3StreamResult[] streams, Func<Iperf3StreamResult, long> select) =>
        streams.Sum(one => Math.Max(0, select(one)));

    private TestEndReport SenderOf(Iperf3StreamResult[] sent) => new()
    {
        Sent = new TrafficReport
        {
            Kind = TrafficReport.SendKind,
            Datagrams = Sum(sent, static one => one.Packets),
            SizeBytes = parameters.LengthBytes,
            Seconds = sent.Max(static one => one.EndSeconds),
        },
    };

    // iperf3 does not say how many datagrams it received. Its bytes do, but for what was omitted.
    private TestEndReport ReceiverOf(Iperf3StreamResult[] received, TestEndReport sender)
    {
        long arrived = parameters.OmitSeconds == 0
            ? Sum(received, static one => one.Bytes) / parameters.LengthBytes
            : Math.Max(0, Sum(received, static one => one.Packets) - Sum(received, static one => one.Errors));
        return new TestEndReport
        {
            Received = new TrafficReport
            {
                Kind = TrafficReport.ReceiveKind,
                Datagrams = arrived,
                Unique = Math.Clamp(arrived, 0, sender.Sent!.Datagrams + sender.Sent.Refused),
                SizeBytes = parameters.LengthBytes,
                Seconds = received.Max(static one => one.EndSeconds),
            },
        };
    }
}

/// <summary>Finds figures of the other end that no path and no way of counting can explain.</summary>
internal static class FigureCheck
{
    // A path may copy datagrams, but hardly each of them more often than this.
    private const int MaxCopies = 3;

    /// <param name="numbered">The datagrams of all streams that this end has given a number.</param>
    /// <param name="hasOmitted">Each end omits what it had counted by then; versions differ in the rest.</param>
    public static bool IsImpossible(
        bool sends, Iperf3StreamResult ours, Iperf3StreamResult theirs, long numbered, bool hasOmitted)
    {
        if (theirs.HasNegative) return true;
        if (hasOmitted) return false;
        if (sends && (theirs.Errors > theirs.Packets || theirs.Packets > numbered)) return true;

        (long sent, long received) = sends ? (ours.Bytes, theirs.Bytes) : (theirs.Bytes, ours.Bytes);
        return received / MaxCopies > sent;
    }
}

/// <summary>Names what would help against loss by the options of iperf3, where a verdict has those of a test.</summary>
internal static class RemedyText
{
    private const int BitsPerByte = 8;

    private const string SpateThere = "spate iperf3 at the other end too";

    public static TestDirectionReport InOptionsOfIperf3(
        TestDirectionReport account, Iperf3Parameters parameters, bool isExact)
    {
        if (account is { Remedy: null, Unexplained: > 0 } && !isExact)
        {
            account.Remedy = SpateThere;
            account.Verdict = $"{account.Verdict.TrimEnd('.')}: {SpateThere}";
            return account;
        }

        if (account.Remedy is not { } remedy || Translate(remedy, parameters) is not { } translated) return account;

        account.Verdict = account.Verdict.Replace(remedy, translated, StringComparison.Ordinal);
        account.Remedy = translated;
        return account;
    }

    private static string? Translate(string remedy, Iperf3Parameters parameters)
    {
        string[] words = remedy.Split(' ');
        return words switch
        {
            ["--size", "mtu"] => "a smaller -l, such as -l 1400",
            ["--size", var bytes] => $"-l {bytes}",
            ["--buffer" or "--remote-buffer", var bytes] => $"-w {bytes}",
            ["--cpu" or "--remote-cpu", _] => "-A N,M with the number of a free CPU at each end",
            ["--rate", var rate] when long.TryParse(rate, CultureInfo.InvariantCulture, out long datagrams) =>
                $"-b {BitsPerSecond(datagrams, parameters).ToString("F0", CultureInfo.InvariantCulture)}",
            _ => null,
        };
    }

    // The rate of a verdict is that of all streams together, -b that of each.
    private static double BitsPerSecond(long datagrams, Iperf3Parameters parameters) =>
        Math.Floor((double)datagrams * BitsPerByte * parameters.LengthBytes / parameters.StreamCount);
}
