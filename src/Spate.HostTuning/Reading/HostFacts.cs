using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Interrupts;

namespace Spate.HostTuning.Reading;

/// <summary>What this host is and what it offers to UDP. Reading it changes nothing.</summary>
internal sealed record HostFacts
{
    private const string KernelReleasePath = "proc/sys/kernel/osrelease";

    /// <summary>For example <c>Debian GNU/Linux</c>.</summary>
    public required string OperatingSystemName { get; init; }

    public required string OperatingSystemVersion { get; init; }

    /// <summary>As <c>uname -r</c> prints it.</summary>
    public required string KernelRelease { get; init; }

    public required string RuntimeVersion { get; init; }

    public required string Architecture { get; init; }

    /// <summary>What suggests a container, for example <c>docker</c>; null when nothing does.</summary>
    public required string? Container { get; init; }

    public required CpuFacts Cpus { get; init; }

    public required BufferLimits Buffers { get; init; }

    /// <summary>With the loopback, in the system's order.</summary>
    public required IReadOnlyList<InterfaceFacts> Interfaces { get; init; }

    /// <summary>In the order of <see cref="Interfaces"/>.</summary>
    public required IReadOnlyList<InterfaceInterrupts> Interrupts { get; init; }

    /// <summary>What cannot be read is left out rather than thrown.</summary>
    public static HostFacts Read(string rootPath = "/")
    {
        var files = new HostFiles(rootPath);
        (string name, string version) = OsRelease.Read(files);
        IReadOnlyList<InterfaceFacts> interfaces = InterfaceFacts.ReadAll();
        return new HostFacts
        {
            OperatingSystemName = name,
            OperatingSystemVersion = version,
            KernelRelease = files.ReadLine(KernelReleasePath) ?? Environment.OSVersion.Version.ToString(),
            RuntimeVersion = RuntimeInformation.FrameworkDescription,
            Architecture = ArchitectureName(RuntimeInformation.ProcessArchitecture),
            Container = ContainerHint.Find(files, Environment.GetEnvironmentVariable),
            Cpus = CpuFacts.Read(rootPath),
            Buffers = BufferLimits.Read(rootPath),
            Interfaces = interfaces,
            Interrupts = InterfaceInterrupts.ReadAll([.. interfaces.Select(static one => one.Name)], rootPath),
        };
    }

    public static string ReadKernel(string rootPath = "/") =>
        // OSDescription is the distribution's name on Linux; the kernel decides what UDP costs.
        OperatingSystem.IsLinux() && new HostFiles(rootPath).ReadLine(KernelReleasePath) is { } release
            ? $"Linux {release}"
            : RuntimeInformation.OSDescription;

    private static string ArchitectureName(Architecture architecture) => architecture switch
    {
        System.Runtime.InteropServices.Architecture.X64 => "x64",
        System.Runtime.InteropServices.Architecture.X86 => "x86",
        System.Runtime.InteropServices.Architecture.Arm64 => "arm64",
        System.Runtime.InteropServices.Architecture.Arm => "arm",
        _ => architecture.ToString().ToLowerInvariant(),
    };
}

/// <summary>Name and version from os-release(5), or from the runtime where that file is missing.</summary>
internal static class OsRelease
{
    public static (string Name, string Version) Read(HostFiles files)
    {
        // os-release(5): /etc first, /usr/lib as the fallback.
        (string Name, string Version)? found =
            Parse(files.ReadLines("etc/os-release")) ?? Parse(files.ReadLines("usr/lib/os-release"));
        return found ?? (RuntimeInformation.OSDescription, "");
    }

    internal static (string Name, string Version)? Parse(IEnumerable<string> lines)
    {
        string? name = null;
        string? version = null;
        string? versionId = null;
        foreach (string line in lines)
        {
            int equals = line.IndexOf('=', StringComparison.Ordinal);
            if (equals <= 0) continue;

            string value = Unquote(line[(equals + 1)..].Trim());
            switch (line[..equals].Trim())
            {
                case "NAME": name = value; break;
                case "VERSION": version = value; break;
                case "VERSION_ID": versionId = value; break;
                default: break;
            }
        }

        return name is null ? null : (name, version ?? versionId ?? "");
    }

    // Values may be quoted as in a shell; a backslash escapes ", $, ` and itself.
    private static string Unquote(string value)
    {
        if (value.Length < 2 || value[0] is not ('"' or '\'') || value[^1] != value[0]) return value;

        string inner = value[1..^1];
        if (value[0] == '\'' || !inner.Contains('\\', StringComparison.Ordinal)) return inner;

        var text = new System.Text.StringBuilder(inner.Length);
        for (int i = 0; i < inner.Length; i++)
        {
            if (inner[i] == '\\' && i + 1 < inner.Length) i++;

            text.Append(inner[i]);
        }

        return text.ToString();
    }
}

/// <summary>Looks for signs of a container. The result is only a hint: nothing in Linux tells for certain.</summary>
internal static class ContainerHint
{
    public static string? Find(HostFiles files, Func<string, string?> environment)
    {
        // systemd's interface for container managers: the name in this file or in $container.
        string? named = files.ReadLine("run/systemd/container") ?? NullIfEmpty(environment("container"));
        if (!string.IsNullOrEmpty(environment("KUBERNETES_SERVICE_HOST"))) return "kubernetes";

        if (named is not null) return named;

        if (files.Exists(".dockerenv")) return "docker";

        if (files.Exists("run/.containerenv")) return "podman";

        return string.Equals(environment("DOTNET_RUNNING_IN_CONTAINER"), "true", StringComparison.OrdinalIgnoreCase)
            ? "container"
            : null;
    }

    private static string? NullIfEmpty(string? text) => string.IsNullOrEmpty(text) ? null : text;
}

/// <summary>The kernel's limits and defaults for socket buffers (socket(7)); null where unknown.</summary>
/// <param name="ReceiveMaximumBytes">The most that SO_RCVBUF grants without CAP_NET_ADMIN.</param>
/// <param name="SendMaximumBytes">The most that SO_SNDBUF grants unprivileged.</param>
/// <param name="BacklogPackets">How many may wait per CPU between the driver and the stack.</param>
internal sealed record BufferLimits(
    long? ReceiveMaximumBytes,
    long? ReceiveDefaultBytes,
    long? SendMaximumBytes,
    long? SendDefaultBytes,
    long? BacklogPackets)
{
    /// <summary>Network namespaces other than the first see only some of the files.</summary>
    public static BufferLimits Read(string rootPath = "/")
    {
        const string Core = "proc/sys/net/core/";
        var files = new HostFiles(rootPath);
        return new BufferLimits(
            files.ReadNumber(Core + "rmem_max"),
            files.ReadNumber(Core + "rmem_default"),
            files.ReadNumber(Core + "wmem_max"),
            files.ReadNumber(Core + "wmem_default"),
            files.ReadNumber(Core + "netdev_max_backlog"));
    }
}
