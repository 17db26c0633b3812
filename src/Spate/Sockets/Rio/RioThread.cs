using System.Collections.Concurrent;
using System.Diagnostics;

namespace Spate.Sockets.Rio;

/// <summary>
/// A thread that posts the slots which receives have emptied, so that receives need not take the lock of the request
/// queue. The slots come through a queue without a lock; the thread posts whatever is in it in one chunk.
/// </summary>
internal sealed class RioThread<TCalls> : IDisposable
    where TCalls : struct, IRioCalls
{
    private const int MaxChunk = 256;
    private const int RetryMilliseconds = 10;

    private readonly RioRequestQueue<TCalls> _requests;
    private readonly ConcurrentQueue<int> _emptied = new();
    private readonly AutoResetEvent _wake = new(initialState: false);
    private readonly Thread _thread;
    private int _isAsleep;
    private volatile bool _isEnding;

    public RioThread(RioRequestQueue<TCalls> requests)
    {
        _requests = requests;
        _thread = new Thread(Run) { IsBackground = true, Name = "Spate Rio posts" };
        _thread.Start();
    }

    /// <summary>Takes slots to post. Any thread may call this.</summary>
    public void Give(ReadOnlySpan<int> slotIndexes)
    {
        foreach (int slotIndex in slotIndexes) _emptied.Enqueue(slotIndex);

        // The exchange is a full barrier: either this call sees that the thread sleeps, or the thread sees the slots.
        if (Interlocked.Exchange(ref _isAsleep, 0) == 1) _wake.Set();
    }

    /// <summary>Ends the thread. Called after the last receive.</summary>
    public void Dispose()
    {
        _isEnding = true;
        _wake.Set();
        _thread.Join();
        _wake.Dispose();
    }

    private void Run()
    {
        Span<int> chunk = stackalloc int[MaxChunk];
        while (!_isEnding)
        {
            int count = 0;
            while (count < chunk.Length && _emptied.TryDequeue(out int slotIndex)) chunk[count++] = slotIndex;
            if (count > 0 || _requests.NeedsPost) _requests.Post(chunk[..count]);
            if (count == 0) Sleep();
        }
    }

    private void Sleep()
    {
        Debug.Assert(Thread.CurrentThread == _thread);
        Interlocked.Exchange(ref _isAsleep, 1);
        if (_emptied.IsEmpty && !_isEnding) _wake.WaitOne(_requests.NeedsPost ? RetryMilliseconds : Timeout.Infinite);
        Interlocked.Exchange(ref _isAsleep, 0);
    }
}
