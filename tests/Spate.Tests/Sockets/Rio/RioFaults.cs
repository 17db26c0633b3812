using Spate.Interop.Windows;
using Spate.Sockets.Rio;

namespace Spate.Tests.Sockets.Rio;

/// <summary>The calls of Registered I/O that can fail.</summary>
public enum RioCall
{
    Register,
    CreateCompletions,
    CreateRequests,
    Receive,
    Commit,
    Notify,
}

/// <summary>
/// Which calls of Registered I/O fail and how; shared by the struct copies of <see cref="FaultyRioCalls"/>.
/// </summary>
internal sealed class RioFaults
{
    private readonly int[] _counts = new int[Enum.GetValues<RioCall>().Length];

    /// <summary>The error of a call by its number, from 1 on, or 0 to make it.</summary>
    public Func<RioCall, int, int> Error { get; set; } = static (_, _) => 0;

    /// <summary>The status of a completion, or null for the real one.</summary>
    public Func<int?> Status { get; set; } = static () => null;

    public int CountOf(RioCall call) => Volatile.Read(ref _counts[(int)call]);

    public int Next(RioCall call) => Error(call, Interlocked.Increment(ref _counts[(int)call]));
}

/// <summary>The real functions, but for calls that are to fail.</summary>
internal readonly unsafe struct FaultyRioCalls(WindowsRioCalls real, RioFaults faults) : IRioCalls
{
    public nint RegisterBuffer(void* memory, uint bytes, out int error)
    {
        error = faults.Next(RioCall.Register);
        return error != 0 ? 0 : real.RegisterBuffer(memory, bytes, out error);
    }

    public void DeregisterBuffer(nint bufferId) => real.DeregisterBuffer(bufferId);

    public nint CreateCompletionQueue(uint entryCount, RIO_NOTIFICATION_COMPLETION* notification, out int error)
    {
        error = faults.Next(RioCall.CreateCompletions);
        return error != 0 ? 0 : real.CreateCompletionQueue(entryCount, notification, out error);
    }

    public void CloseCompletionQueue(nint completionQueue) => real.CloseCompletionQueue(completionQueue);

    public nint CreateRequestQueue(nint socket, uint requestCount, nint completionQueue, out int error)
    {
        error = faults.Next(RioCall.CreateRequests);
        return error != 0 ? 0 : real.CreateRequestQueue(socket, requestCount, completionQueue, out error);
    }

    public int Receive(
        nint requestQueue, RIO_BUF* payload, RIO_BUF* peer, RIO_BUF* control, RIO_BUF* receivedFlags, uint flags,
        ulong requestContext)
    {
        int error = faults.Next(RioCall.Receive);
        return error != 0
            ? error
            : real.Receive(requestQueue, payload, peer, control, receivedFlags, flags, requestContext);
    }

    public int Commit(nint requestQueue)
    {
        int error = faults.Next(RioCall.Commit);
        return error != 0 ? error : real.Commit(requestQueue);
    }

    public uint Dequeue(nint completionQueue, RIORESULT* results, uint count)
    {
        uint taken = real.Dequeue(completionQueue, results, count);
        for (uint i = 0; taken != MSWSock.RIO_CORRUPT_CQ && i < taken; i++)
            results[i].Status = faults.Status() ?? results[i].Status;
        return taken;
    }

    public int Notify(nint completionQueue)
    {
        int error = faults.Next(RioCall.Notify);
        return error != 0 ? error : real.Notify(completionQueue);
    }
}
