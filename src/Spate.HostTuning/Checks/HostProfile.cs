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
