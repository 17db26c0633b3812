using Spate.HostTuning.Settings;
using static Spate.HostTuning.Checks.CheckFinding;

namespace Spate.HostTuning.Checks;

/// <summary>Plain settings of the kernel: a number that is shown, and raised if the profile needs more.</summary>
internal static class SysctlCheck
{
    /// <param name="found">Says the number.</param>
    /// <param name="profile">The only one that it matters for; null for all.</param>
    /// <param name="need">The least that is enough; null where every number is.</param>
    public static HostCheck Of(
        string id,
        string key,
        Func<long, string> found,
        string reason,
        HostProfile? profile = null,
        long? need = null)
    {
        return new HostCheck(id, Look) { HasSetting = need is not null };

        CheckFinding? Look(HostReadings host)
        {
            if (profile is not null && host.Needs.Profile != profile) return null;

            var setting = new SysctlSetting(key);
            if (host.ReadNumber(setting) is not { } value) return Unknown($"{setting.Name} is not visible here.");

            return value < need
                ? BelowNeed(found(value), found(need.Value), reason).With(HostChange.Of(setting, value, need.Value))
                : Ok(found(value), reason);
        }
    }
}
