using System.Globalization;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Settings;

/// <summary>One value of the system: what a check advises is what is applied and what is restored.</summary>
internal abstract record HostSetting
{
    public abstract string Name { get; }

    /// <summary><see cref="HostSettings.Parse"/> reads it: two settings are the same if these are.</summary>
    public abstract string Identity { get; }

    /// <summary>To be pasted into a shell of root.</summary>
    public abstract string CommandFor(string value);

    public abstract string? Read(string rootPath);

    /// <summary>
    /// The system refuses other values to root too: in a network namespace that is not the host's first one, and where
    /// a container's manager has mounted the folder read-only.
    /// </summary>
    public virtual bool IsRefused(HostFiles files) => false;

    public virtual bool IsSame(string left, string right) => string.Equals(left, right, StringComparison.Ordinal);

    /// <summary>IOException where the system refuses the value; the message says why.</summary>
    public abstract void Write(string rootPath, string value);
}

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

/// <summary>Files that differ in one number become one loop: people are to read what they paste.</summary>
internal static class HostChanges
{
    private const int MinRun = 3;

    public static string Command(IReadOnlyList<HostChange> changes) =>
        Join(changes.Select(static one => (one.Setting, one.To)));

    /// <summary>The last change is taken back first.</summary>
    public static string Undo(IReadOnlyList<HostChange> changes) =>
        Join(changes.Reverse().Select(static one => (one.Setting, one.From)));

    private static string Join(IEnumerable<(HostSetting Setting, string Value)> writes) => string.Join(
        " && ",
        writes.GroupBy(static one => Shape.Of(one.Setting, one.Value)).Select(static group => OfGroup([.. group])));

    private static string OfGroup((HostSetting Setting, string Value)[] writes)
    {
        (HostSetting first, string value) = writes[0];
        if (writes.Length == 1) return first.CommandFor(value);

        Shape shape = Shape.Of(first, value);
        IEnumerable<int> numbers = writes.Select(static one => Shape.NumberIn(one.Setting));
        return $"for n in {List(numbers)}; do echo {value} > /{shape.Start}$n{shape.End}; done";
    }

    private static string List(IEnumerable<int> numbers)
    {
        int[] rising = [.. numbers.Order()];
        var parts = new List<string>();
        for (int first = 0; first < rising.Length;)
        {
            int last = first;
            while (last + 1 < rising.Length && rising[last + 1] == rising[last] + 1) last++;
            parts.Add(last - first >= MinRun - 1
                ? $"$(seq {rising[first]} {rising[last]})"
                : string.Join(' ', rising[first..(last + 1)]));
            first = last + 1;
        }

        return string.Join(' ', parts);
    }

    // Settings of one shape differ in a number alone. What has no number, or is no plain file, is a shape of its own.
    private sealed record Shape(string Start, string End, string Value)
    {
        public static Shape Of(HostSetting setting, string value)
        {
            (int start, int end) = Find(setting);
            return end == start
                ? new Shape(setting.Identity, "", value)
                : new Shape(((FileSetting)setting).Path[..start], ((FileSetting)setting).Path[end..], value);
        }

        public static int NumberIn(HostSetting setting)
        {
            (int start, int end) = Find(setting);
            return int.Parse(((FileSetting)setting).Path.AsSpan(start, end - start), CultureInfo.InvariantCulture);
        }

        // The last number of at most 9 digits, without leading zeros, which a loop would drop.
        private static (int Start, int End) Find(HostSetting setting)
        {
            if (setting is not FileSetting { Path: var path } || setting is SysctlSetting) return default;

            int end = path.AsSpan().LastIndexOfAnyInRange('0', '9') + 1;
            int start = end;
            while (start > 0 && char.IsAsciiDigit(path[start - 1])) start--;
            bool isPlain = end - start is > 0 and < 10 && (path[start] != '0' || end - start == 1);
            return isPlain ? (start, end) : default;
        }
    }
}

internal sealed record HostChange(HostSetting Setting, string From, string To)
{
    public string Command => Setting.CommandFor(To);

    public string Undo => Setting.CommandFor(From);

    public static HostChange Of(HostSetting setting, long from, long to) => new(
        setting, from.ToString(CultureInfo.InvariantCulture), to.ToString(CultureInfo.InvariantCulture));
}
