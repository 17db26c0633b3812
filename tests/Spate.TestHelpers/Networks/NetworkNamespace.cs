using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.InteropServices;
using Spate.TestHelpers.Runs;

namespace Spate.TestHelpers.Networks;

/// <summary>
/// A network namespace of the test's own, with its loopback up unless asked otherwise. Removed by Dispose, and with it
/// what lies in it, one end of a veth pair taking the other along.
/// </summary>
internal sealed partial class NetworkNamespace : IDisposable
{
    private const int ReadOnly = 0;
    private const int CloseOnExec = 0x80000;
    private const int NewNetwork = 0x40000000;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);
    private static int _lastNumber;

    // The process keeps the first answer. In a namespace without a loopback it would be that no backend is available.
    static NetworkNamespace() => _ = UdpCapabilities.Current.All;

    public NetworkNamespace(bool loopbackUp = true)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "network namespaces exist on Linux only");
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "network namespaces need root");
        Programs.Require("ip", "iproute2");

        // Interface names have at most 15 characters, so the number is short; the process makes it unique.
        Name = $"spate-{Environment.ProcessId}-{Interlocked.Increment(ref _lastNumber)}";
        bool made = TryRun("ip", $"netns add {Name}", out _, out string error);
        Assert.SkipUnless(made, $"no namespace can be made here: {error}");
        if (loopbackUp) Ip("link set lo up");
    }

    public string Name { get; }

    /// <summary>Joins two namespaces by a pair of interfaces named veth0 with addresses of one network.</summary>
    public static void Join(NetworkNamespace first, string firstAddress, NetworkNamespace second, string secondAddress)
    {
        Run("ip", $"-n {first.Name} link add veth0 type veth peer name veth0 netns {second.Name}");
        first.Ip($"address add {firstAddress} dev veth0");
        second.Ip($"address add {secondAddress} dev veth0");
        first.Ip("link set veth0 up");
        second.Ip("link set veth0 up");
    }

    /// <summary>Runs a command outside of the namespaces, without a shell, and returns what it printed.</summary>
    public static string RunOutside(string command)
    {
        string[] words = command.Split(' ', 2);
        return Run(words[0], words[1]);
    }

    /// <summary>Runs ip in the namespace.</summary>
    public void Ip(string arguments) => Run("ip", $"-n {Name} {arguments}");

    /// <summary>Runs a command in the namespace, without a shell, and returns what it printed.</summary>
    public string Execute(string command) => Run("ip", $"netns exec {Name} {command}");

    /// <summary>Skips the test where the firewall cannot be set.</summary>
    public void RequireNft()
    {
        Programs.Require("nft", "nftables");
        Exception? fault = Record.Exception(() => Execute("nft add table ip spate"));
        Assert.SkipUnless(fault is null, $"this kernel has no nftables: {fault?.Message}");
    }

    /// <summary>Adds a rule to the firewall, in a chain of its own.</summary>
    /// <param name="family">The family, for example <c>ip</c>.</param>
    /// <param name="hook">Where the chain is, for example <c>hook input priority 0</c>.</param>
    /// <param name="rule">The rule.</param>
    public void AddRule(string family, string hook, string rule)
    {
        Execute($"nft add table {family} spate");
        Execute($"nft add chain {family} spate drops {{ type filter {hook} ; }}");
        Execute($"nft add rule {family} spate drops {rule}");
    }

    /// <summary>Runs code on a thread of its own inside the namespace; what it opens stays there.</summary>
    public T Enter<T>(Func<T> inside)
    {
        T result = default!;
        Exception? fault = null;
        var thread = new Thread(() => fault = Record.Exception(() =>
        {
            EnterThisThread();
            result = inside();
        }))
        { IsBackground = true, Name = "in namespace" };

        // The thread ends afterwards: one that stayed in the namespace must not go back to any pool.
        thread.Start();
        Assert.True(thread.Join(Patience), "The code in the namespace did not end.");
        if (fault is not null) throw new InvalidOperationException($"In namespace {Name}: {fault.Message}", fault);
        return result;
    }

    /// <summary>Opens a socket inside.</summary>
    public UdpSocket Bind(string local, UdpSocketOptions? options = null) =>
        Enter(() => UdpSocket.Bind(UdpEndPoint.Parse(local), options));

    public void Dispose() => TryRun("ip", $"netns delete {Name}", out _, out _);

    private void EnterThisThread()
    {
        int descriptor = open($"/run/netns/{Name}", ReadOnly | CloseOnExec);
        if (descriptor < 0) throw new Win32Exception(Marshal.GetLastPInvokeError());
        try
        {
            if (setns(descriptor, NewNetwork) != 0) throw new Win32Exception(Marshal.GetLastPInvokeError());
        }
        finally
        {
            _ = close(descriptor);
        }
    }

    private static string Run(string program, string arguments)
    {
        Assert.True(
            TryRun(program, arguments, out string output, out string error), $"{program} {arguments}: {error}");
        return output;
    }

    private static bool TryRun(string program, string arguments, out string output, out string error)
    {
        using Process process = Process.Start(new ProcessStartInfo(program, arguments)
        {
            RedirectStandardError = true,
            RedirectStandardOutput = true,
            UseShellExecute = false,
        })!;
        Task<string[]> texts = Task.WhenAll(
            process.StandardOutput.ReadToEndAsync(), process.StandardError.ReadToEndAsync());
        if (!texts.Wait(Patience) || !process.WaitForExit(Patience))
        {
            process.Kill(entireProcessTree: true);
            (output, error) = ("", $"it did not end within {Patience.TotalSeconds} s");
            return false;
        }

        (output, error) = (texts.Result[0], texts.Result[1].Trim());
        return process.ExitCode == 0;
    }

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int open(string path, int flags);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int setns(int descriptor, int kind);

    [LibraryImport("libc")]
    private static partial int close(int descriptor);
}
