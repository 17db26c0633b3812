using System.Buffers.Binary;
using System.Diagnostics;
using System.Reflection.PortableExecutable;
using System.Text;
using System.Text.Json.Nodes;
using System.Xml.Linq;

namespace Spate.HostTests.Abi;

/// <summary>
/// Microsoft's own headers for Windows, and the values that clang computes from them for a Windows target. The compiler
/// gets the headers as they are, and its result is only read: no Windows is needed, and nothing is run.
/// </summary>
internal sealed class WindowsHeaders : IDisposable
{
    private const string Section = ".facts";
    private const int FactBytes = 16;
    private const string OverlayFolder = "/windows-headers";

    /// <summary>
    /// Headers of Visual Studio, and headers of Microsoft's C library that need those of Visual Studio. The package has
    /// none of Visual Studio. Others include them for functions only, so empty files serve. Two of their types occur in
    /// declarations, though in no struct of the table; <see cref="ValuesAsync"/> defines these two.
    /// </summary>
    private static readonly string[] EmptyHeaders = ["ctype.h", "string.h", "excpt.h", "setjmp.h"];

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("spate-windows-headers-");

    private WindowsHeaders(string compilerPath, string includeFolder)
    {
        CompilerPath = compilerPath;
        File.WriteAllText(Own("empty.h"), "");
        File.WriteAllText(Own("overlay.json"), Overlay(includeFolder, Own("empty.h")));
    }

    /// <summary>The version of the package, from the file that has all versions.</summary>
    internal static string Version { get; } =
        XDocument.Load(Path.Combine(RepositoryTop.Path, "Directory.Packages.props"))
            .Descendants("WindowsHeadersVersion").Single().Value;

    private string CompilerPath { get; }

    /// <summary>Skips the test without clang, or if the package cannot be downloaded.</summary>
    internal static async Task<WindowsHeaders> RequireAsync(CancellationToken cancellationToken)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the headers are compiled on Linux only");
        Programs.Require("clang", "clang");
        (int exitCode, string output, string error) = await RestoreAsync(cancellationToken);
        Assert.SkipUnless(exitCode == 0, $"Microsoft's headers cannot be restored: {error.Trim().Split('\n')[0]}");

        // The package has one version of the headers, in a folder that bears a shorter number than the package.
        return new WindowsHeaders(Programs.Find("clang")!, Directory.GetDirectories(output.Trim()).Single());
    }

    /// <summary>The values of expressions, as the table has them.</summary>
    /// <param name="machine">The machine to compile for.</param>
    /// <param name="expressions">C expressions of a number; those named WSAID_ are initializers of a GUID.</param>
    /// <param name="cancellationToken">Ends the wait for the compiler.</param>
    internal async Task<string[]> ValuesAsync(
        Machine machine, IReadOnlyCollection<string> expressions, CancellationToken cancellationToken)
    {
        string target = machine == Machine.Arm64 ? "aarch64-pc-windows-msvc" : "x86_64-pc-windows-msvc";
        string[] arguments =
        [
            $"--target={target}", "-std=gnu11", "-fms-extensions", "-fms-compatibility", "-w",
            "-ivfsoverlay", Own("overlay.json"), "-isystem", OverlayFolder, "-include", "stddef.h",
            "-DEXCEPTION_DISPOSITION=int", "-Djmp_buf=int", "-x", "c", "-c", "-o", Own("facts.obj"), "-",
        ];
        string? errors = await CCompiler.RunAsync(CompilerPath, arguments, Text(expressions), cancellationToken);
        Assert.True(errors is null, $"clang for {target} refuses the headers or an expression:\n{errors}");
        byte[] facts = ReadFacts(Own("facts.obj"), machine);
        return [.. expressions.Select((expression, i) =>
            Written(expression, facts.AsSpan(i * FactBytes, FactBytes)))];
    }

    public void Dispose() => _folder.Delete(recursive: true);

    private static async Task<(int ExitCode, string Output, string Error)> RestoreAsync(
        CancellationToken cancellationToken)
    {
        string project = Path.Combine(RepositoryTop.Path, "tests", "WindowsHeaders", "headers.proj");
        var start = new ProcessStartInfo("dotnet",
        [
            "msbuild", project, "-restore", "-target:Restored", "-getProperty:IncludeFolder", "-nologo",
            "-nodeReuse:false",
        ])
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment["DOTNET_CLI_USE_MSBUILD_SERVER"] = "0";
        using Process restore = Process.Start(start)!;
        try
        {
            Task<string> output = restore.StandardOutput.ReadToEndAsync(cancellationToken);
            Task<string> error = restore.StandardError.ReadToEndAsync(cancellationToken);
            await restore.WaitForExitAsync(cancellationToken);
            return (restore.ExitCode, await output, await error);
        }
        finally
        {
            if (!restore.HasExited) restore.Kill(entireProcessTree: true);
        }
    }

    // The headers name each other without regard to case, as Windows opens files. Clang's overlay does that on Linux.
    private static string Overlay(string includeFolder, string emptyPath)
    {
        IEnumerable<JsonNode> files =
            from folder in (string[])["um", "shared"]
            from path in Directory.GetFiles(Path.Combine(includeFolder, folder), "*.h")
            select OverlayFile(Path.GetFileName(path), path);
        return new JsonObject
        {
            ["version"] = 0,
            ["case-sensitive"] = "false",
            ["roots"] = new JsonArray(new JsonObject
            {
                ["type"] = "directory",
                ["name"] = OverlayFolder,
                ["contents"] = new JsonArray(
                    [.. files, .. EmptyHeaders.Select(name => OverlayFile(name, emptyPath))]),
            }),
        }.ToJsonString();
    }

    private static JsonObject OverlayFile(string name, string path) =>
        new() { ["type"] = "file", ["name"] = name, ["external-contents"] = path };

    // WIN32_LEAN_AND_MEAN keeps the first winsock.h out, which WinSock2.h replaces.
    private static string Text(IEnumerable<string> expressions)
    {
        StringBuilder text = new StringBuilder("#define WIN32_LEAN_AND_MEAN\n")
            .AppendLine("#include <WinSock2.h>")
            .AppendLine("#include <ws2ipdef.h>")
            .AppendLine("#include <mstcpip.h>")
            .AppendLine("#include <MSWSock.h>")
            .AppendLine("#include <Psapi.h>")
            .AppendLine("union fact { struct { unsigned long long value, bytes; } number; GUID guid; };")
            .AppendLine($"const union fact facts[] __attribute__((section(\"{Section}\"))) = {{");
        foreach (string expression in expressions)
        {
            text.AppendLine(IsGuid(expression)
                ? $"{{ .guid = {expression} }},"
                : $"{{ .number = {{ (unsigned long long)({expression}), sizeof({expression}) }} }},");
        }
        return text.AppendLine("};").ToString();
    }

    private static byte[] ReadFacts(string path, Machine machine)
    {
        byte[] file = File.ReadAllBytes(path);
        using var stream = new MemoryStream(file);
        var headers = new PEHeaders(stream);
        Assert.Equal(machine, headers.CoffHeader.Machine);
        SectionHeader section = headers.SectionHeaders.Single(
            static section => section.Name.Equals(Section, StringComparison.Ordinal));
        return file[section.PointerToRawData..(section.PointerToRawData + section.SizeOfRawData)];
    }

    private static string Written(string expression, ReadOnlySpan<byte> fact)
    {
        if (IsGuid(expression)) return Convert.ToHexString(fact);

        // A negative number was extended to 64 bits; its own width is that of its type.
        int bits = 8 * (int)BinaryPrimitives.ReadUInt64LittleEndian(fact[8..]);
        ulong value = BinaryPrimitives.ReadUInt64LittleEndian(fact) & (ulong.MaxValue >> (64 - bits));
        return value <= ushort.MaxValue ? $"{value}" : string.Concat("0x", value.ToString($"X{bits / 4}", null));
    }

    private static bool IsGuid(string expression) => expression.StartsWith("WSAID_", StringComparison.Ordinal);

    private string Own(string file) => Path.Combine(_folder.FullName, file);
}
