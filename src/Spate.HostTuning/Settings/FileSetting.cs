using System.Text;
using Spate.HostTuning.Files;

namespace Spate.HostTuning.Settings;

/// <summary>A setting that is a file of one line in /proc or /sys, such as the CPUs that take an interrupt.</summary>
/// <param name="Path">The file below the root, for example <c>proc/irq/41/smp_affinity_list</c>.</param>
internal record FileSetting(string Path) : HostSetting
{
    public override string Name => "/" + Path;

    public override string Identity => "file " + Path;

    public override string CommandFor(string value) => $"echo {value} > /{Path}";

    public override string? Read(string rootPath) => new HostFiles(rootPath).ReadLine(Path);

    public override void Write(string rootPath, string value)
    {
        // These files take one write(2) of the whole value. They cannot be made, and their length means nothing.
        using var file = new FileStream(
            System.IO.Path.Combine(rootPath, Path),
            FileMode.Truncate,
            FileAccess.Write,
            FileShare.ReadWrite,
            bufferSize: 0);
        file.Write(Encoding.ASCII.GetBytes(value + "\n"));
    }
}
