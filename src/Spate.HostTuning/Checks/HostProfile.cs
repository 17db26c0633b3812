namespace Spate.HostTuning.Checks;

/// <summary>What a host is to be fit for.</summary>
internal enum HostProfile
{
    OneGigabit,

    /// <summary>Links up to 10 or 25 Gbit/s.</summary>
    TenGigabit,

    /// <summary>Links up to 40 or 50 Gbit/s.</summary>
    FortyGigabit,

    /// <summary>Links of 100 Gbit/s and more.</summary>
    HundredGigabit,

    /// <summary>Short round trips rather than a high rate.</summary>
    Latency,
}

internal static class HostProfileText
{
    private static readonly (string Name, HostProfile Profile)[] Names =
    [
        ("1g", HostProfile.OneGigabit),
        ("10g", HostProfile.TenGigabit),
        ("40g", HostProfile.FortyGigabit),
        ("100g", HostProfile.HundredGigabit),
        ("latency", HostProfile.Latency),
    ];

    /// <summary>The slowest link first.</summary>
    public static IReadOnlyList<string> All { get; } = [.. Names.Select(static one => one.Name)];

    public static string Of(HostProfile profile) => Array.Find(Names, one => one.Profile == profile).Name;

    public static HostProfile? Parse(string name)
    {
        foreach ((string known, HostProfile profile) in Names)
        {
            if (string.Equals(known, name, StringComparison.Ordinal)) return profile;
        }

        return null;
    }
}

/// <summary>The needs of a profile, by ESnet's and Red Hat's guides (docs/tune/tuning.md).</summary>
/// <param name="BufferLimitBytes">
/// The least <c>net.core.rmem_max</c> and <c>wmem_max</c>: 16 MiB is the example of Red Hat's guide, 64 MiB and 512 MiB
/// are what ESnet advises below 40 Gbit/s and from there on, and the largest value from 100 Gbit/s on.
/// </param>
internal sealed record ProfileNeeds(HostProfile Profile, long BufferLimitBytes)
{
    private const long Mebibyte = 1024 * 1024;
    private const long Gigabit = 1_000_000_000;

    public bool IsFast =>
        Profile is HostProfile.TenGigabit or HostProfile.FortyGigabit or HostProfile.HundredGigabit;

    public static ProfileNeeds Of(HostProfile profile) => profile switch
    {
        HostProfile.TenGigabit => new(profile, 64 * Mebibyte),
        HostProfile.FortyGigabit => new(profile, 512 * Mebibyte),
        HostProfile.HundredGigabit => new(profile, int.MaxValue),
        _ => new(profile, 16 * Mebibyte),
    };

    public static HostProfile ProfileFor(long? bitsPerSecond) => bitsPerSecond switch
    {
        >= 100 * Gigabit => HostProfile.HundredGigabit,
        >= 40 * Gigabit => HostProfile.FortyGigabit,
        > Gigabit => HostProfile.TenGigabit,
        _ => HostProfile.OneGigabit,
    };
}
