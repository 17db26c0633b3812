using System.Diagnostics;

namespace Spate.CliTests;

/// <summary>The tool without OpenSSL's library, as in small containers: empty files hide those of it.</summary>
public sealed class NoOpenSslTests
{
    private const int NoMount = 9;

    private const string Hide =
        "for f in $(find -L /lib /lib64 /usr/lib /usr/lib64 -maxdepth 2 -name 'libssl.so*' -o -name 'libcrypto.so*'"
        + " 2>/dev/null); do mount --bind /dev/null \"$f\" || exit 9; done; exec \"$@\"";

    public static TheoryData<string> Commands { get; } =
    [
        "send 127.0.0.1:9 --count 10", "receive 127.0.0.1:0 --seconds 0.2", "serve 127.0.0.1:0 --seconds 0.2",
        "bench pingpong --quick", "bench sessions --quick", "test -c 127.0.0.1:9 --seconds 1", "doctor", "tune",
    ];

    [Theory, MemberData(nameof(Commands))]
    public async Task Run_WithoutOpenSsl_NeedsNone(string command)
    {
        TestWidth.SkipUnlessLong("both ends of a test show it, whose code has the most to do with secrets");
        ToolResult result = await RunHiddenAsync(command);

        Assert.DoesNotContain("libssl", result.Error, StringComparison.Ordinal);
        Assert.InRange(result.ExitCode, 0, 3);
    }

    [Fact]
    public async Task Test_BothEndsWithoutOpenSsl_Runs()
    {
        // On a busy host the server may begin after the client's first hellos.
        const string both =
            "\"$@\" test -s 127.0.0.1:39917 & server=$!; for try in 1 2 3 4 5; do"
            + " \"$@\" test -c 127.0.0.1:39917 --seconds 0.2; code=$?; [ $code -eq 3 ] || break; done;"
            + " kill $server; wait $server; exit $code";

        ToolResult result = await RunHiddenAsync(
            "", Hide.Replace("exec \"$@\"", both, StringComparison.Ordinal), count: 2);

        Assert.DoesNotContain("libssl", result.Error, StringComparison.Ordinal);
        Assert.Equal(0, result.ExitCode);
    }

    [Fact]
    public async Task Test_KeyWithoutOpenSsl_IsRefusedInOneLine()
    {
        ToolResult result = await RunHiddenAsync(
            "test -c 127.0.0.1:9", "export SPATE_TEST_KEY=0123456789abcdef; " + Hide);

        string line = Assert.Single(result.ErrorLines);
        Assert.StartsWith("spate: A key needs the library of OpenSSL", line, StringComparison.Ordinal);
        Assert.Equal(3, result.ExitCode);
    }

    private static async Task<ToolResult> RunHiddenAsync(string command, string script = Hide, int count = 1)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "a mount of files needs root");
        ProcessStartInfo start = ToolProcess.StartInfoThrough(
            ["unshare", "-m", "--", "sh", "-c", script, "sh"],
            command.Split(' ', StringSplitOptions.RemoveEmptyEntries));
        using Process process = ToolProcess.Start(start, count);
        ToolResult result = await ToolProcess.FinishAsync(process);
        Assert.SkipWhen(
            result.ExitCode == NoMount || result.Error.Contains("unshare failed", StringComparison.Ordinal),
            "no mount namespace can be made here");
        return result;
    }
}
