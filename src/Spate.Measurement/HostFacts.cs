using System.Runtime.InteropServices;

namespace Spate.Measurement;

/// <summary>The facts about this host that every report begins with.</summary>
public static class HostFacts
{
    /// <summary>The kernel's name and release, as <c>Linux 6.18.0</c> or <c>Microsoft Windows 10.0.26100</c>.</summary>
    public static string Kernel
    {
        get
        {
            // OSDescription is the distribution's name on Linux; the kernel decides what UDP costs.
            string? release = OperatingSystem.IsLinux() ? ReadRelease() : null;
            return release is null ? RuntimeInformation.OSDescription : $"Linux {release}";
        }
    }

    /// <summary>The runtime and its version, as <c>.NET 10.0.1</c>.</summary>
    public static string Runtime => RuntimeInformation.FrameworkDescription;

    /// <summary>CPUs that this process may use.</summary>
    public static int CpuCount => Environment.ProcessorCount;

    private static string? ReadRelease()
    {
        Span<byte> buffer = stackalloc byte[256];
        using var file = ProcFile.TryOpen("/proc/sys/kernel/osrelease");
        string release = System.Text.Encoding.ASCII.GetString(ProcFile.Read(file, buffer).Trim("\n "u8));
        return release.Length == 0 ? null : release;
    }
}
