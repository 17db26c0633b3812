using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate.Tests;

/// <summary>
/// Dispose at random moments while every kind of call is under way and a sender floods the socket. Nothing hangs,
/// throws what is not documented, or is left behind.
/// </summary>
[ProcessWide("descriptors of the process are counted")]
public sealed class CloseRaceTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private const int WarmUpCount = 20;

    private static int RoundCount => TestWidth.Of(120, full: 10_000);

    [Theory]
    [InlineData(UdpBackend.Mmsg, true)]
    [InlineData(UdpBackend.Mmsg, false)]
    [InlineData(UdpBackend.Portable, false)]
    [InlineData(UdpBackend.Uring, true)]
    [InlineData(UdpBackend.Uring, false)]
    [InlineData(UdpBackend.Winsock, false)]
    public void Dispose_EveryCallUnderWay_PromptAndNothingLeft(UdpBackend backend, bool coalesced)
    {
        UdpCapability mmsg = UdpCapabilities.Current.Mmsg;
        UdpCapability uring = UdpCapabilities.Current.Uring;
        Assert.SkipUnless(backend != UdpBackend.Mmsg || mmsg.IsAvailable, mmsg.Reason);
        Assert.SkipUnless(backend != UdpBackend.Uring || uring.IsAvailable, uring.Reason);
        UdpCapability winsock = UdpCapabilities.Current.Winsock;
        Assert.SkipUnless(backend != UdpBackend.Winsock || winsock.IsAvailable, winsock.Reason);
        string? fixedSeed = Environment.GetEnvironmentVariable("SPATE_SEED");
        int seed = fixedSeed is null ? Random.Shared.Next() : int.Parse(fixedSeed, CultureInfo.InvariantCulture);
        TestContext.Current.TestOutputHelper?.WriteLine($"SPATE_SEED={seed}");
        var random = new Random(seed);
        var options = new UdpSocketOptions
        {
            Backend = backend,
            CoalescedReceive = coalesced,
            SegmentedSend = coalesced,
        };

        using var race = new CloseRace();
        UdpEndPoint local = OwnAddress.New();
        HashSet<string> before = [];
        for (int i = 0; i < Switches.EventThreadCount; i++) EventThreads.Shared.Next();
        for (int round = 0; round < RoundCount; round++)
        {
            // The first rounds open what stays open for the process, such as the descriptors of the event threads.
            if (round == WarmUpCount) before = Descriptors();
            Round(race, local, options, random.Next(200));
            AssertFree(local);
        }

        Assert.Empty(Descriptors().Except(before, StringComparer.Ordinal));
        Assert.True(race.ReceivedCount > 0, "The flood never arrived, so nothing was shown.");
    }

    private static void Round(CloseRace race, UdpEndPoint local, UdpSocketOptions options, int callCount)
    {
        UdpSocket socket = UdpSocket.Bind(local, options);
        race.Start(socket);
        race.WaitForCalls(callCount);
        Exception? fault = null;
        long start = Stopwatch.GetTimestamp();
        var closer = new Thread(() => fault = Record.Exception(socket.Dispose)) { IsBackground = true };
        closer.Start();

        // It takes milliseconds; only what does not end at all is told from a slow machine.
        Assert.True(closer.Join(Patience), $"Dispose had not ended after {Stopwatch.GetElapsedTime(start)}.");
        Assert.Null(fault);
        Assert.True(race.TryEnd(Patience, out string left), $"Calls had not ended after Dispose: {left}.");
        Assert.Equal(string.Empty, race.Faults);
    }

    private static void AssertFree(UdpEndPoint local)
    {
        using Socket again = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        again.Bind(local.ToIPEndPoint());
    }

    // What each descriptor that the library may have opened stands for: "socket:[inode]" for a socket, each with an
    // inode of its own. Files are left out, since the runtime opens assemblies when it first needs them, and so are
    // pipes, which are the runtime's and of child processes. A descriptor that was closed since has no target.
    private static HashSet<string> Descriptors()
    {
        if (!OperatingSystem.IsLinux()) return [];
        return Directory.GetFileSystemEntries("/proc/self/fd")
            .Select(entry => new FileInfo(entry).LinkTarget ?? string.Empty)
            .Where(target => target.Length > 0
                && !target.StartsWith('/')
                && !target.StartsWith("pipe:", StringComparison.Ordinal))
            .ToHashSet(StringComparer.Ordinal);
    }
}
