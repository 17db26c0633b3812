using System.Diagnostics;
using Spate.TestHelpers.Commands;

namespace Spate.TestHelpers.Networks;

/// <summary>
/// A network namespace in which commands run on threads of this process, and programs as its children, so that no
/// other test has their ports and settings.
/// </summary>
internal sealed class OwnNetwork : IDisposable
{
    private readonly string _inode;

    public OwnNetwork(bool loopbackUp = true)
    {
        PoolThreads.Make();
        Namespace = new NetworkNamespace(loopbackUp);
        _inode = Namespace.Enter(static () => File.ResolveLinkTarget("/proc/thread-self/ns/net", false)!.Name);
    }

    public NetworkNamespace Namespace { get; }

    /// <summary>Starts a command of the tool inside: the threads that it makes stay there.</summary>
    public RunningTool Start(params string[] arguments) => Namespace.Enter(() => Tool.Start(arguments));

    /// <summary>Runs a command of the tool inside to its end.</summary>
    public async Task<ToolResult> RunAsync(params string[] arguments)
    {
        await using RunningTool tool = Start(arguments);
        return await tool.FinishAsync();
    }

    /// <summary>Starts another program inside.</summary>
    public Process StartProgram(ProcessStartInfo start) => Namespace.Enter(() => Process.Start(start)!);

    public void Dispose()
    {
        string[] strays = [.. PoolThreads.Names(_inode)];
        Namespace.Dispose();
        Assert.True(strays.Length == 0, $"Threads of the pool are in the namespace: {string.Join(", ", strays)}");
    }
}
