using Spate.Interop.Linux;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// The system calls of the Mmsg backend. The backend's classes get the implementation as a struct type parameter: the
/// JIT then calls the real system calls directly, and tests substitute a struct that fails on purpose. Every result is
/// a count, or minus the errno. Pointers are used only during the call.
/// </summary>
internal unsafe interface ISocketCalls
{
    int ReceiveMany(int descriptor, mmsghdr* messages, int count, int flags);

    int SendMany(int descriptor, mmsghdr* messages, int count, int flags);

    int ReceiveMessage(int descriptor, msghdr* message, int flags);

    /// <summary>
    /// Calls recvfrom. <c>*nameBytes</c> is the capacity of <paramref name="name"/> before the call, and the number of
    /// bytes written to it after the call. A value of 0, before or after the call, means that the name is absent.
    /// </summary>
    int ReceiveFrom(int descriptor, void* payload, int lengthBytes, int flags, void* name, uint* nameBytes);

    int SendMessage(int descriptor, msghdr* message, int flags);

    int SendTo(int descriptor, void* payload, int lengthBytes, int flags, void* name, int nameBytes);

    /// <summary>Waits for one descriptor. Returns poll's revents, 0 at the timeout, or minus the errno.</summary>
    int Poll(int descriptor, short events, int timeoutMilliseconds);
}
