using System.Runtime.InteropServices;
using Spate.HostTuning.Reading;

namespace Spate.Cli.Iperf.Iperf3.Text;

internal static class SystemText
{
    /// <summary>The host, in the order of uname(1).</summary>
    public static string Line { get; } = Read();

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
