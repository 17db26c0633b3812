using System.Text.Json;

namespace Spate.HostTests.Cli.Doctor;

/// <summary>
/// <c>spate doctor --target</c> over the paths that <see cref="DoctorPaths"/> makes, and to this host.
/// </summary>
public sealed class DoctorTargetTests(DoctorPaths paths) : IClassFixture<DoctorPaths>
{
    [Theory]
    [InlineData("IPv4", "1,400 bytes over IPv4", "payloads of at most 1,372 bytes")]
    [InlineData("IPv6", "1,400 bytes over IPv6", "payloads of at most 1,352 bytes")]
    public async Task Doctor_RouterWithASmallerMtu_FindsItToTheByte(string run, string found, string wanted)
    {
        Dictionary<string, JsonElement> checks = await paths.ChecksAsync(run);

        Assert.Equal(("advice", found, wanted), (
            Text(checks["path-mtu"], "status"), Text(checks["path-mtu"], "found"), Text(checks["path-mtu"], "wanted")));
        Assert.Equal("ok", Text(checks["ecn"], "status"));
        Assert.Equal("ok", Text(checks["ecmp"], "status"));
        Assert.Equal("end0", Text(checks["path-mtu"], "interface"));
    }

    [Fact]
    public async Task Doctor_RouterThatTellsNothing_FindsTheMtuNevertheless()
    {
        Dictionary<string, JsonElement> checks = await paths.ChecksAsync("silent", "nftables is needed");

        Assert.Equal("1,400 bytes over IPv4", Text(checks["path-mtu"], "found"));
    }

    [Fact]
    public async Task Doctor_WayBackThatIsNarrower_IsToldByTheFragments()
    {
        Dictionary<string, JsonElement> checks = await paths.ChecksAsync("narrow");

        Assert.Equal("advice", Text(checks["path-mtu"], "status"));
        Assert.Matches(
            "^1,500 bytes over IPv4, 1,(300|29[0-9]) bytes on the return path$", Text(checks["path-mtu"], "found"));
    }

    [Fact]
    public async Task Doctor_TwoNextHops_AdvisesToShareFlowsOutByPort()
    {
        Dictionary<string, JsonElement> checks = await paths.ChecksAsync("hops", "this kernel has no multipath routes");

        Assert.Equal("2 next hops over IPv4", Text(checks["ecmp"], "found"));
        Assert.Equal("sysctl -w net.ipv4.fib_multipath_hash_policy=1", Text(checks["ecmp"], "command"));
    }

    [Fact]
    public async Task Doctor_ClearedMarksOrNoAnswer_IsUnknown()
    {
        Dictionary<string, JsonElement> checks = await paths.ChecksAsync("unanswered");

        Assert.Equal("unknown", Text(checks["path-mtu"], "status"));
        Assert.Contains("answered no probe", Text(checks["path-mtu"], "reason"), StringComparison.Ordinal);
        Assert.False(checks.ContainsKey("ecn"));
    }

    [Fact]
    public async Task Doctor_WithoutPrivileges_SaysWhatProbesNeed()
    {
        using var copy = new ReadableTool();
        ToolResult result = await ToolProcess.RunInOwnNetworkAsync(
            $"ip link set lo up || exit 9\nshift {ToolProcess.Words.Count}\nexec \"$@\"",
            [.. copy.AsNobody("doctor", "--seconds", "0.1", "--target", "127.0.0.1", "--all")]);

        ReadableTool.SkipIfItCannotRun(result);
        Assert.Equal(0, result.ExitCode);
        Assert.Contains("net.ipv4.ping_group_range", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Doctor_Loopback_PassesTheLargestPacketAndNamesNoTarget()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "probes need root");

        ToolResult result = await Tool.RunAsync(
            "doctor", "--seconds", "0.1", "--profile", "1g", "--target", "localhost", "--json", "-");

        Assert.Equal((0, ""), (result.ExitCode, result.Error));
        Assert.DoesNotContain("localhost", result.Output, StringComparison.Ordinal);
        using JsonDocument document = JsonDocument.Parse(result.Output);
        JsonElement mtu = document.RootElement.GetProperty("checks").EnumerateArray()
            .First(static check => Text(check, "id") is "path-mtu");
        Assert.Equal(("ok", "65,535 bytes over IPv4"), (Text(mtu, "status"), Text(mtu, "found")));
    }

    private static string Text(JsonElement check, string field) => check.GetProperty(field).GetString()!;
}
