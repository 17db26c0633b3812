/*
 * Do the flags of WSARecvMsg show that it cut a datagram off? On Windows it fails with WSAEMSGSIZE, and dwFlags has
 * MSG_TRUNC ("LPFN_WSARECVMSG callback function", mswsock.h). Wine returns the error alone. Tests of too short buffers
 * need it with a backend that looks at the flags. The line also shows the answer of an overlapped call.
 */
#include "ask.h"

enum { ROOM_BYTES = 3 };

typedef struct
{
    char payload[ROOM_BYTES];
    char control[64];
    SOCKADDR_IN from;
    WSABUF buffer;
    WSAMSG message;
    DWORD length;
} reception;

static void prepare(reception *one)
{
    memset(one, 0, sizeof *one);
    one->buffer = (WSABUF){.len = ROOM_BYTES, .buf = one->payload};
    one->message = (WSAMSG){
        .name = (SOCKADDR *)&one->from,
        .namelen = sizeof one->from,
        .lpBuffers = &one->buffer,
        .dwBufferCount = 1,
        .Control = {.len = sizeof one->control, .buf = one->control},
    };
}

int main(void)
{
    start();
    SOCKET receiver = bind_udp("127.0.0.1", 0);
    SOCKET sender = bind_udp("127.0.0.1", 0);
    SOCKADDR_IN peer = name_of(receiver);
    LPFN_WSARECVMSG receive_message = (LPFN_WSARECVMSG)extension(receiver, (GUID)WSAID_WSARECVMSG);
    reception waited, queued;

    OVERLAPPED overlapped = {.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL)};
    prepare(&waited);
    int begun = error_of(receive_message(receiver, &waited.message, NULL, &overlapped, NULL));
    if (begun != WSA_IO_PENDING) give_up("WSARecvMsg, overlapped");
    send_to(sender, "abcdefgh", 8, &peer);
    if (WaitForSingleObject(overlapped.hEvent, LIMIT_MILLISECONDS) != WAIT_OBJECT_0) give_up("WSARecvMsg: no end");
    DWORD flags = 0;
    BOOL succeeded = WSAGetOverlappedResult(receiver, &overlapped, &waited.length, FALSE, &flags);
    int waited_error = succeeded ? 0 : WSAGetLastError();

    send_to(sender, "abcdefgh", 8, &peer);
    if (!is_readable(receiver)) give_up("select: no datagram came");
    prepare(&queued);
    int error = error_of(receive_message(receiver, &queued.message, &queued.length, NULL, NULL));
    answer(
        error == WSAEMSGSIZE && (queued.message.dwFlags & MSG_TRUNC) != 0,
        "WSARecvMsg of 8 bytes into %d: error %d, dwFlags 0x%lX, %lu bytes; "
        "overlapped: error %d, dwFlags 0x%lX, %lu bytes",
        ROOM_BYTES, error, queued.message.dwFlags, queued.length, waited_error, waited.message.dwFlags, waited.length);
}
