using System.Globalization;
using System.Net.Sockets;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks;

/// <summary>What one check found. <c>Wanted</c>: empty for nothing to do. <c>Reason</c>: it names its source.</summary>
/// <param name="Id">That of the check, which gives it to its findings (<see cref="HostCheck.Examine"/>).</param>
internal sealed record CheckFinding(string Id, CheckStatus Status, string Found, string Wanted, string Reason)
{
    public string? Interface { get; init; }

    /// <summary>For a shell of root, until the next boot; null where there is none.</summary>
    public string? Command { get; init; }

    /// <summary>Takes <see cref="Command"/> back; null where there is none.</summary>
    public string? Undo { get; init; }

    /// <summary>What was lost or delayed meanwhile, in the counter's own unit; 0 for none.</summary>
    public long Growth { get; init; }

    /// <summary>Such advice comes before any other.</summary>
    public bool IsBelowNeed { get; init; }

    /// <summary>Behind <see cref="Command"/>; empty where only people can make them.</summary>
    internal IReadOnlyList<HostChange> Changes { get; init; } = [];

    public static CheckFinding Ok(string found, string reason) => new("", CheckStatus.Ok, found, "", reason);

    public static CheckFinding Unknown(string reason) => new("", CheckStatus.Unknown, "unknown", "", reason);

    public static CheckFinding Advice(string found, string wanted, string reason) =>
        new("", CheckStatus.Advice, found, wanted, reason);

    public static CheckFinding BelowNeed(string found, string wanted, string reason) =>
        Advice(found, wanted, reason) with { IsBelowNeed = true };

    public static CheckFinding Problem(string found, string wanted, string reason, long growth) =>
        new("", CheckStatus.Problem, found, wanted, reason) { Growth = growth };

    /// <summary>For a setting that network namespaces other than the first do not have.</summary>
    public static CheckFinding NotShown(HostSetting setting) =>
        Unknown($"{setting.Name} is not visible here: it belongs to the host, not to the container.");

    /// <summary>No changes where a shell does not take the interface's name: no journal restores these.</summary>
    internal CheckFinding With(params IReadOnlyList<HostChange> changes) =>
        changes.Count == 0 || changes.Any(static one => HostSettings.Parse(one.Setting.Identity) is null)
            ? this
            : this with
            {
                Command = HostChanges.Command(changes),
                Undo = HostChanges.Undo(changes),
                Changes = changes,
            };
}

/// <summary>The worst comes first.</summary>
internal enum CheckStatus
{
    /// <summary>Something is being lost now, by what a counter shows.</summary>
    Problem,

    /// <summary>Nothing known is lost, but a limit is below the profile's needs, or a change may help.</summary>
    Advice,
    Unknown,
    Ok,
}

/// <summary>Numbers and names in the sentences of checks.</summary>
internal static class CheckText
{
    public const string Meanwhile = "during the check";

    // The longest names of the kernel's that are shown have some 40 characters.
    private const int MaxNameLength = 64;

    public static string Count(long count) => count.ToString("#,0", CultureInfo.InvariantCulture);

    public static string Bytes(long bytes) => $"{Count(bytes)} bytes";

    public static string Number(double number) => number.ToString("#,0.#", CultureInfo.InvariantCulture);

    public static string Plural(long count, string one) => count == 1 ? $"1 {one}" : $"{Count(count)} {one}s";

    public static string Family(AddressFamily family) => family == AddressFamily.InterNetworkV6 ? "IPv6" : "IPv4";

    /// <summary>A name that others have chosen, in one line and cut where it is too long to be one.</summary>
    public static string Name(string name) =>
        FileText.Escape(name.Length > MaxNameLength ? name[..MaxNameLength] : name);
}
