using Spate.HostTuning.Counters;

namespace Spate.HostTuning.Checks.Protocol;

/// <summary>Counters that should not grow, or not by more than noise; by the names that nstat(8) gives them.</summary>
internal class CounterCheck(
    string id,
    string subject,
    string wanted,
    string reason,
    params IReadOnlyList<(string Name, Func<NetworkCounters, long?> Read)> counters) : HostCheck
{
    // Scans and late answers come in ones or a few at a time, while a stream of datagrams that is worth a look has more
    // in a second. There is no share of the traffic in this: on an idle host noise is all that arrives.
    private const int MaxNoisePerSecond = 10;

    private const string NoiseReason = "So few, at most 10 a second, are usual in any network (scans, late answers, "
        + "packets for others): look closer only if a program misses something.";

    public override string Id => id;

    public override string Subject => subject;

    /// <summary>Those that grow by noise on most hosts, where little is no problem.</summary>
    public IReadOnlyList<string> Noisy { get; init; } = [];

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        double maxNoise = MaxNoisePerSecond * Math.Max(1, host.Watched.TotalSeconds);
        (string Name, long? Growth)[] known =
        [
            .. counters.Select(one => (one.Name, Growth: one.Read(host.Growth)))
                .Where(static one => one.Growth is not null),
        ];
        (string Name, long? Growth)[] grown = [.. known.Where(static one => one.Growth > 0)];
        (string Name, long? Growth)[] lost =
        [
            .. grown.Where(one => one.Growth > maxNoise || !Noisy.Contains(one.Name, StringComparer.Ordinal)),
        ];
        if (known.Length == 0)
        {
            yield return Unknown("The kernel does not show these counters here.");
        }
        else if (grown.Length == 0)
        {
            string names = Join(known.Select(static one => one.Name));
            yield return Ok("none", $"No counter grew while this looked ({names}).");
        }
        else if (lost.Length == 0)
        {
            yield return Advice(Describe(grown), wanted, $"{NoiseReason} {reason}");
        }
        else
        {
            yield return Mend(host, Problem(Describe(lost), wanted, reason, lost.Sum(static one => one.Growth ?? 0)));
        }
    }

    protected virtual CheckFinding Mend(HostReadings host, CheckFinding problem) => problem;

    private static string Describe(IEnumerable<(string Name, long? Growth)> grown) =>
        Join(grown.Select(static one => $"{one.Name} {CheckText.Count(one.Growth ?? 0)}"));

    private static string Join(IEnumerable<string> words) => string.Join(", ", words);
}
