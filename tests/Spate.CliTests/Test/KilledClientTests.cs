using System.Diagnostics;
using System.Globalization;
using System.Text.Json;

namespace Spate.CliTests.Test;

/// <summary>Clients that are killed (SIGKILL) at any point between their start and the middle of their data.</summary>
public sealed class KilledClientTests
{
    private const int ShortTests = 2;
    private const int AtOnce = 8;

    // The tool's start takes most of a life, and longer where others start too. Of every four clients, one begins its
    // life when its first interval of data is over.
    private const int MaxLifeMilliseconds = 800;
    private const int JoinedEvery = 4;
    private const int MaxDataMilliseconds = 200;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(15);

    private static int KillCount => TestWidth.Of(8, full: 1000);

    [Fact]
    public async Task Server_ClientsKilledAtRandomPoints_IsReadyAndKeepsNothingOpen()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "/proc is needed");
        Random random = RandomCase.Create();
        int[] lives = [.. Enumerable.Range(0, KillCount).Select(_ => random.Next(MaxLifeMilliseconds))];
        await using TestServerProcess server = await TestServerProcess.StartAsync("--max-clients", "1000");
        Task<string> log = server.ReadLogAsync();
        await RunShortTestAsync(server);
        string[] openBefore = OpenIn(server);

        await Parallel.ForAsync(
            0,
            KillCount,
            new ParallelOptions
            {
                MaxDegreeOfParallelism = AtOnce,
                CancellationToken = TestContext.Current.CancellationToken,
            },
            async (i, cancellation) => await KillAsync(server, i, lives[i], cancellation));

        // The time from the last kill until the server has given up all clients and closed their sockets. Those of the
        // short test may have been open still when it was over.
        SpinWait.SpinUntil(() => IsWithin(OpenIn(server), openBefore), Patience);
        Assert.True(
            IsWithin(OpenIn(server), openBefore),
            $"{string.Join(' ', OpenIn(server))}\nbefore: {string.Join(' ', openBefore)}");
        await RunShortTestAsync(server);
        await server.DisposeAsync();
        int begun = (await log).Split(" begins\n").Length - 1 - ShortTests;
        TestContext.Current.TestOutputHelper?.WriteLine($"{begun} of {KillCount} were killed after their data began");
        Assert.InRange(begun, 1, KillCount);
    }

    private static async Task KillAsync(TestServerProcess server, int i, int life, CancellationToken cancellation)
    {
        using Process client = ToolProcess.Start(
            "test", "-c", server.EndPoint, "--seconds", "60", "--rate", "1k", "--flows", "2", "--interval", "0.1",
            i % 3 == 0 ? "--bidir" : "-R");
        if (i % JoinedEvery == 0)
        {
            Assert.NotNull(await client.StandardOutput.ReadLineAsync(cancellation));
            life = life * MaxDataMilliseconds / MaxLifeMilliseconds;
        }

        using var killed = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        killed.CancelAfter(life);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => client.WaitForExitAsync(killed.Token));
        client.Kill();
        await client.WaitForExitAsync(cancellation);
    }

    private static async Task RunShortTestAsync(TestServerProcess server)
    {
        ToolResult result = await Tool.RunAsync("test", "-c", server.EndPoint, "--count", "100", "--json", "-");

        Assert.True(result.ExitCode == 0, result.Error);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        Assert.Equal(0, report.RootElement.GetProperty("directions")[0].GetProperty("lost").GetInt64());
    }

    private static bool IsWithin(string[] open, string[] before) =>
        open.Length <= before.Length && !open.Except(before, StringComparer.Ordinal).Any();

    // The runtime opens files of its own when it likes; a test has sockets, and what its backend makes of them.
    private static string[] OpenIn(TestServerProcess server) =>
    [
        .. Directory.GetFileSystemEntries(
                string.Create(CultureInfo.InvariantCulture, $"/proc/{server.ProcessId}/fd"))
            .Select(static one => new FileInfo(one).LinkTarget ?? "")
            .Where(static target => target.StartsWith("socket:", StringComparison.Ordinal)
                || target.StartsWith("anon_inode:", StringComparison.Ordinal))
            .Order(StringComparer.Ordinal),
    ];
}
