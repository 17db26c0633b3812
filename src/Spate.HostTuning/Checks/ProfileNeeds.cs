namespace Spate.HostTuning.Checks;

/// <summary>What a profile needs, as numbers. ESnet's and Red Hat's guides are the sources (docs/tuning.md).</summary>
/// <param name="BufferLimitBytes">
/// The least <c>net.core.rmem_max</c> and <c>wmem_max</c>: 16 MiB is the example of Red Hat's guide, 64 MiB and 512 MiB
/// are what ESnet advises below 40 Gbit/s and from there on, and the largest value from 100 Gbit/s on.
/// </param>
internal sealed record ProfileNeeds(HostProfile Profile, long BufferLimitBytes, long BacklogPackets)
{
    private const long Mebibyte = 1024 * 1024;
    private const long Gigabit = 1_000_000_000;

    /// <summary>The kernel's default, which is enough where no counter says otherwise.</summary>
    private const long UsualBacklog = 1000;

    public bool IsFast =>
        Profile is HostProfile.TenGigabit or HostProfile.FortyGigabit or HostProfile.HundredGigabit;

    public static ProfileNeeds Of(HostProfile profile) => profile switch
    {
        HostProfile.TenGigabit => new(profile, 64 * Mebibyte, UsualBacklog),
        HostProfile.FortyGigabit => new(profile, 512 * Mebibyte, UsualBacklog),
        HostProfile.HundredGigabit => new(profile, int.MaxValue, UsualBacklog),
        _ => new(profile, 16 * Mebibyte, UsualBacklog),
    };

    public static HostProfile ProfileFor(long? bitsPerSecond) => bitsPerSecond switch
    {
        >= 100 * Gigabit => HostProfile.HundredGigabit,
        >= 40 * Gigabit => HostProfile.FortyGigabit,
        > Gigabit => HostProfile.TenGigabit,
        _ => HostProfile.OneGigabit,
    };
}
