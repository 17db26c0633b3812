using Spate.Cli;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;

namespace Spate.CliTests.Gateway;

/// <summary>What is wrong on the command line of <c>spate gateway</c> is told in one line.</summary>
public sealed class GatewayOptionTests
{
    private const string Secret = "hunter2";
    private const string Broker = "amqp://localhost";

    // What four messages of one thread need, beside a full window of them and two accounting messages.
    private const string MinBytes = "4456448";

    public static TheoryData<string, string[]> WrongUses { get; } = new()
    {
        { "--to is missing: expected amqp://HOST", [] },
        { "contains a user or a password", ["--to", $"amqp://me:{Secret}@localhost/v", "--stream", "s"] },
        { "contains a user or a password", ["--to", $"amqp://me:{Secret},x/y@localhost/v", "--stream", "s"] },
        { "'http://localhost' is not a target", ["--to", "http://localhost", "--stream", "s"] },
        { @"'amqp:\u001b[2J' is not a target", ["--to", "amqp:\u001b[2J", "--stream", "s"] },
        { "has no valid port", ["--to", "amqp://localhost:65536", "--stream", "s"] },
        { "the destination is missing: expected --stream NAME or --queue NAME", ["--to", Broker] },
        { "--stream and --queue exclude each other", ["--to", Broker, "--stream", "s", "--queue", "q"] },
        { "The name of a stream or queue has 1 to 200", ["--to", Broker, "--stream", new string('s', 201)] },
        { $"give at least {MinBytes} bytes", ["--to", "null:", "--threads", "1", "--memory", "4456447"] },
        { "--memory '1000' is wrong: expected from 1048576", ["--to", "null:", "--memory", "1000"] },
        { "--allow '10.0.0.0/33' is wrong: expected an address", ["--to", "null:", "--allow", "10.0.0.0/33"] },
        { "--allow '10' is wrong: expected an address", ["--to", "null:", "--allow", "10"] },
        { "--allow '192.168/16' is wrong", ["--to", "null:", "--allow", "192.168/16"] },
        { "--declare has no effect without a broker", ["--to", "null:", "--declare"] },
        { "--user has no effect with --to null:", ["--to", "null:", "--user", "me"] },
        { "--password-file has no effect with --to null:", ["--to", "null:", "--password-file", "pw"] },
        { "--user is empty", ["--to", Broker, "--stream", "s", "--user", ""] },
        {
            "--offset next reads nothing without --follow: add --follow, or use another --offset",
            ["read", "--from", Broker, "--stream", "s", "--offset", "next"]
        },
        { "--allow 'here' is wrong", ["--to", "null:", "--allow", "here"] },
        { "--pack-bytes '4095' is wrong", ["--to", "null:", "--pack-bytes", "4095"] },
        { "--pack-wait '2' is wrong", ["--to", "null:", "--pack-wait", "2"] },
        { "--window '0' is wrong", ["--to", "null:", "--window", "0"] },
        { "--when-full 'never' is wrong", ["--to", "null:", "--when-full", "never"] },
        { "--steering 'chaos' is wrong", ["--to", "null:", "--steering", "chaos"] },
        {
            "--partition-by 'size' is wrong: expected peer or round-robin",
            ["--to", "null:", "--partitions", "2", "--partition-by", "size"]
        },
        { "--max-length has no effect without --declare", ["--to", Broker, "--stream", "s", "--max-length", "1G"] },
        { "An id has 1 to 64 bytes", ["--to", "null:", "--id", new string('x', 65)] },
        { "--from is missing", ["read"] },
        { "--from null: has nothing to read", ["read", "--from", "null:", "--stream", "s"] },
        { "--stream is missing: expected --stream NAME", ["read", "--from", Broker, "--verify"] },
        { "--queue", ["read", "--from", Broker, "--queue", "q", "--verify"] },
        { "--offset 'last' is wrong", ["read", "--from", Broker, "--stream", "s", "--offset", "last"] },
        { "--partitions '65' is wrong", ["read", "--from", Broker, "--stream", "s", "--partitions", "65"] },
        { "256 bytes: expected 1 to 255", ["read", "--from", Broker, "--stream", new string('s', 256)] },
        {
            "--ndjson and --json - both write to stdout",
            ["read", "--from", Broker, "--stream", "s", "--ndjson", "--json", "-"]
        },
        { "--ca has no effect without TLS", ["read", "--from", Broker, "--stream", "s", "--ca", "ca.pem"] },
    };

    public static TheoryData<string, string[]> Refusals { get; } = new()
    {
        {
            "the password file '/nowhere/pw' cannot be read",
            ["--to", Broker, "--stream", "s", "--password-file", "/nowhere/pw"]
        },
        {
            "the password file '/dev/null' holds 0 bytes: expected 1 to 255",
            ["--to", Broker, "--stream", "s", "--password-file", "/dev/null"]
        },
        {
            "the certificates in '/nowhere/ca' cannot be read",
            ["read", "--from", "amqps://localhost", "--stream", "s", "--ca", "/nowhere/ca"]
        },
        {
            "'/dev/null' holds no certificate",
            ["read", "--from", "amqps://localhost", "--stream", "s", "--ca", "/dev/null"]
        },
    };

    [Theory]
    [MemberData(nameof(WrongUses))]
    public void Run_WrongUse_IsOneLineAndExitCodeTwo(string expected, string[] arguments) =>
        AssertOneLine(ExitCode.WrongUse, expected, arguments);

    [Theory]
    [MemberData(nameof(Refusals))]
    public void Run_UnusableFile_IsOneLineAndExitCodeThree(string expected, string[] arguments)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "/dev/null is needed");
        AssertOneLine(ExitCode.CouldNotRun, expected, arguments);
    }

    [Fact]
    public void Run_LeastMemory_Works()
    {
        using var error = new StringWriter();
        string[] arguments =
        [
            "127.0.0.1:0", "--to", "null:", "--threads", "1", "--memory", MinBytes, "--seconds", "0.01",
        ];

        Assert.Equal(ExitCode.Done, Run(error, arguments));
    }

    [Theory]
    [InlineData("--verify")]
    [InlineData("--verify", "--follow")]
    public void Run_ReadEndedByASignalBeforeABrokerIsReached_HasVerifiedNothing(params string[] arguments)
    {
        using var output = new StringWriter();
        var streams = new Streams
        {
            Output = output,
            Error = TextWriter.Null,
            OutputFailed = new CancellationToken(true),
        };

        string[] read = ["gateway", "read", "--from", "amqp://127.0.0.1:1", "--stream", "s", .. arguments];
        Assert.Equal(ExitCode.CouldNotRun, CommandLine.Run(read, streams));
        Assert.Contains("stopped before the end of the stream", output.ToString(), StringComparison.Ordinal);
    }

    private static void AssertOneLine(int exitCode, string expected, string[] arguments)
    {
        using var error = new StringWriter();
        int end = Run(error, arguments);

        // A gateway says that it connects, before its options are checked against each other.
        string line = Assert.Single(error.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries), static one =>
            !one.StartsWith("spate: connecting to ", StringComparison.Ordinal));
        Assert.Contains(expected, line, StringComparison.Ordinal);
        Assert.DoesNotContain(Secret, line, StringComparison.Ordinal);
        Assert.Equal(exitCode, end);
    }

    private static int Run(StringWriter error, string[] arguments) => CommandLine.Run(
        ["gateway", .. arguments], new Streams { Output = TextWriter.Null, Error = error });
}
