using System.Runtime.CompilerServices;
using Spate.Sockets;
using Spate.Sockets.Uring;
using Spate.Tests.Sockets.Uring;
using Spate.Waiting;

namespace Spate.Tests.Waiting;

/// <summary>
/// Sockets that nobody disposed and nobody refers to any more: the collector closes them, unless a call of theirs is
/// awaited. Alone, since descriptors are counted.
/// </summary>
[ProcessWide("the collector runs for the whole process, and descriptors are counted")]
public sealed class ForgottenSocketTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    private static readonly (UdpBackend Backend, bool ByPortableSet)[] Sockets =
    [
        (UdpBackend.Portable, true), (UdpBackend.Portable, false), (UdpBackend.Mmsg, false), (UdpBackend.Uring, false),
    ];

    private static readonly EventThreads PortableThreads = new(1, static () => new PortableEventSet(isShared: false));

    public ForgottenSocketTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "/proc is needed");

    public enum Use
    {
        ReceiveEnded,
        BatchEnded,
        ReadableCancelled,
        ReceiveCancelled,
    }

    public static TheoryData<UdpBackend, bool, Use> Uses()
    {
        TheoryData<UdpBackend, bool, Use> uses = [];
        foreach ((UdpBackend backend, bool byPortableSet) in Sockets)
        {
            foreach (Use use in Enum.GetValues<Use>()) uses.Add(backend, byPortableSet, use);
        }

        return uses;
    }

    [Theory, MemberData(nameof(Uses))]
    public void Await_EndedAndSocketForgotten_LeavesNothingOpen(UdpBackend backend, bool byPortableSet, Use use)
    {
        Require(backend);
        int rings = RingCount();

        string[] forgotten = UseAndForget(backend, byPortableSet, use);

        Assert.True(
            Descriptors.CollectUntil(() => !Descriptors.Targets().Intersect(forgotten, StringComparer.Ordinal).Any()),
            "The sockets are still open.");
        Assert.True(Descriptors.CollectUntil(() => RingCount() <= rings), "The rings are still open.");
    }

    [Theory]
    [InlineData(UdpBackend.Portable, true)]
    [InlineData(UdpBackend.Portable, false)]
    [InlineData(UdpBackend.Mmsg, false)]
    [InlineData(UdpBackend.Uring, false)]
    public async Task Await_OnlyItsWaitRefersToTheSocket_IsKeptAndEnds(UdpBackend backend, bool byPortableSet)
    {
        Require(backend);
        TaskCompletionSource<int> received = new(TaskCreationOptions.RunContinuationsAsynchronously);
        (string socket, UdpEndPoint local) = WaitAndForget(backend, byPortableSet, received);
        for (int i = 0; i < 5; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        using UdpSocket sender = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        sender.SendTo([1, 2, 3], local);

        Assert.Equal(3, await received.Task.WaitAsync(Patience, TestContext.Current.CancellationToken));
        Assert.True(
            Descriptors.CollectUntil(() => !Descriptors.Targets().Contains(socket, StringComparer.Ordinal)),
            "The socket is still open.");
    }

    [Fact]
    public void Dispose_NeverCalledOnRings_UnmapsTheirBufferLists()
    {
        const int count = 64;
        RingSocket.RequireUring();

        ulong[] lists = ForgetRings(count);

        // Some of the places may have been given to something else meanwhile.
        Assert.Equal(count, lists.Distinct().Count());
        Assert.True(
            Descriptors.CollectUntil(() => MappedCount(lists) < count / 2),
            $"{MappedCount(lists)} of {count} are still mapped.");
    }

    [Fact]
    public void Add_Refused_LeavesNoEntry()
    {
        EventThread thread = NewThread();
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));

        for (int i = 0; i < 10; i++)
            Assert.ThrowsAny<Exception>(() => thread.Add(new AwaitedEntry(descriptor: -1, socket.Pending)));

        Assert.Equal(0, thread.Set.Count);
    }

    [Theory, InlineData(0), InlineData(13_500)]
    public void Add_ManyForgotten_ListStaysShort(int removedBeforeCount)
    {
        // A list that was long once is looked through as often as one that was always short.
        EventThread thread = NewThread();
        AddAndRemove(thread, removedBeforeCount);
        for (int i = 0; i < 40; i++)
        {
            AddAndForget(thread, 100);
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Assert.InRange(thread.Set.Count, 0, 500);
    }

    private static EventThread NewThread() => new(EventSet.Create(isShared: false));

    private static void AddAndRemove(EventThread thread, int count)
    {
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        List<AwaitedEntry> entries = [];
        for (int i = 0; i < count; i++)
        {
            using WakeDescriptor descriptor = new();
            entries.Add(new AwaitedEntry(descriptor.Number, socket.Pending));
            thread.Add(entries[i]);
        }

        entries.ForEach(thread.Set.Remove);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void AddAndForget(EventThread thread, int count)
    {
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        for (int i = 0; i < count; i++)
        {
            using WakeDescriptor descriptor = new();
            thread.Add(new AwaitedEntry(descriptor.Number, socket.Pending));
        }
    }

    private static UdpSocket Bind(UdpBackend backend, bool byPortableSet)
    {
        UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0), new() { Backend = backend });
        if (byPortableSet) socket.Pending.Threads = PortableThreads;
        return socket;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static string[] UseAndForget(UdpBackend backend, bool byPortableSet, Use use)
    {
        string[] sockets = new string[8];
        for (int i = 0; i < sockets.Length; i++)
        {
            UdpSocket socket = Bind(backend, byPortableSet);
            sockets[i] = TargetOf(socket);
            UseOnce(socket, use);
        }

        return sockets;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void UseOnce(UdpSocket socket, Use use)
    {
        using CancellationTokenSource stop = new();
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        Task call = use switch
        {
            Use.BatchEnded => socket.ReceiveAsync(batch, stop.Token).AsTask(),
            Use.ReadableCancelled => socket.WaitReadableAsync(stop.Token).AsTask(),
            _ => socket.ReceiveFromAsync(new byte[10], stop.Token).AsTask(),
        };
        Assert.False(call.IsCompleted);
        if (use is Use.ReceiveEnded or Use.BatchEnded) socket.SendTo([1], socket.LocalEndPoint);
        else stop.Cancel();
        Assert.Equal(use is Use.ReadableCancelled or Use.ReceiveCancelled, EndOf(call) is OperationCanceledException);
    }

    private static Exception? EndOf(Task call) =>
        Record.Exception(() => call.WaitAsync(Patience).GetAwaiter().GetResult());

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (string Socket, UdpEndPoint Local) WaitAndForget(
        UdpBackend backend, bool byPortableSet, TaskCompletionSource<int> received)
    {
        UdpSocket socket = Bind(backend, byPortableSet);
        _ = ReceiveAsync(socket, received);
        return (TargetOf(socket), socket.LocalEndPoint);
    }

    // The test refers to the source; only the call that it awaits refers to the state of this method.
    private static async Task ReceiveAsync(UdpSocket socket, TaskCompletionSource<int> received) =>
        received.SetResult((await socket.ReceiveFromAsync(new byte[10]).ConfigureAwait(false)).Length);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong[] ForgetRings(int count)
    {
        ulong[] lists = new ulong[count];
        for (int i = 0; i < count; i++)
        {
            UringFaults calls = new();
            _ = new RingSocket(UringShape.For(coalesced: false), faults: calls);
            lists[i] = calls.BufferRingAddress;
        }

        return lists;
    }

    private static int MappedCount(ulong[] addresses)
    {
        (ulong Start, ulong End)[] ranges = [.. File.ReadLines("/proc/self/maps").Select(line =>
        {
            string[] ends = line[..line.IndexOf(' ', StringComparison.Ordinal)].Split('-');
            return (Convert.ToUInt64(ends[0], 16), Convert.ToUInt64(ends[1], 16));
        })];
        return addresses.Count(one => ranges.Any(range => range.Start <= one && one < range.End));
    }

    private static int RingCount() =>
        Descriptors.Targets().Count(one => string.Equals(one, Descriptors.Ring, StringComparison.Ordinal));

    private static string TargetOf(UdpSocket socket) =>
        Descriptors.TargetOf((int)socket.SafeHandle.DangerousGetHandle());

    private static void Require(UdpBackend backend)
    {
        UdpCapabilities capabilities = UdpCapabilities.Current;
        Assert.SkipUnless(backend != UdpBackend.Mmsg || capabilities.Mmsg.IsAvailable, capabilities.Mmsg.Reason);
        Assert.SkipUnless(backend != UdpBackend.Uring || capabilities.Uring.IsAvailable, capabilities.Uring.Reason);
    }
}
