using System.Globalization;
using System.Text;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Settings;

/// <summary>A setting that is a file of one line in /proc or /sys, such as the CPUs that take an interrupt.</summary>
internal record FileSetting(string Path) : HostSetting
{
    // Enough for a mask of 8192 CPUs, NR_CPUS of the largest distribution kernels.
    private const int MaxLength = 4096;

    public override string Name => "/" + Path;

    public override string Identity => "file " + Path;

    public override string CommandFor(string value) => $"echo {value} > /{Path}";

    public override string? Read(string rootPath) => new HostFiles(rootPath).ReadLine(Path);

    // In another network namespace than the first, the files of what all have in common may be written by nobody
    // (net/core/sysctl_net_core.c, sysctl_core_net_init).
    public override bool IsRefused(HostFiles files) => !files.IsWritableByOwner(Path) || IsMountedReadOnly(files);

    public override void Write(string rootPath, string value)
    {
        if (!IsSane(value)) throw new IOException($"{Name} cannot be {FileText.Escape(value)}");

        // These files take one write(2) of the whole value. They cannot be made, and their length means nothing.
        using var file = new FileStream(
            System.IO.Path.Combine(rootPath, Path),
            FileMode.Truncate,
            FileAccess.Write,
            FileShare.ReadWrite,
            bufferSize: 0);
        file.Write(Encoding.ASCII.GetBytes(value + "\n"));
    }

    /// <summary>A journal may have been edited by hand.</summary>
    protected virtual bool IsSane(string value) =>
        value.Length is > 0 and <= MaxLength && value.All(static one => one is '\t' or (>= ' ' and <= '~'));

    // "proc /proc/sys proc ro,nosuid,... 0 0" (proc_pid_mounts(5)). The longest path is the mount that the file is on,
    // and of those the last one.
    private bool IsMountedReadOnly(HostFiles files)
    {
        string options = "";
        int length = 0;
        foreach (string[] words in files.ReadLines("proc/self/mounts").Select(static line => line.Split(' ')))
        {
            if (words.Length > 3 && words[1].Length >= length
                && $"/{Path}".StartsWith(words[1].TrimEnd('/') + "/", StringComparison.Ordinal))
            {
                (length, options) = (words[1].Length, words[3]);
            }
        }

        return options.Split(',').Contains("ro", StringComparer.Ordinal);
    }
}

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

/// <summary>A file with a set of CPUs as a mask, such as those that take packets from a queue.</summary>
internal sealed record CpuMaskSetting(string Path) : FileSetting(Path)
{
    public const string None = "0";

    // The kernel writes as many digits as it may have CPUs, people as few as they need.
    public override bool IsSame(string left, string right) =>
        CpuList.TryParseMask(left, out IReadOnlyList<int> one)
        && CpuList.TryParseMask(right, out IReadOnlyList<int> other)
            ? one.SequenceEqual(other)
            : base.IsSame(left, right);
}
