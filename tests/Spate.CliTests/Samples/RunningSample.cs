using System.Diagnostics;
using System.Net;
using System.Text.RegularExpressions;

namespace Spate.CliTests.Samples;

/// <summary>A program of samples/ as a process of its own, at a port of the system's choice.</summary>
internal sealed class RunningSample : IAsyncDisposable
{
    /// <summary>Why a short run does without most samples.</summary>
    public const string WholeProgram =
        "a process of a whole program; the Handler_ tests, and Echo of Echo_AlsoAfterAnAttack, stand for it";

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly Process _process;

    private RunningSample(Process process, IPEndPoint endPoint)
    {
        _process = process;
        EndPoint = endPoint;
    }

    public IPEndPoint EndPoint { get; }

    /// <summary>Starts a sample, and waits for the line by which it says where it listens.</summary>
    /// <param name="name">The sample's folder.</param>
    /// <param name="options">What follows the port on its command line.</param>
    public static Task<RunningSample> StartAsync(string name, params string[] options) =>
        StartAsync(name, StartInfo(name, ["0", .. options]));

    /// <summary>The same with a variable of the environment, such as SPATE_GRO=0.</summary>
    public static Task<RunningSample> StartUnderAsync(string setting, string name)
    {
        ProcessStartInfo start = StartInfo(name, "0");
        if (setting.Split('=') is [string variable, string value]) start.Environment[variable] = value;
        return StartAsync(name, start);
    }

    /// <summary>How a sample is started, its streams being pipes.</summary>
    public static ProcessStartInfo StartInfo(string name, params string[] arguments) =>
        ToolProcess.StartInfoOf(["dotnet", PathOf(name), .. arguments]);

    /// <summary>Sends the datagrams of <see cref="SampleAttack"/>.</summary>
    /// <param name="random">The source of chance.</param>
    /// <param name="valid">Datagrams that the sample understands.</param>
    public Task AttackAsync(Random random, params byte[][] valid) => SampleAttack.SendAsync(EndPoint, random, valid);

    /// <summary>Ends the sample by a signal, and checks that it ends well and told of no error.</summary>
    /// <returns>What the sample printed after its first line.</returns>
    public async Task<string> EndAsync(string signal = "TERM")
    {
        ToolResult result = await FinishAsync(signal);
        Assert.Equal("", result.Error);
        return result.Output;
    }

    /// <summary>Ends the sample by a signal, as a service manager does, and checks that it ends well.</summary>
    public async Task<ToolResult> FinishAsync(string signal = "TERM")
    {
        using Process kill = Process.Start("kill", ["-" + signal, $"{_process.Id}"]);
        await kill.WaitForExitAsync(TestContext.Current.CancellationToken);
        ToolResult result = await ToolProcess.FinishAsync(_process);
        Assert.Equal(0, result.ExitCode);
        return result;
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited) _process.Kill();
        await _process.WaitForExitAsync();
        _process.Dispose();
    }

    private static async Task<RunningSample> StartAsync(string name, ProcessStartInfo start)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || OperatingSystem.IsMacOS(), "kill(1) is needed");
        Process process = ToolProcess.Start(start);
        using var patience = new CancellationTokenSource(Patience);
        string? line = await process.StandardOutput.ReadLineAsync(patience.Token);
        Match said = Regex.Match(line ?? "", @"127\.0\.0\.1:\d+", RegexOptions.None, TimeSpan.FromSeconds(1));
        if (said.Success) return new RunningSample(process, IPEndPoint.Parse(said.Value));

        process.Kill();
        string error = await process.StandardError.ReadToEndAsync(patience.Token);
        throw new InvalidOperationException($"{name} began with '{line}': {error}");
    }

    // The samples are built beside the tests, in the same configuration: bin/CONFIGURATION/FRAMEWORK.
    private static string PathOf(string name)
    {
        DirectoryInfo framework = new(AppContext.BaseDirectory.TrimEnd(Path.DirectorySeparatorChar));
        string top = Path.Combine(framework.FullName, "..", "..", "..", "..", "..");
        string built = Path.Combine("bin", framework.Parent!.Name, framework.Name, name + ".dll");
        return Path.GetFullPath(Path.Combine(top, "samples", name, built));
    }
}
