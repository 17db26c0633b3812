using Spate.Interop.Windows;

namespace Spate.Sockets.Rio;

/// <summary>
/// The functions of Registered I/O that Spate uses. The backend's classes get the implementation as a struct type
/// parameter: the JIT then calls the real functions directly, and tests substitute a struct that fails or breaks a rule
/// on purpose. An error is a code of Winsock; 0 is success.
/// </summary>
internal unsafe interface IRioCalls
{
    /// <summary>Registers memory. Returns <see cref="MSWSock.RIO_INVALID_BUFFERID"/> after an error.</summary>
    nint RegisterBuffer(void* memory, uint bytes, out int error);

    void DeregisterBuffer(nint bufferId);

    /// <summary>
    /// Makes a completion queue; without a notification it can only be polled. Returns 0 after an error.
    /// </summary>
    nint CreateCompletionQueue(uint entryCount, RIO_NOTIFICATION_COMPLETION* notification, out int error);

    void CloseCompletionQueue(nint completionQueue);

    /// <summary>
    /// Makes the queue of a socket's receive requests; closing the socket closes it. Returns 0 after an error.
    /// </summary>
    nint CreateRequestQueue(nint socket, uint requestCount, nint completionQueue, out int error);

    /// <summary>Posts a receive. Null in place of a slice: that information is not wanted.</summary>
    int Receive(
        nint requestQueue, RIO_BUF* payload, RIO_BUF* peer, RIO_BUF* control, RIO_BUF* receivedFlags, uint flags,
        ulong requestContext);

    /// <summary>Has the system execute the receives that were posted with RIO_MSG_DEFER.</summary>
    int Commit(nint requestQueue);

    /// <summary>
    /// Takes completions. Returns their number, or <see cref="MSWSock.RIO_CORRUPT_CQ"/>.
    /// </summary>
    uint Dequeue(nint completionQueue, RIORESULT* results, uint count);

    /// <summary>
    /// Asks for one notification: at once if the queue has completions, otherwise when the next one comes. WSAEALREADY
    /// if the last notification has not come yet.
    /// </summary>
    int Notify(nint completionQueue);
}
