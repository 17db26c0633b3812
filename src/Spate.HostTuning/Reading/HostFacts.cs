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

    public override string ToString() => RecordText.Of(
        nameof(HostFacts), PrintMembers, (nameof(Interfaces), Interfaces), (nameof(Interrupts), Interrupts));

    private static string ArchitectureName(Architecture architecture) => architecture switch
    {
        System.Runtime.InteropServices.Architecture.X64 => "x64",
        System.Runtime.InteropServices.Architecture.X86 => "x86",
        System.Runtime.InteropServices.Architecture.Arm64 => "arm64",
        System.Runtime.InteropServices.Architecture.Arm => "arm",
        _ => architecture.ToString().ToLowerInvariant(),
    };
}
