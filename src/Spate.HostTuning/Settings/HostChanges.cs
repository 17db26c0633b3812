using System.Globalization;

namespace Spate.HostTuning.Settings;

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
