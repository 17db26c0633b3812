using System.Runtime.CompilerServices;
using Spate.Waiting;

namespace Spate.Tests.Contracts;

/// <summary>Where and with what an awaiting method goes on.</summary>
public abstract partial class DatagramContract
{
    private static readonly AsyncLocal<string?> Ambient = new();

    /// <summary>
    /// What is asserted: a continuation handed to the awaiter itself runs without the execution context of who
    /// registered it, although OnCompleted asks for it to flow, in the pool and inline. An async method is not
    /// affected, since its builder restores its own context; the next test asserts that.
    /// </summary>
    [Theory, InlineData(false, Form.BatchAsync), InlineData(true, Form.BatchAsync)]
    [InlineData(false, Form.OneAsync), InlineData(true, Form.OneAsync)]
    public async Task Await_CallWaits_ExecutionContextIsNotCarried(bool inline, Form form)
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback(Options(inline: inline));
        Ambient.Value = "registrar";
        for (int round = 0; round < 3; round++)
        {
            TaskCompletionSource<string?> seen = new(TaskCreationOptions.RunContinuationsAsynchronously);
            Register(form, receiver, () => seen.SetResult(Ambient.Value));
            SendNow(sender, receiver.LocalEndPoint, [1]);

            Assert.Null(await seen.Task.WaitAsync(Limit, Stop));
        }

        Assert.Equal("registrar", Ambient.Value);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task Await_InAnAsyncMethod_KeepsItsOwnContext(bool inline)
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback(Options(inline: inline));
        Task<string?> receiving = ReceiveWithAmbientAsync(receiver);
        Ambient.Value = "sender";
        SendNow(sender, receiver.LocalEndPoint, [1]);

        Assert.Equal("receiver", await AwaitInlineAsync(receiving));
    }

    [Fact]
    public async Task Await_WithoutInlineContinuations_GoesOnInThePool()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        TaskCompletionSource<bool> pooled = new(TaskCreationOptions.RunContinuationsAsynchronously);
        Register(Form.OneAsync, receiver, () => pooled.SetResult(Thread.CurrentThread.IsThreadPoolThread));
        SendNow(sender, receiver.LocalEndPoint, [1]);

        Assert.True(await pooled.Task.WaitAsync(Limit, Stop));
    }

    [Fact]
    public async Task Await_WithInlineContinuations_GoesOnInTheEventThread()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback(Options(inline: true));
        TaskCompletionSource<bool> seen = new(TaskCreationOptions.RunContinuationsAsynchronously);
        Register(Form.OneAsync, receiver, () => seen.SetResult(IsOnEventThread()));
        SendNow(sender, receiver.LocalEndPoint, [1]);

        Assert.True(await seen.Task.WaitAsync(Limit, Stop));
    }

    [Fact]
    public async Task Await_InlineContinuations_ManyRoundsInOneMethod()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback(Options(inline: true));
        Task<List<byte[]>> receiving = ReceivePayloadsAsync(Form.BatchAsync, receiver, 500);
        for (int i = 0; i < 500; i++) SendNow(sender, receiver.LocalEndPoint, Payloads.Make(8, i));

        Assert.Equal(Payloads.Same(500, 8), await AwaitInlineAsync(receiving));
    }

    private static bool IsOnEventThread() =>
        string.Equals(Thread.CurrentThread.Name, EventThreads.Name, StringComparison.Ordinal);

    /// <summary>
    /// Awaits a method that goes on inline, and goes on in the pool. Without that the test would go on inside the
    /// synchronous continuation, and with it the runner, which starts the next tests there. One that blocks until an
    /// awaited call was tried would then hold up the thread that is to try it, and every awaited call of its sockets.
    /// </summary>
    private async Task<T> AwaitInlineAsync<T>(Task<T> goesOnInline)
    {
        try
        {
            return await goesOnInline.WaitAsync(Limit, Stop).ConfigureAwait(false);
        }
        finally
        {
            await Task.Yield();
        }
    }

    private void Register(Form form, UdpSocket socket, Action continuation)
    {
        if (form == Form.OneAsync) Register(socket.ReceiveFromAsync(new byte[10], Stop), continuation);
        else Register(socket.ReceiveAsync(Own(socket.CreateReceiveBatch()), Stop), continuation);
    }

    private static void Register<T>(ValueTask<T> task, Action continuation)
    {
        ConfiguredValueTaskAwaitable<T>.ConfiguredValueTaskAwaiter awaiter = task.ConfigureAwait(false).GetAwaiter();
        Assert.False(awaiter.IsCompleted);
        awaiter.OnCompleted(() =>
        {
            awaiter.GetResult();
            continuation();
        });
    }

    private async Task<string?> ReceiveWithAmbientAsync(UdpSocket socket)
    {
        Ambient.Value = "receiver";
        await socket.ReceiveFromAsync(new byte[10], Stop).ConfigureAwait(false);
        return Ambient.Value;
    }
}
