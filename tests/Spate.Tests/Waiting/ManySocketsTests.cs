using System.Diagnostics;
using System.Net.Sockets;

namespace Spate.Tests.Waiting;

/// <summary>Thousands of sockets in one process.</summary>
[ProcessWide("thousands of descriptors of the process, and its memory")]
public sealed class ManySocketsTests
{
    private const string LimitedVariable = "SPATE_TEST_DESCRIPTOR_LIMIT";
    private const int SpareDescriptorCount = 500;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task Dispose_TenThousandWithWaitsPending_EveryWaitEndsAsClosed()
    {
        const int count = 10_000;
        OpenMany(1)[0].Dispose();
        long emptyBytes = GC.GetTotalMemory(forceFullCollection: true);
        List<UdpSocket> sockets = OpenMany(count);
        long openBytes = GC.GetTotalMemory(forceFullCollection: true);
        Task<bool>[] waits = [.. sockets.Select(static socket => socket.WaitReadableAsync().AsTask())];
        long waitingBytes = GC.GetTotalMemory(forceFullCollection: true);
        using var poller = new UdpPoller<object?>();
        foreach (UdpSocket socket in sockets) poller.Add(socket, null);
        long polledBytes = GC.GetTotalMemory(forceFullCollection: true);
        long start = Stopwatch.GetTimestamp();

        foreach (UdpSocket socket in sockets) socket.Dispose();

        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{count} sockets closed in {Stopwatch.GetElapsedTime(start).TotalMilliseconds:0} ms");
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"bytes for each: {(openBytes - emptyBytes) / count} open, {(waitingBytes - openBytes) / count} more with "
            + $"a wait, {(polledBytes - waitingBytes) / count} more in a poller");
        bool[] ends = await Task.WhenAll(waits).WaitAsync(Patience, TestContext.Current.CancellationToken);
        Assert.All(ends, Assert.False);
        Assert.All(sockets, socket => Assert.False(poller.Remove(socket)));
    }

    [Fact]
    public async Task WaitReadableAsync_OneBatchForAll_EveryDatagramComes()
    {
        const int count = 1_000;
        List<UdpSocket> sockets = OpenMany(count);
        using UdpSocket sender = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using ReceiveBatch batch = sockets[0].CreateReceiveBatch();
        Task<bool>[] waits = [.. sockets.Select(static socket => socket.WaitReadableAsync().AsTask())];
        byte[] payload = [1];
        foreach (UdpSocket socket in sockets) sender.SendTo(payload, socket.LocalEndPoint);

        bool[] ends = await Task.WhenAll(waits).WaitAsync(Patience, TestContext.Current.CancellationToken);

        Assert.All(ends, Assert.True);
        foreach (UdpSocket socket in sockets)
        {
            Assert.Equal(ReceiveStatus.Received, socket.TryReceive(batch));
            Assert.Equal(1, batch.Count);
            socket.Dispose();
        }
    }

    [Fact]
    public async Task WaitReadableAsync_Cancelled_EndsAndTheNextWaitWorks()
    {
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using var cancel = new CancellationTokenSource();
        ValueTask<bool> wait = socket.WaitReadableAsync(cancel.Token);

        await cancel.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(wait.AsTask);
        wait = socket.WaitReadableAsync(TestContext.Current.CancellationToken);
        Assert.False(wait.IsCompleted);
        socket.SendTo([1], socket.LocalEndPoint);
        Assert.True(await wait);
        socket.Dispose();
        Assert.False(await socket.WaitReadableAsync(TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Bind_DescriptorLimit_SaysWhatToDoAndOthersGoOn()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the limit is set with ulimit of a Linux shell");
        string assembly = typeof(ManySocketsTests).Assembly.Location;
        var start = new ProcessStartInfo("/bin/sh") { RedirectStandardOutput = true, UseShellExecute = false };
        start.ArgumentList.Add("-c");
        start.ArgumentList.Add(
            $"ulimit -n 400; exec dotnet '{assembly}' -method '*.{nameof(InsideLimit_BindUntilRefused_IsAsPromised)}'");
        start.Environment[LimitedVariable] = "400";
        using Process process = Process.Start(start)!;

        string output = await process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);

        Assert.True(process.ExitCode == 0, output);
        Assert.Contains("Skipped: 0", output, StringComparison.Ordinal);
    }

    [Fact]
    public void InsideLimit_BindUntilRefused_IsAsPromised()
    {
        string? limit = Environment.GetEnvironmentVariable(LimitedVariable);
        Assert.SkipUnless(limit is not null, "run by another test, in a process with few descriptors");

        // The test runner must not need a thread, and with it a descriptor, just while there are none.
        using var timerStarted = new ManualResetEventSlim();
        using var timer = new Timer(_ => timerStarted.Set(), null, 1, Timeout.Infinite);
        Assert.True(timerStarted.Wait(Patience, TestContext.Current.CancellationToken));
        List<UdpSocket> sockets = [];
        Exception? fault = Record.Exception(BindUntilRefused);
        Exception? pollerFault = Record.Exception(() => new UdpPoller<object?>());
        int count = sockets.Count;
        using ReceiveBatch batch = sockets[1].CreateReceiveBatch();
        sockets[2].SendTo([1], sockets[1].LocalEndPoint);
        ReceiveStatus status = sockets[1].Receive(batch, Patience);
        sockets.ForEach(static socket => socket.Dispose());

        Assert.Equal(ReceiveStatus.Received, status);
        var refused = Assert.IsType<SocketException>(fault);
        Assert.Equal(SocketError.TooManyOpenSockets, refused.SocketErrorCode);
        Assert.Contains($"{limit} open files", refused.Message, StringComparison.Ordinal);
        Assert.Contains($"{count} of them", refused.Message, StringComparison.Ordinal);
        Assert.Contains("ulimit -n", refused.Message, StringComparison.Ordinal);
        Assert.Contains("LimitNOFILE", refused.Message, StringComparison.Ordinal);
        Assert.Equal(refused.Message, Assert.IsType<SocketException>(pollerFault).Message);

        void BindUntilRefused()
        {
            while (true) sockets.Add(UdpSocket.Bind(UdpEndPoint.Loopback(0)));
        }
    }

    private static List<UdpSocket> OpenMany(int count)
    {
        List<UdpSocket> sockets = new(count);
        var options = new UdpSocketOptions { ReceiveBufferBytes = null, SendBufferBytes = null };

        // So many ports of 127.0.0.1 would include some that other tests have just closed, and still send to.
        var local = new UdpEndPoint(OwnAddress.New().Address, 0);
        try
        {
            while (sockets.Count < count + SpareDescriptorCount) sockets.Add(UdpSocket.Bind(local, options));
        }
        catch (SocketException refused) when (refused.SocketErrorCode == SocketError.TooManyOpenSockets)
        {
            sockets.ForEach(static socket => socket.Dispose());
            Assert.Skip(refused.Message);
        }

        sockets.GetRange(count, SpareDescriptorCount).ForEach(static socket => socket.Dispose());
        sockets.RemoveRange(count, SpareDescriptorCount);
        return sockets;
    }
}
