/* Segmented send (USO): one send becomes several datagrams. */
#include "standin.h"

typedef struct
{
    SOCKET socket;
    const char *payload;
    DWORD length, size; /* of all, and of a segment */
    DWORD flags;
    const SOCKADDR *to;
    int to_length;
} segmented;

static DWORD stored_size(SOCKET socket)
{
    EnterCriticalSection(&lock);
    socket_state *state = find_socket(socket, FALSE);
    DWORD size = state == NULL ? 0 : state->segment_size;
    LeaveCriticalSection(&lock);
    return size;
}

/* "winsock/ipproto-udp-socket-options": the size is a DWORD; a message of that type stands for the option in one call.
   No page tells of a limit of segments; implementations found 512, and the error is ours. */
static int refusal(const segmented *send, BOOL is_asked)
{
    DWORD segments = send->size == 0 ? 1 : (send->length + send->size - 1) / send->size;
    const SOCKADDR_IN *to = (const SOCKADDR_IN *)send->to; /* the port is at the same place in both families */
    if (!is_asked) return 0;
    BOOL is_refused = (knobs.single_refused && segments <= 1) || segments > knobs.segment_limit
        || send->size > knobs.refused_above
        || (knobs.refused_port != 0 && to != NULL && ntohs(to->sin_port) == knobs.refused_port);
    if (!is_refused) return 0;
    count(&counts.refused_sends, 1);
    return (int)knobs.refused_error;
}

static int send_one(const segmented *send, DWORD at, DWORD length)
{
    WSABUF buffer = {.len = length, .buf = (char *)send->payload + at};
    DWORD sent;
    int result = WSASendTo(send->socket, &buffer, 1, &sent, send->flags, send->to, send->to_length, NULL, NULL);
    return result == 0 ? 0 : WSAGetLastError();
}

static void wait_for_room(SOCKET socket)
{
    WSAPOLLFD one = {.fd = socket, .events = POLLWRNORM};
    if (WSAPoll(&one, 1, 1000) <= 0) Sleep(1);
}

/* All or nothing, as one call to the system is: after the first segment, a full buffer is waited for. */
static int send_segments(const segmented *send)
{
    count(&counts.segmented_sends, 1);
    for (DWORD at = 0; at < send->length; at += send->size)
    {
        DWORD length = send->length - at < send->size ? send->length - at : send->size;
        int error = send_one(send, at, length);
        while (error == WSAEWOULDBLOCK && at > 0)
        {
            wait_for_room(send->socket);
            error = send_one(send, at, length);
        }
        if (error != 0) return error;
        count(&counts.segments, 1);
    }
    return 0;
}

/* The size that a control message asks for: TRUE if there is one. */
static BOOL asked_size(const WSAMSG *message, DWORD *size)
{
    for (WSACMSGHDR *at = WSA_CMSG_FIRSTHDR(message); at != NULL; at = WSA_CMSG_NXTHDR(message, at))
    {
        if (at->cmsg_level != IPPROTO_UDP || at->cmsg_type != UDP_SEND_MSG_SIZE) continue;
        memcpy(size, WSA_CMSG_DATA(at), sizeof *size);
        return TRUE;
    }
    return FALSE;
}

static char *gather(const WSABUF *buffers, DWORD many, DWORD *length)
{
    *length = 0;
    for (DWORD at = 0; at < many; at++) *length += buffers[at].len;
    char *all = malloc(*length + 1), *next = all;
    for (DWORD at = 0; at < many; at++)
    {
        memcpy(next, buffers[at].buf, buffers[at].len);
        next += buffers[at].len;
    }
    return all;
}

static void end_send(SOCKET socket, WSAOVERLAPPED *overlapped, DWORD bytes)
{
    EnterCriticalSection(&lock);
    socket_state *state = find_socket(socket, TRUE);
    begin_overlapped(overlapped);
    end_overlapped(state, overlapped, 0, bytes, TRUE);
    LeaveCriticalSection(&lock);
}

/* A send of which the model knows the segment size: -1 if it is to go to Wine as it is, or the error. */
static int try_segments(
    SOCKET socket, const WSABUF *buffers, DWORD many, DWORD flags, const SOCKADDR *to, int to_length, DWORD size,
    BOOL is_asked, DWORD *sent)
{
    segmented send = {.socket = socket, .size = size, .flags = flags, .to = to, .to_length = to_length};
    char *payload = gather(buffers, many, &send.length);
    send.payload = payload;
    int error = refusal(&send, is_asked);
    if (error == 0) error = size == 0 || send.length <= size ? -1 : send_segments(&send);
    if (error == 0 && sent != NULL) *sent = send.length;
    free(payload);
    return error;
}

typedef struct
{
    SOCKET socket;
    WSAMSG *message;
    DWORD flags, *sent;
    WSAOVERLAPPED *overlapped;
    LPWSAOVERLAPPED_COMPLETION_ROUTINE routine;
} message_send;

static int send_message(void *of)
{
    message_send *send = of;
    WSAMSG *message = send->message;
    DWORD size = 0, bytes = 0;
    BOOL is_asked = !knobs.no_offload && asked_size(message, &size);
    if (!is_asked) size = stored_size(send->socket);
    int error = !is_asked && size == 0 ? -1 : try_segments(
        send->socket, message->lpBuffers, message->dwBufferCount, send->flags, message->name, message->namelen, size,
        is_asked, &bytes);
    if (error < 0)
        return real_send(send->socket)(
            send->socket, message, send->flags, send->sent, send->overlapped, send->routine) == 0
            ? 0 : WSAGetLastError();
    if (error == 0 && send->sent != NULL) *send->sent = bytes;
    if (error == 0 && send->overlapped != NULL) end_send(send->socket, send->overlapped, bytes);
    return error;
}

INT WSAAPI standin_WSASendMsg(
    SOCKET socket, WSAMSG *message, DWORD flags, DWORD *sent, WSAOVERLAPPED *overlapped,
    LPWSAOVERLAPPED_COMPLETION_ROUTINE routine)
{
    message_send send = {socket, message, flags, sent, overlapped, routine};
    int error = send_with_class(socket, message, send_message, &send);
    WSASetLastError(error);
    return error == 0 ? 0 : SOCKET_ERROR;
}

INT WSAAPI standin_WSASendTo(
    SOCKET socket, WSABUF *buffers, DWORD many, DWORD *sent, DWORD flags, const SOCKADDR *to, int to_length,
    WSAOVERLAPPED *overlapped, LPWSAOVERLAPPED_COMPLETION_ROUTINE routine)
{
    DWORD size = stored_size(socket), bytes = 0;
    int error = size == 0 ? -1 : try_segments(socket, buffers, many, flags, to, to_length, size, FALSE, &bytes);
    if (error < 0) return WSASendTo(socket, buffers, many, sent, flags, to, to_length, overlapped, routine);
    if (error == 0 && sent != NULL) *sent = bytes;
    if (error == 0 && overlapped != NULL) end_send(socket, overlapped, bytes);
    WSASetLastError(error);
    return error == 0 ? 0 : SOCKET_ERROR;
}

INT WSAAPI standin_WSASend(
    SOCKET socket, WSABUF *buffers, DWORD many, DWORD *sent, DWORD flags, WSAOVERLAPPED *overlapped,
    LPWSAOVERLAPPED_COMPLETION_ROUTINE routine)
{
    if (stored_size(socket) == 0) return WSASend(socket, buffers, many, sent, flags, overlapped, routine);
    return standin_WSASendTo(socket, buffers, many, sent, flags, NULL, 0, overlapped, routine);
}

int WSAAPI standin_sendto(SOCKET socket, const char *data, int length, int flags, const SOCKADDR *to, int to_length)
{
    WSABUF buffer = {.len = (ULONG)length, .buf = (char *)data};
    DWORD sent = 0;
    if (stored_size(socket) == 0 || length < 0) return sendto(socket, data, length, flags, to, to_length);
    return standin_WSASendTo(socket, &buffer, 1, &sent, (DWORD)flags, to, to_length, NULL, NULL) == 0
        ? (int)sent : SOCKET_ERROR;
}

int WSAAPI standin_send(SOCKET socket, const char *data, int length, int flags)
{
    if (stored_size(socket) == 0) return send(socket, data, length, flags);
    return standin_sendto(socket, data, length, flags, NULL, 0);
}
