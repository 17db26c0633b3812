using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Probing;

namespace Spate.HostTuning.Checks;

/// <summary>What limits UDP on this host; nothing is changed. What is likely to matter most comes first.</summary>
internal sealed record HostExamination(
    HostProfile Profile,
    IReadOnlyList<string> Interfaces,
    TimeSpan Watched,
    IReadOnlyList<CheckFinding> Findings)
{
    /// <summary>Each is a heading in <c>docs/tune/checks.md</c>.</summary>
    public static IReadOnlyList<string> CheckIds { get; } = [.. CheckCatalog.All.Select(static one => one.Id)];

    /// <summary>Checks that were not made, because what they look at exists on Linux only.</summary>
    public IReadOnlyList<string> LeftOut { get; init; } = [];

    /// <summary>Watches and probes, then makes all checks. A cancelled watch counts up to then.</summary>
    public static async Task<HostExamination> RunAsync(
        CheckOptions request, TimeProvider time, CancellationToken cancellationToken)
    {
        using var reader = new HostReader(request, time);
        Task<IReadOnlyList<PathReading>> paths = PathReader.ReadAsync(request.Targets, cancellationToken);
        await Task.Delay(request.Duration, time, cancellationToken)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return Of(reader.Take() with { Paths = await paths.ConfigureAwait(false) });
    }

    internal static HostExamination Of(HostReadings readings) => Of(readings, OperatingSystem.IsLinux());

    internal static HostExamination Of(HostReadings readings, bool isLinux)
    {
        ILookup<bool, HostCheck> checks = CheckCatalog.All.ToLookup(check => isLinux || !check.IsLinuxOnly);
        return new HostExamination(
            readings.Needs.Profile,
            [.. readings.Interfaces.Select(static one => one.ShownName)],
            readings.Watched,
            Sort(checks[true].SelectMany(check => check.Examine(readings))
                .Select(one => WithoutRefused(one, readings.Files))))
        {
            LeftOut = [.. checks[false].Select(static check => check.Id)],
        };
    }

    // Stable: of equals, the order of the catalog holds.
    internal static IReadOnlyList<CheckFinding> Sort(IEnumerable<CheckFinding> findings) =>
        [.. findings.OrderBy(static one => one.Status)
            .ThenByDescending(static one => one.Growth)
            .ThenByDescending(static one => one.IsBelowNeed)];

    // A command that the system refuses helps nobody.
    private static CheckFinding WithoutRefused(CheckFinding finding, HostFiles files) =>
        finding.Changes.FirstOrDefault(one => one.Setting.IsRefused(files)) is not { Setting: var setting }
            ? finding
            : finding with
            {
                Command = null,
                Undo = null,
                Changes = [],
                Reason = $"{finding.Reason} {setting.Name} is refused here, in a container or a network namespace of "
                    + "its own: set it on the host.",
            };
}
