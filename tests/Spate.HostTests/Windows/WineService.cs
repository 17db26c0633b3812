using System.Globalization;
using System.Text.RegularExpressions;

namespace Spate.HostTests.Windows;

/// <summary>The sample HostedEcho, installed as a service in a Wine prefix.</summary>
internal sealed partial class WineService : IAsyncDisposable
{
    private const string Program = "HostedEcho";

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(100);

    private readonly WinePrefix _prefix;

    private WineService(WinePrefix prefix) => _prefix = prefix;

    private string Folder => Path.Combine(_prefix.ProgramFiles, Program);

    /// <summary>
    /// Copies the published program into a prefix of its own, as an administrator does, and makes a service of it.
    /// Skips the test if none is published.
    /// </summary>
    public static async Task<WineService> InstallAsync()
    {
        string published = Path.GetDirectoryName(WindowsPrograms.Require("service", Program))!;
        var service = new WineService(await WinePrefix.StartAsync());
        try
        {
            await service._prefix.SucceedAsync("cp", "-r", published, service.Folder);
            string path = $@"C:\Program Files\{Program}\{Program}.exe";
            await service.ControlAsync("create", "binPath=", $"\"{path}\"", "start=", "demand");
            return service;
        }
        catch
        {
            await service.DisposeAsync();
            throw;
        }
    }

    /// <summary>Writes an end point into appsettings.json in the folder of the program.</summary>
    public void Configure(string endPoint)
    {
        string path = Path.Combine(Folder, "appsettings.json");
        string text = File.ReadAllText(path);
        string changed = EndPoints().Replace(text, $"\"LocalEndPoints\": [ \"{endPoint}\" ]");
        Assert.True(EndPoints().IsMatch(text), $"appsettings.json has no EndPoints:\n{text}");
        File.WriteAllText(path, changed);
    }

    /// <summary>Starts the service's process, without waiting for the server.</summary>
    public Task BeginAsync() => ControlAsync("start");

    /// <summary>Starts the service; returns the port that it says it listens at.</summary>
    public async Task<int> StartAsync()
    {
        await BeginAsync();
        string told = await _prefix.NextEventAsync("UDP server 'echo' listens at ");
        return int.Parse(Port().Match(told).Groups["port"].Value, CultureInfo.InvariantCulture);
    }

    /// <summary>Stops the service; returns the event with the totals.</summary>
    public async Task<string> StopAsync()
    {
        await ControlAsync("stop");
        string totals = await _prefix.NextEventAsync("UDP server 'echo' has stopped. ");
        await _prefix.NextEventAsync("Service stopped successfully.");
        return totals;
    }

    /// <summary>Waits until the service is in a state; returns its exit code.</summary>
    public async Task<int> WaitForStateAsync(string state)
    {
        using var patience = new CancellationTokenSource(Patience);
        while (true)
        {
            string answer = await ControlAsync("query");
            if (string.Equals(State().Match(answer).Groups["state"].Value, state, StringComparison.Ordinal))
            {
                return int.Parse(ExitCode().Match(answer).Groups["code"].Value, CultureInfo.InvariantCulture);
            }

            Assert.False(
                patience.IsCancellationRequested,
                $"The state {state} did not come in {Patience.TotalSeconds} s. 'sc query' says:\n{answer}");
        }
    }

    /// <summary>Whether the manager of services knows it.</summary>
    public async Task<bool> ExistsAsync() => (await _prefix.RunAsync("wine", "sc", "query", Program)).ExitCode == 0;

    public Task DeleteAsync() => ControlAsync("delete");

    /// <summary>Waits for the next event whose text has this part.</summary>
    public Task<string> NextEventAsync(string part) => _prefix.NextEventAsync(part);

    // The service is removed with its prefix, in whatever state a test has left it.
    public ValueTask DisposeAsync() => _prefix.DisposeAsync();

    private Task<string> ControlAsync(string command, params string[] options) =>
        _prefix.SucceedAsync(["wine", "sc", command, Program, .. options]);

    [GeneratedRegex(@"""LocalEndPoints"": \[.*?\]", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex EndPoints();

    [GeneratedRegex(@" at 127\.0\.0\.1:(?<port>\d+)", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Port();

    [GeneratedRegex(@"STATE\s*: \d+\s+(?<state>\w+)", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex State();

    [GeneratedRegex(
        @"WIN32_EXIT_CODE\s*: (?<code>\d+)", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex ExitCode();
}
