using System.Globalization;
using System.Net;

namespace Spate.CliTests.Traffic;

/// <summary>The port of a receiver whose flows share it with each other belongs to nobody else.</summary>
public sealed class ReceivePortTests
{
    [Theory]
    [InlineData("receive {0} --flows 2")]
    [InlineData("receive {0}")]
    [InlineData("serve {0}")]
    public async Task Open_PortOfAReceiverWithFlows_IsBusy(string command)
    {
        await using RunningTool first = Tool.Start("receive", "127.0.0.1:0", "--flows", "2");
        IPEndPoint at = await first.ReadEndPointAsync("spate: receiving at ");

        // A second that is not refused ends by itself, so that the test fails and does not hang.
        ToolResult second = await Tool.RunAsync(
            [.. string.Format(CultureInfo.InvariantCulture, command, at).Split(' '), "--seconds", "1"]);

        Assert.Equal(
            $"spate: Port {at.Port} is in use at {at}: choose another port, or end the program that uses it "
            + "(spate explain address-already-in-use)",
            Assert.Single(second.ErrorLines));
        Assert.Equal(3, second.ExitCode);
        Assert.Empty(second.Output);
    }
}
