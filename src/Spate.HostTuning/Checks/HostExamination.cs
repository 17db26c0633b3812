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
        using var reader = new HostReader(request, time);
        await Task.Delay(request.Duration, time, cancellationToken)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return Of(reader.Take());
    }

    /// <summary>Makes all checks on what was read.</summary>
    internal static HostExamination Of(HostReadings readings) => new(
        readings.Needs.Profile,
        [.. readings.Interfaces.Select(static one => one.Name)],
        readings.Watched,
        Sort(CheckCatalog.All.SelectMany(check => check.Examine(readings))));

    // Stable: of equals, the order of the catalog holds.
    internal static IReadOnlyList<CheckFinding> Sort(IEnumerable<CheckFinding> findings) =>
        [.. findings.OrderBy(static one => one.Status)
            .ThenByDescending(static one => one.Growth)
            .ThenByDescending(static one => one.IsBelowNeed)];
}
