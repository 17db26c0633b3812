using System.Diagnostics;

namespace Spate.CliTests.Samples;

/// <summary>The programs that send datagrams back, and the one that floods them.</summary>
public sealed class EchoSampleTests
{
    /// <summary>The samples that send datagrams back, under the settings that choose how they receive.</summary>
    public static MatrixTheoryData<string, string> EchoesUnderSettings =>
        new MatrixTheoryData<string, string>(
            ["Channel", "Echo", "EchoServer", "HostedEcho", "SocketsBaseline"],
            ["", "SPATE_GRO=0", "SPATE_BACKEND=portable", "SPATE_BACKEND=uring"]);

    [Theory]
    [InlineData("Channel", "INT")]
    [InlineData("Echo", "TERM")]
    [InlineData("EchoServer", "INT")]
    [InlineData("SocketsBaseline", "TERM")]
    public async Task Echo_AlsoAfterAnAttack_ComesBack(string name, string signal)
    {
        TestWidth.SkipUnlessLongOr(name is "Echo", "one sample shows how all are started and ended");
        await using RunningSample sample = await RunningSample.StartAsync(name);
        using var client = new SampleClient(sample.EndPoint);
        byte[] payload = [.. "an echo"u8];
        await client.AskAsync(payload, answer => answer.AsSpan().SequenceEqual(payload));

        await sample.AttackAsync(RandomCase.Create());
        await client.AskAsync(payload, answer => answer.AsSpan().SequenceEqual(payload));

        Assert.Matches("[1-9][0-9]* (answered|sent)", await sample.EndAsync(signal));
    }

    [Theory, MemberData(nameof(EchoesUnderSettings))]
    public async Task Echo_LongDatagrams_ComeBackWhole(string name, string setting)
    {
        TestWidth.SkipUnlessLong(
            "twenty processes; Handler_LongPackets relays such datagrams, and ServerLongDatagramTests echoes them");
        await using RunningSample sample = await RunningSample.StartUnderAsync(setting, name);
        using var client = new SampleClient(sample.EndPoint);
        foreach (int lengthBytes in (int[])[2049, 9000, 65_507])
        {
            byte[] payload = new byte[lengthBytes];
            new Random(lengthBytes).NextBytes(payload);
            await client.AskAsync(payload, answer => answer.AsSpan().SequenceEqual(payload));
        }
    }

    [Fact]
    public async Task Flood_OfAnEchoServer_SendsAll()
    {
        TestWidth.SkipUnlessLong(
            "two processes; Echo_AlsoAfterAnAttack starts a sample, and TrafficTests sends many datagrams");
        await using RunningSample sample = await RunningSample.StartAsync("EchoServer");

        using Process flood = ToolProcess.Start(RunningSample.StartInfo("Flood", $"{sample.EndPoint.Port}", "1000"));
        ToolResult result = await ToolProcess.FinishAsync(flood);

        Assert.Equal(0, result.ExitCode);
        Assert.StartsWith("1000 sent, 0 refused, ", result.Output, StringComparison.Ordinal);
    }
}
