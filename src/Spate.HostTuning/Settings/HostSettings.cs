namespace Spate.HostTuning.Settings;

/// <summary>Makes settings of their texts again. What no check of Spate can have written is no setting.</summary>
internal static class HostSettings
{
    private const string Sysctl = "sysctl ";
    private const string File = "file ";

    // Files that checks advise to write, each with what stands between the two parts.
    private static readonly (string Start, string End)[] KnownFiles =
    [
        ("proc/irq/", "/smp_affinity_list"),
        ("sys/class/net/", "/rps_cpus"),
        ("sys/class/net/", "/xps_cpus"),
        ("sys/class/net/", "/tx_queue_len"),
        ("sys/devices/system/cpu/cpu", "/cpufreq/scaling_governor"),
    ];

    /// <summary>The setting of a text; null for a text that is none.</summary>
    public static HostSetting? Parse(string identity)
    {
        if (identity.StartsWith(Sysctl, StringComparison.Ordinal))
        {
            string key = identity[Sysctl.Length..];
            return IsPlain(key) && key.StartsWith("net.", StringComparison.Ordinal) ? new SysctlSetting(key) : null;
        }

        if (!identity.StartsWith(File, StringComparison.Ordinal)) return null;

        string path = identity[File.Length..];
        bool isKnown = IsPlain(path) && Array.Exists(
            KnownFiles,
            one => path.StartsWith(one.Start, StringComparison.Ordinal)
                && path.EndsWith(one.End, StringComparison.Ordinal));
        return isKnown ? new FileSetting(path) : null;
    }

    // ".." would lead out of the folder, and other characters are in no name of the kernel's.
    private static bool IsPlain(string text) =>
        text.Length is > 0 and <= 200
        && !text.Contains("..", StringComparison.Ordinal)
        && !text.Contains("//", StringComparison.Ordinal)
        && text.All(static one => char.IsAsciiLetterOrDigit(one) || one is '.' or '/' or '_' or '-' or ':' or '@');
}
