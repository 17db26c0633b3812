namespace Spate.CliTests;

public sealed class WrongUseTests
{
    public static TheoryData<string, string[]> WrongUses { get; } = new()
    {
        { "unknown command 'sned'", ["sned"] },
        { "unknown option '--foo'", ["--foo"] },
        { "needs HOST[:PORT]", ["send"] },
        { "unknown option '--sizee'", ["send", "localhost", "--sizee", "64"] },
        { "unknown option '--nope'", ["receive", "--nope"] },
        { "unknown option '--nope'", ["info", "--nope"] },
        { "unknown option '--nope'", ["bench", "--nope"] },
        { "unexpected argument", ["info", "extra"] },
        { "unexpected argument", ["receive", "127.0.0.1:1", "127.0.0.1:2"] },
        { "--size needs a value", ["send", "localhost", "--size"] },
        { "--json needs a value", ["info", "--json"] },
        { "--count needs a value", ["receive", "--count", "10k", "--count"] },
        { "--json has no file", ["info", "--json", ""] },
        { "2 were provided", ["send", "localhost", "--size", "1", "--size", "2"] },
        { "expected a number from 1 to 65535", ["send", "localhost:65536"] },
        { "expected a number from 1 to 65535", ["send", "localhost:x"] },
        { "has port 0", ["send", "localhost:0"] },
        { "expected a number", ["receive", "127.0.0.1:99999"] },
        { "unknown host 'no-such-host..invalid'", ["send", "no-such-host..invalid"] },
        { "is not an IPv4 address", ["send", "1.2.3"] },
        { "is not an IPv4 address", ["send", "300.1.1.1"] },
        { "is not an IPv6 address", ["send", "[::zz]:9999"] },
        { "lacks a ']'", ["send", "[::1"] },
        { "which does not exist", ["send", "[fe80::1%no-such-if]:9999"] },
        { "is a URL", ["send", "udp://localhost"] },
        { "is not a host", ["send", "a\nb"] },
        { "at most 65507", ["send", "127.0.0.1", "--size", "65508"] },
        { "to 65527 bytes", ["send", "::1", "--size", "65528"] },
        { "--size '12x'", ["send", "localhost", "--size", "12x"] },
        { "--size '-1'", ["send", "localhost", "--size=-1"] },
        { "--rate '0x'", ["send", "localhost", "--rate", "0x"] },
        { "--rate '0'", ["send", "localhost", "--rate", "0"] },
        { "--pace 'nap'", ["send", "localhost", "--rate", "1", "--pace", "nap"] },
        { "--pace has no effect without", ["send", "localhost", "--rate", "max", "--pace", "spin"] },
        { "below one datagram", ["send", "localhost", "--rate", "5bit"] },
        { "below one datagram", ["tune", "--measure", "--rate", "1bit"] },
        { "a test has 1 to", ["test", "-c", "127.0.0.1:9", "--count", "9223372036854775807"] },
        { "--size is 0", ["send", "localhost", "--rate", "5Gbit", "--size", "0"] },
        { "--count '0'", ["send", "localhost", "--count", "0"] },
        { "--seconds '0'", ["send", "localhost", "--seconds", "0"] },
        { "--interval '0.01'", ["receive", "--interval", "0.01"] },
        { "--flows '0'", ["send", "localhost", "--flows", "0"] },
        { "--flows '257'", ["send", "localhost", "--flows", "257"] },
        { "this CPU does not exist", ["send", "localhost", "--cpu", "9999"] },
        { "is not a list of CPUs", ["send", "localhost", "--cpu", "x"] },
        { "has a CPU twice", ["send", "localhost", "--flows", "2", "--cpu", "0,0"] },
        { "--backend 'foo'", ["send", "localhost", "--backend", "foo"] },
        { "--backend 'foo'", ["receive", "--backend", "foo"] },
        { "unknown option '--size' for spate receive", ["receive", "--size", "5"] },
        { "--no-gso has no effect with spate receive", ["receive", "--no-gso"] },
        { "--no-gro has no effect with spate send", ["send", "localhost", "--no-gro"] },
        { "--no-accounting excludes", ["receive", "--no-accounting", "--verify"] },
        { "--deadline '0'", ["receive", "--deadline", "0"] },
        { "--verify needs room for the checksum", ["send", "127.0.0.1:9", "--verify", "--size", "35"] },
        { "--flows 2 cannot share the group", ["receive", "239.1.1.1:5000", "--flows", "2"] },
        { "is a multicast group", ["serve", "239.1.1.1:5000"] },
        { "--buffer '1'", ["receive", "--buffer", "1"] },
        { "'' is not an address", ["receive", ""] },
        { "'' is not an address", ["serve", "127.0.0.1:0", ""] },
        { "exclude each other", ["send", "localhost", "-4", "-6"] },
        { "-4 requires IPv4", ["send", "::1", "-4"] },
        { "-6 requires IPv6", ["receive", "127.0.0.1:9999", "-6"] },
        { "unknown command 'dry'", ["bench", "dry"] },
        { "--rows 'none'", ["bench", "--rows", "none"] },
        { "--cpu '0'", ["bench", "--cpu", "0"] },
        { "--seconds '1'", ["bench", "--seconds", "1"] },
        { "--quick and --seconds", ["bench", "drain", "--quick", "--seconds", "10"] },
    };

    /// <summary>Options that have another option where their value should be.</summary>
    public static TheoryData<string, string[]> MissingValues { get; } = new()
    {
        { "--json needs a value: --json FILE|- (see", ["receive", "--json", "--interval", "0"] },
        { "--json needs a value", ["info", "--json", "--fail-if", "kind == info"] },
        { "--json needs a value", ["info", "--json=--x"] },
        { "--fail-if needs a value", ["info", "--fail-if", "--json", "-"] },
        { "--fail-if needs a value", ["info", "--fail-if"] },
        { "--to needs a value", ["serve", "--app", "relay", "--to", "--once"] },
        { "--rate needs a value", ["send", "localhost", "--rate", "--no-gso"] },
        { "--rows needs a value", ["bench", "--rows", "--quick"] },
    };

    public static TheoryData<string, string[]> HostsWithAPort { get; } = new()
    {
        {
            "'127.0.0.1:x' is not a host: expected a name or an address without a port",
            ["doctor", "--target", "127.0.0.1:x"]
        },
        { "expected a name or an address without a port, such as", ["doctor", "--target", "[::1]:9"] },
        { "expected a name or an address without a port, such as", ["iperf3", "-u", "-c", "127.0.0.1:5201"] },
    };

    public static TheoryData<string, string[]> WrongUsesOfBenches { get; } = new()
    {
        { "--size '4'", ["bench", "--size", "4"] },
        { "--size '64,64'", ["bench", "--size", "64,64"] },
        { "--count '0'", ["bench", "sockets", "--count", "0"] },
        { "--count '5,5'", ["bench", "sockets", "--count", "5,5"] },
        { "--queued '65'", ["bench", "sockets", "--queued", "65"] },
        { "--size '64,128'", ["bench", "sockets", "--size", "64,128"] },
        { "--quick and --seconds", ["bench", "relay", "--quick", "--seconds", "10"] },
        { "unknown option '--flows'", ["bench", "pingpong", "--flows", "10"] },
        { "--count '0'", ["bench", "pingpong", "--count", "0"] },
        { "from 8 to 65507 bytes", ["bench", "pingpong", "--size", "4"] },
        { "--cpu '0'", ["bench", "pingpong", "--cpu", "0"] },
        { "--rows 'none'", ["bench", "designs", "--rows", "ring,none"] },
        { "--work '0,-1'", ["bench", "designs", "--work", "0,-1"] },
        { "--threads '1,1'", ["bench", "designs", "--threads", "1,1"] },
        { "--count '2'", ["bench", "designs", "--count", "2"] },
        { "--quick and --seconds", ["bench", "designs", "--quick", "--seconds", "10"] },
        { "on, off or both", ["bench", "relay", "--gso", "some"] },
        { "--rate '999'", ["bench", "relay", "--rate", "999"] },
        { "--rate '5Gbit'", ["bench", "relay", "--rate", "5Gbit"] },
        { "--seconds '1'", ["bench", "relay", "--seconds", "1"] },
    };

    public static TheoryData<string, string[]> WrongUsesOfServe { get; } = new()
    {
        { "unknown option '--nope'", ["serve", "--nope"] },
        { "ring, adaptive or reader-workers; on Windows also iocp-one, iocp-several", ["serve", "--design", "fast"] },
        { "expected count, echo, discard or relay", ["serve", "--app", "Echo"] },
        { "--app relay needs a destination", ["serve", "--app", "relay"] },
        { "it is for --app relay", ["serve", "--to", "127.0.0.1:5000"] },
        { "would send to itself", ["serve", "127.0.0.1:5000", "--app", "relay", "--to", "127.0.0.1:5000"] },
        { "would send to itself", ["serve", "--app", "relay", "--to", "localhost"] },
        { "cannot send to", ["serve", "--app", "relay", "--to", "[::1]:5000"] },
        { "would send to itself", ["serve", "127.0.0.1:5000", "--app", "relay", "--to", "0.0.0.0:5000"] },
        { "would send to itself", ["serve", ":5000", "--app", "relay", "--to", "127.9.9.9:5000"] },
        { "would send to itself", ["serve", "[::]:5000", "--app", "relay", "--to", "127.0.0.1:5000"] },
        { "has no effect with --app echo: it is for --app count", ["serve", "--app", "echo", "--once"] },
        { "--wake-threshold has no effect with --design sharded (the default)", ["serve", "--wake-threshold", "8"] },
        { "--patience '0'", ["serve", "--once", "--patience", "0"] },
        { "is given twice", ["serve", "127.0.0.1:5000", "127.0.0.1:5000"] },
        { "--threads '0'", ["serve", "--threads", "0"] },
        { "--work '-1'", ["serve", "--work=-1"] },
        { "--wake-threshold '0'", ["serve", "--wake-threshold", "0"] },
        { "expected automatic, blocking, adaptive or spinning", ["serve", "--wait", "busy"] },
        { "expected automatic, kernel, flow-hash, cpu or spread", ["serve", "--steering", "ip"] },
        { "this CPU does not exist", ["serve", "--cpu", "9999"] },
        { "unknown option '--flows'", ["serve", "--flows"] },
    };

    [Theory]
    [MemberData(nameof(WrongUses))]
    [MemberData(nameof(MissingValues))]
    [MemberData(nameof(HostsWithAPort))]
    [MemberData(nameof(WrongUsesOfBenches))]
    [MemberData(nameof(WrongUsesOfServe))]
    public async Task WrongUse_AnyKind_IsOneClearLineAndExitCodeTwo(string expected, string[] arguments)
    {
        ToolResult result = await Tool.RunAsync(arguments);

        AssertOneLine(result, expected);
        Assert.Equal(2, result.ExitCode);
    }

    [Theory]
    [InlineData("a whole number from 1 to 256", "receive", "--flows", "0")]
    [InlineData("from 0 to 65527 bytes, such as 1380", "send", "localhost", "--size", "64k")]
    [InlineData("seconds from 5 to 31536000, such as 10", "bench", "--seconds", "0")]
    [InlineData("0, or seconds from 0.1 to 31536000, such as 10, 0.5 or 200ms", "receive", "--interval", "0.01")]
    [InlineData("0, or seconds from 0.1 to 31536000, such as 10, 0.5 or 200ms", "serve", "--interval", "31536001")]
    [InlineData("0, or seconds from 0.1 to 31536000, such as 10, 0.5 or 200ms", "send", "localhost", "--interval", "x")]
    public async Task WrongUse_OutOfBounds_GivesNoExampleThatIsToo(string ending, params string[] arguments)
    {
        ToolResult result = await Tool.RunAsync(arguments);

        Assert.EndsWith($"expected {ending}", Assert.Single(result.ErrorLines), StringComparison.Ordinal);
        Assert.Equal(2, result.ExitCode);
    }

    [Theory]
    [InlineData("/no-such-directory/report.json", ": the directory '/no-such-directory' does not exist;")]
    [InlineData("/", ": it is a directory;")]
    public async Task Json_PathThatCannotBeWritten_IsOneLineAndExitCodeThree(string path, string reason)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the paths are Linux's");

        ToolResult result = await Tool.RunAsync("info", "--json", path);

        AssertOneLine(result, "cannot write the report");
        AssertOneLine(result, reason);
        Assert.Equal(3, result.ExitCode);
    }

    [Fact]
    public async Task Json_FullDevice_IsOneLineAndExitCodeThree()
    {
        Assert.SkipUnless(File.Exists("/dev/full"), "/dev/full is needed");

        ToolResult result = await Tool.RunAsync("info", "--json", "/dev/full");

        string line = Assert.Single(result.ErrorLines);
        Assert.Contains("cannot write the report", line, StringComparison.Ordinal);
        Assert.Equal(3, result.ExitCode);
    }

    private static void AssertOneLine(ToolResult result, string expected)
    {
        string line = Assert.Single(result.ErrorLines);
        Assert.StartsWith("spate: ", line, StringComparison.Ordinal);
        Assert.Contains(expected, line, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", result.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("Exception", result.Error, StringComparison.Ordinal);
        Assert.Empty(result.Output);
    }
}
