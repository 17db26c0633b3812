using Spate.HostTuning.Counters;

namespace Spate.HostTuning.Checks.Protocol;

/// <summary>Counters of IP or UDP that should not grow.</summary>
/// <param name="id">See <see cref="HostCheck.Id"/>.</param>
/// <param name="subject">See <see cref="HostCheck.Subject"/>.</param>
/// <param name="wanted">What should be instead.</param>
/// <param name="reason">The sentence on why they grow.</param>
/// <param name="counters">The counters, by the names that nstat(8) gives them.</param>
internal class CounterCheck(
    string id,
    string subject,
    string wanted,
    string reason,
    params IReadOnlyList<(string Name, Func<NetworkCounters, long?> Read)> counters) : HostCheck
{
    public override string Id => id;

    public override string Subject => subject;

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        (string Name, long? Growth)[] known =
        [
            .. counters.Select(one => (one.Name, Growth: one.Read(host.Growth)))
                .Where(static one => one.Growth is not null),
        ];
        (string Name, long? Growth)[] grown = [.. known.Where(static one => one.Growth > 0)];
        if (known.Length == 0)
        {
            yield return Unknown("The kernel does not show these counters here.");
        }
        else if (grown.Length == 0)
        {
            string names = Join(known.Select(static one => one.Name));
            yield return Ok("none", $"No counter grew while this looked ({names}).");
        }
        else
        {
            string found = Join(grown.Select(static one => $"{one.Name} {CheckText.Count(one.Growth ?? 0)}"));
            yield return Mend(host, Problem(found, wanted, reason, grown.Sum(static one => one.Growth ?? 0)));
        }
    }

    /// <summary>The problem with what mends it, where something does.</summary>
    protected virtual CheckFinding Mend(HostReadings host, CheckFinding problem) => problem;

    private static string Join(IEnumerable<string> words) => string.Join(", ", words);
}
