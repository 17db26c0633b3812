using Spate.Cli.Bench.Throughput.Peers;

namespace Spate.Tests.Cli.Bench.Throughput;

/// <summary>Another program that every system has. A test says what its run gives.</summary>
internal sealed class InstalledProgram : PeerProgram
{
    public override string Name => OperatingSystem.IsWindows() ? "cmd" : "sh";

    public override bool ControlsOverTcp => true;

    public override string[] ServerArguments(PeerSetup setup) => [];

    public override string[] ClientArguments(PeerSetup setup) => [];

    public override PeerFigures? Parse(string clientOutput, string serverOutput, PeerSetup setup) => null;
}
