namespace Spate.HostTuning.Settings;

/// <summary>Makes settings of their texts again. What no check of Spate can have written is no setting.</summary>
internal static class HostSettings
{
    private const int MaxPathLength = 200;

    // IFNAMSIZ of linux/if.h, less the terminating NUL.
    private const int MaxInterfaceLength = 15;

    // Files that checks advise to write, each with what stands between the two parts.
    private static readonly (string Start, string End, Func<string, HostSetting> Make)[] KnownFiles =
    [
        ("proc/irq/", "/smp_affinity_list", static path => new FileSetting(path)),
        ("sys/class/net/", "/rps_cpus", static path => new CpuMaskSetting(path)),
        ("sys/class/net/", "/xps_cpus", static path => new CpuMaskSetting(path)),
        ("sys/class/net/", "/tx_queue_len", static path => new FileSetting(path)),
        ("sys/devices/system/cpu/cpu", "/cpufreq/scaling_governor", static path => new FileSetting(path)),
    ];

    public static HostSetting? Parse(string identity) => identity.Split(' ') switch
    {
        ["sysctl", var key] when IsPlain(key, MaxPathLength) && key.StartsWith("net.", StringComparison.Ordinal) =>
            new SysctlSetting(key),
        ["file", var path] when IsPlain(path, MaxPathLength) => FileOf(path),
        ["card", var name, var word] when IsInterface(name) && NumberOf(word) is { } number =>
            new CardNumberSetting(name, number),
        ["feature", var name, var feature] when IsInterface(name)
            && FeatureSetting.Known.Contains(feature, StringComparer.Ordinal) => new FeatureSetting(name, feature),
        ["flow-hash", var name, (FlowHashSetting.Udp4 or FlowHashSetting.Udp6) and var kind] when IsInterface(name) =>
            new FlowHashSetting(name, kind),
        ["qdisc", var name] when IsInterface(name) => new QueueSetting(name),
        _ => null,
    };

    /// <summary>A name that a shell takes as it is.</summary>
    public static bool IsInterface(string name) =>
        IsPlain(name, MaxInterfaceLength) && name is not "." && name[0] != '-' && !name.Contains('/');

    private static HostSetting? FileOf(string path) => Array.Find(
        KnownFiles,
        one => path.StartsWith(one.Start, StringComparison.Ordinal)
            && path.EndsWith(one.End, StringComparison.Ordinal)).Make?.Invoke(path);

    private static CardNumber? NumberOf(string word) =>
        CardNumber.All.FirstOrDefault(one => string.Equals(one.Word, word, StringComparison.Ordinal));

    // ".." would lead out of the folder, and other characters are in no name of the kernel's.
    private static bool IsPlain(string text, int maxLength) =>
        text.Length > 0 && text.Length <= maxLength
        && !text.Contains("..", StringComparison.Ordinal)
        && !text.Contains("//", StringComparison.Ordinal)
        && text.All(static one => char.IsAsciiLetterOrDigit(one) || one is '.' or '/' or '_' or '-' or ':' or '@');
}
