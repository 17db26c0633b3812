using Spate.Cli;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;

namespace Spate.CliTests.Iperf.Iperf2;

/// <summary>What the command does before a test begins: the whole tool in this process.</summary>
public sealed class Iperf2CommandTests
{
    [Theory]
    [InlineData("--help", "spate iperf2 -c HOST -u [options]")]
    [InlineData("-v", "spate ")]
    [InlineData("--version", "spate ")]
    [InlineData("-suv", "spate ")]
    public void Run_HelpOrVersion_IsShown(string option, string expected)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();

        int exitCode = CommandLine.Run(["iperf2", option], new Streams { Output = output, Error = error });

        Assert.Equal(ExitCode.Done, exitCode);
        Assert.Contains(expected, output.ToString(), StringComparison.Ordinal);
        Assert.Empty(error.ToString());
    }
}
