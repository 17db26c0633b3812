namespace Spate.HostTuning.Settings;

/// <summary>A setting of the kernel's (sysctl(8)).</summary>
/// <param name="Key">
/// Its name, for example <c>net.core.rmem_max</c>; a dot within a part of it, as in the name of a VLAN, is a slash.
/// </param>
internal sealed record SysctlSetting(string Key) : FileSetting(PathOf(Key))
{
    public override string Name => Key;

    public override string Identity => "sysctl " + Key;

    // Several numbers have blanks or tabs between them.
    public override string CommandFor(string value) =>
        value.AsSpan().ContainsAny(' ', '\t') ? $"sysctl -w {Key}='{value}'" : $"sysctl -w {Key}={value}";

    // The kernel parts several numbers by tabs, people by blanks.
    public override bool IsSame(string left, string right) => Words(left).SequenceEqual(Words(right));

    private static string[] Words(string value) =>
        value.Split([' ', '\t'], StringSplitOptions.RemoveEmptyEntries);

    private static string PathOf(string key) =>
        "proc/sys/" + string.Concat(key.Select(static one => one switch { '.' => '/', '/' => '.', _ => one }));
}
