namespace Spate.HostTests.Windows;

/// <summary>The stand-in for what Wine lacks of Winsock keeps Microsoft's rules: its own program checks each.</summary>
public sealed class WinsockModelCheckTests
{
    [Theory]
    [InlineData("receives")]
    [InlineData("limits")]
    [InlineData("misuse")]
    [InlineData("segments")]
    [InlineData("coalescing")]
    public async Task Check_OfRules_FindsEachKept(string group)
    {
        string program = WindowsPrograms.Require("standin", "check");
        Programs.Require("wine", "wine");

        ToolResult result = await ToolProcess.RunProgramAsync("wine", program, group);

        Assert.True(result.ExitCode == 0, $"exit code {result.ExitCode}: {result.Output}{result.Error}");
        TestContext.Current.TestOutputHelper!.WriteLine(result.Output.Trim());
    }

    [Fact]
    public async Task RunOverStandIn_OfTool_Succeeds()
    {
        WineTool.Require();

        ToolResult result = await WineTool.RunOverStandInAsync("info");

        Assert.True(result.ExitCode == 0, $"exit code {result.ExitCode}: {result.Output}{result.Error}");
    }
}
