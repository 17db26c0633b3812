using System.Text;
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
        if (!IsSane(value)) throw new IOException($"{Name} cannot be {FileText.Escape(Encoding.UTF8.GetBytes(value))}");

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
