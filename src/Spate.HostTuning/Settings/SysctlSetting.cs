using System.Globalization;

namespace Spate.HostTuning.Settings;

/// <summary>A setting of the kernel's (sysctl(8)).</summary>
/// <param name="Key">A dot within a part of it, as in the name of a VLAN, is a slash.</param>
internal sealed record SysctlSetting(string Key) : FileSetting(PathOf(Key))
{
    // The kernel's own least receive buffer is a little larger (SOCK_MIN_RCVBUF, include/net/sock.h).
    private const int MinBufferBytes = 2048;

    private static readonly string[] Buffers =
        ["net.core.rmem_max", "net.core.wmem_max", "net.core.rmem_default", "net.core.wmem_default"];

    public override string Name => Key;

    public override string Identity => "sysctl " + Key;

    // Several numbers have blanks or tabs between them.
    public override string CommandFor(string value) =>
        value.AsSpan().ContainsAny(' ', '\t') ? $"sysctl -w {Key}='{value}'" : $"sysctl -w {Key}={value}";

    // The kernel parts several numbers by tabs, people by blanks.
    public override bool IsSame(string left, string right) => Words(left).SequenceEqual(Words(right));

    // All that checks advise are numbers that the kernel keeps as int, but for one name.
    protected override bool IsSane(string value)
    {
        if (!base.IsSane(value)) return false;

        if (Key is "net.core.default_qdisc") return value.All(static one => char.IsAsciiLetter(one) || one is '_');

        int least = Buffers.Contains(Key, StringComparer.Ordinal) ? MinBufferBytes : 0;
        return Words(value) is { Length: > 0 } words && Array.TrueForAll(words, word =>
            int.TryParse(word, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number >= least);
    }

    private static string[] Words(string value) =>
        value.Split([' ', '\t'], StringSplitOptions.RemoveEmptyEntries);

    private static string PathOf(string key) =>
        "proc/sys/" + string.Concat(key.Select(static one => one switch { '.' => '/', '/' => '.', _ => one }));
}
