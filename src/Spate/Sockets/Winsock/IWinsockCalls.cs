using Spate.Interop.Windows;

namespace Spate.Sockets.Winsock;

/// <summary>
/// The system calls of the receiving half of Winsock. The classes of the backend get the implementation as a struct
/// type parameter, as in Mmsg, and tests substitute a struct that fails on purpose.
/// </summary>
internal unsafe interface IWinsockCalls
{
    /// <summary>
    /// Posts a receive by WSARecvMsg, whose memory belongs to the system until it has ended. Returns 0 if it has ended
    /// at once, WSA_IO_PENDING if a packet of the completion port will report its end, or the error of a receive that
    /// was not posted.
    /// </summary>
    int Receive(nint function, nint socket, WSAMSG* message, uint* receivedBytes, OVERLAPPED* overlapped);

    /// <summary>Returns the error of a receive that has ended, 0 if it has none.</summary>
    int ErrorOf(nint socket, OVERLAPPED* overlapped);

    /// <summary>Takes packets from a completion port. Returns their number; 0 after the timeout.</summary>
    int Dequeue(nint port, OVERLAPPED_ENTRY* packets, int roomCount, int timeoutMilliseconds);

    /// <summary>Posts a packet without a receive, which wakes a thread.</summary>
    void Post(nint port);

    /// <summary>Ends all receives of a socket; each of them still reports its end.</summary>
    void Cancel(nint socket);
}
