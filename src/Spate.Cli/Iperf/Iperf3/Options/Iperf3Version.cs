using System.Runtime.InteropServices;
using Spate.Cli.Shell;
using Spate.HostTuning.Reading;

namespace Spate.Cli.Iperf.Iperf3.Options;

/// <summary>What the output says of the program and its host.</summary>
internal static class Iperf3Version
{
    /// <summary>The program, where iperf3 names itself and its version.</summary>
    public static string Text { get; } = $"spate {ToolVersion.Text}";

    /// <summary>The host, in the order of uname(1).</summary>
    public static string System { get; } = Read();

    private static string Read()
    {
        string[] kernel = HostFacts.ReadKernel().Split(' ', 2);
        string machine = RuntimeInformation.OSArchitecture switch
        {
            Architecture.X64 => "x86_64",
            Architecture.Arm64 => "aarch64",
            Architecture other => other.ToString(),
        };
        return string.Join(' ', [kernel[0], Environment.MachineName, .. kernel[1..], machine]);
    }
}
