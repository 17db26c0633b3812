using Spate.HostTuning.Cards;
using Spate.HostTuning.Counters;
using Spate.HostTuning.Cpus;
using Spate.HostTuning.Files;
using Spate.HostTuning.Interfaces;
using Spate.HostTuning.Interrupts;
using Spate.HostTuning.Usage;

namespace Spate.HostTuning.Checks;

/// <summary>An examination of this host: what limits UDP here, with evidence. Nothing is changed.</summary>
/// <param name="Profile">What the host was examined for.</param>
/// <param name="Interfaces">The interfaces that were looked at.</param>
/// <param name="Watched">How long the counters were watched.</param>
/// <param name="Findings">
/// What was found, what is likely to matter most first: what counters accuse, limits below what the profile needs,
/// other advice, what is unknown, and what is well.
/// </param>
public sealed record HostExamination(
    HostProfile Profile,
    IReadOnlyList<string> Interfaces,
    TimeSpan Watched,
    IReadOnlyList<CheckFinding> Findings)
{
    /// <summary>Watches the counters for some time, then makes all checks.</summary>
    /// <param name="request">What to examine.</param>
    /// <param name="time">The clock.</param>
    /// <param name="cancellationToken">
    /// Ends the watching early; the checks are made with what was counted until then.
    /// </param>
    /// <exception cref="ArgumentException">There is no such interface.</exception>
    public static async Task<HostExamination> RunAsync(
        CheckRequest request, TimeProvider time, CancellationToken cancellationToken)
    {
        HostReadings readings = await ReadAsync(request, time, cancellationToken).ConfigureAwait(false);
        return new HostExamination(
            readings.Needs.Profile,
            [.. readings.Interfaces.Select(static one => one.Name)],
            readings.Watched,
            Sort(CheckCatalog.All.SelectMany(check => check.Examine(readings))));
    }

    // Stable: of equals, the order of the catalog holds.
    internal static IReadOnlyList<CheckFinding> Sort(IEnumerable<CheckFinding> findings) =>
        [.. findings.OrderBy(static one => one.Status)
            .ThenByDescending(static one => one.Growth)
            .ThenByDescending(static one => one.IsBelowNeed)];

    private static async Task<HostReadings> ReadAsync(
        CheckRequest request, TimeProvider time, CancellationToken cancellationToken)
    {
        using var replies = new CardReplies(request.RootPath);
        IReadOnlyList<HostInterface> interfaces = Choose(request, replies);
        using var counters = new NetworkCounterReader(rootPath: request.RootPath);
        using var cpuTimes = new CpuTimesReader(request.RootPath);
        using var throttle = new CpuThrottleMeter(request.RootPath);
        long start = time.GetTimestamp();
        NetworkCounters before = counters.Read();
        IReadOnlyDictionary<int, CpuUse> cpusBefore = cpuTimes.Read();
        await Task.Delay(request.Duration, time, cancellationToken)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        NetworkCounters after = counters.Read();
        IReadOnlyDictionary<int, CpuUse> cpusAfter = cpuTimes.Read();
        interfaces = [.. interfaces.Select(one => WithGrowth(one, replies))];
        var files = new HostFiles(request.RootPath);
        return new HostReadings
        {
            Request = request,
            Needs = ProfileNeeds.Of(
                request.Profile ?? ProfileNeeds.ProfileFor(interfaces.Max(static one => one.Link.SpeedBitsPerSecond))),
            Interfaces = interfaces,
            Cpus = CpuFacts.Read(request.RootPath),
            Container = ContainerHint.Find(files, Environment.GetEnvironmentVariable),
            Totals = after,
            Growth = after - before,
            CpuUse = cpusAfter.Where(one => cpusBefore.ContainsKey(one.Key))
                .ToDictionary(static one => one.Key, one => one.Value - cpusBefore[one.Key]),
            Throttled = throttle.Take() is { } nanoseconds ? TimeSpan.FromMicroseconds(nanoseconds / 1000.0) : null,
            Watched = time.GetElapsedTime(start),
        };
    }

    private static IReadOnlyList<HostInterface> Choose(CheckRequest request, CardReplies replies)
    {
        IReadOnlyList<InterfaceFacts> all = InterfaceFacts.ReadAll();
        List<string> routed = DefaultRoutes.Read(new HostFiles(request.RootPath));
        InterfaceFacts[] chosen = request.Interface is { } wanted
            ? [.. all.Where(one => string.Equals(one.Name, wanted, StringComparison.Ordinal))]
            : [.. all.Where(one => one.IsUp && !one.IsLoopback && routed.Contains(one.Name))];
        if (request.Interface is not null && chosen.Length == 0)
        {
            throw new ArgumentException($"there is no interface {request.Interface}", nameof(request));
        }

        return [.. chosen.Select(one => new HostInterface(
            one,
            LinkFacts.Read(one.Name, request.RootPath),
            InterfaceInterrupts.ReadAll([one.Name], request.RootPath)[0],
            CardSettings.Read(replies, one.Name)))];
    }

    private static HostInterface WithGrowth(HostInterface one, CardReplies replies) => one with
    {
        CardGrowth = CardStatistics.Read(replies, one.Name)
            .Where(count => one.Card.Statistics.TryGetValue(count.Key, out ulong before) && count.Value > before)
            .ToDictionary(
                static count => count.Key, count => count.Value - one.Card.Statistics[count.Key], StringComparer.Ordinal),
    };
}
