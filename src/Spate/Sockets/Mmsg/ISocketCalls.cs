using Spate.Interop.Linux;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// The system calls of the Mmsg backend, as a struct type parameter: the JIT calls the real ones directly, and tests
/// substitute a struct that fails on purpose. Every result is a count, or minus the errno. Pointers are used only
/// during the call.
/// </summary>
internal unsafe interface ISocketCalls
{
    int ReceiveMany(int descriptor, mmsghdr* messages, int count, int flags);

    int SendMany(int descriptor, mmsghdr* messages, int count, int flags);

    int ReceiveMessage(int descriptor, msghdr* message, int flags);

    /// <summary>
    /// As recvfrom. The name's length is its capacity before the call and the bytes written after it; 0: no name.
    /// </summary>
    int ReceiveFrom(int descriptor, void* payload, int lengthBytes, int flags, void* name, uint* nameBytes);

    int SendMessage(int descriptor, msghdr* message, int flags);

    int SendTo(int descriptor, void* payload, int lengthBytes, int flags, void* name, int nameBytes);

    /// <summary>Waits for one descriptor; the result is poll's revents, 0 on time-out, or minus the errno.</summary>
    int Poll(int descriptor, short events, int timeoutMilliseconds);
}
