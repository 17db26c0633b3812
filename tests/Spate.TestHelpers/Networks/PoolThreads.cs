using System.Net;
using System.Net.Sockets;
using Spate.TestHelpers.Commands;

namespace Spate.TestHelpers.Networks;

/// <summary>
/// Threads that serve the whole process, made before any thread enters a network namespace: a thread that is made by
/// one inside stays there, and opens the sockets of later tests in a namespace that is gone.
/// </summary>
internal static class PoolThreads
{
    private static readonly Lazy<bool> Made = new(MakeAll);

    /// <summary>Makes them, once in a process.</summary>
    public static void Make() => Assert.True(Made.Value);

    /// <summary>
    /// The names of such threads that are in a namespace. A thread without a name has that of the thread that made it,
    /// so threads that enter a namespace or run a command have one.
    /// </summary>
    /// <param name="inode">The link ns/net of a thread in the namespace.</param>
    public static IEnumerable<string> Names(string inode)
    {
        foreach (string thread in Directory.GetDirectories("/proc/self/task"))
        {
            string? name = null;
            try
            {
                string? there = new FileInfo(Path.Combine(thread, "ns/net")).LinkTarget;
                if (string.Equals(there, inode, StringComparison.Ordinal))
                {
                    name = File.ReadAllText(Path.Combine(thread, "comm")).Trim();
                }
            }
            catch (IOException)
            {
                // The thread has ended.
            }

            if (name is ".NET TP Worker" or ".NET TP Gate" or ".NET Timer" or ".NET Sockets") yield return name;
        }
    }

    private static bool MakeAll()
    {
        // Probed once a process, too, by the thread that asks first.
        _ = UdpCapabilities.Current;

        // The project files of the programs set this number as minimum and maximum, so the pool never makes a further
        // thread. With too few, tests that block threads of the pool would wait for each other.
        ThreadPool.GetMaxThreads(out int count, out _);
        ThreadPool.GetMinThreads(out int least, out _);
        Assert.Equal(count, least);

        // Tests that wait for this may keep some of them, so it is not the work items that are counted.
        var all = new ManualResetEventSlim();
        for (int i = 0; i < count; i++) ThreadPool.UnsafeQueueUserWorkItem(_ => all.Wait(), state: null);
        bool areThere = SpinWait.SpinUntil(() => ThreadPool.ThreadCount >= count, Tool.Patience);
        all.Set();

        // The threads of timers and of sockets are made at their first use.
        using var timer = new Timer(static _ => { }, state: null, dueTime: 1, period: Timeout.Infinite);
        using var socket = new UdpClient(new IPEndPoint(IPAddress.Loopback, 0));
        using var cancelled = new CancellationTokenSource();
        Task<UdpReceiveResult> received = socket.ReceiveAsync(cancelled.Token).AsTask();
        cancelled.Cancel();
        _ = Record.Exception(received.Wait);
        return areThere;
    }
}
