/* Coalesced receive: what is joined, how it is told, and how a receive ends by event, port, cancel and close. */
#include "check.h"

enum { KEY = 0x77, BUFFER_BYTES = 65536 };

typedef struct
{
    SOCKET socket, peer;
    HANDLE port, event;
    LPFN_WSARECVMSG receive;
} coalescer;

typedef struct
{
    OVERLAPPED overlapped;
    WSAMSG message;
    WSABUF buffer;
    SOCKADDR_IN from;
    char control[256];
    char payload[BUFFER_BYTES];
} receive_slot;

static coalescer open_coalescer(DWORD limit, UCHAR modes)
{
    GUID id = WSAID_WSARECVMSG;
    DWORD returned;
    coalescer made = {.socket = open_socket(0), .peer = open_socket(0)};
    made.event = CreateEventW(NULL, FALSE, FALSE, NULL);
    made.port = dll.CreateIoCompletionPort((HANDLE)made.socket, NULL, KEY, 1);
    CHECK(made.port != NULL && dll.SetFileCompletionNotificationModes((HANDLE)made.socket, modes));
    CHECK(dll.setsockopt(made.socket, IPPROTO_UDP, UDP_RECV_MAX_COALESCED_SIZE, (char *)&limit, sizeof limit) == 0);
    CHECK(dll.WSAIoctl(
        made.socket, SIO_GET_EXTENSION_FUNCTION_POINTER, &id, sizeof id, &made.receive, sizeof made.receive, &returned,
        NULL, NULL) == 0);
    return made;
}

static void close_coalescer(coalescer *self)
{
    dll.closesocket(self->socket), dll.closesocket(self->peer);
    CloseHandle(self->port), CloseHandle(self->event);
}

/* Posts a receive: 0, or the error. */
static int post(coalescer *self, receive_slot *slot)
{
    memset(slot, 0, offsetof(receive_slot, payload));
    slot->overlapped.hEvent = self->event;
    slot->buffer = (WSABUF){.len = BUFFER_BYTES, .buf = slot->payload};
    slot->message = (WSAMSG){
        .name = (SOCKADDR *)&slot->from,
        .namelen = sizeof slot->from,
        .lpBuffers = &slot->buffer,
        .dwBufferCount = 1,
        .Control = {.len = sizeof slot->control, .buf = slot->control},
    };
    return self->receive(self->socket, &slot->message, NULL, &slot->overlapped, NULL) == 0 ? 0 : WSAGetLastError();
}

/* Takes the next packet of the port: the slot, whose status and length it tells too. */
static receive_slot *next(coalescer *self, LONG *status, DWORD *length)
{
    OVERLAPPED_ENTRY entry = {0};
    ULONG entries = 0;
    if (!GetQueuedCompletionStatusEx(self->port, &entry, 1, &entries, WAIT_MILLISECONDS, FALSE)) return NULL;
    CHECK(entry.lpCompletionKey == KEY);
    CHECK(entry.lpOverlapped->InternalHigh == entry.dwNumberOfBytesTransferred);
    *status = (LONG)entry.lpOverlapped->Internal;
    *length = entry.dwNumberOfBytesTransferred;
    return (receive_slot *)entry.lpOverlapped;
}

/* The DWORD of the control message UDP_COALESCED_INFO, or 0. */
static DWORD told_size(receive_slot *slot)
{
    for (WSACMSGHDR *at = WSA_CMSG_FIRSTHDR(&slot->message); at != NULL; at = WSA_CMSG_NXTHDR(&slot->message, at))
        if (at->cmsg_level == IPPROTO_UDP && at->cmsg_type == UDP_COALESCED_INFO) return *(DWORD *)WSA_CMSG_DATA(at);
    return 0;
}

static receive_slot slots[3];

static void joins(void)
{
    LONG status;
    DWORD length;
    coalescer self = open_coalescer(60000, 0);
    SOCKADDR_IN peer = name_of(self.peer);
    dll.set("coalesce_wait", 200); /* a busy machine shall not part what is sent at once */
    CHECK(post(&self, &slots[0]) == WSA_IO_PENDING && post(&self, &slots[1]) == WSA_IO_PENDING);
    send_text(self.peer, self.socket, "aaaa");
    send_text(self.peer, self.socket, "bbbb");
    send_text(self.peer, self.socket, "cc"); /* shorter, so the last */
    send_text(self.peer, self.socket, "dddddd");
    CHECK(next(&self, &status, &length) == &slots[0] && status == 0 && length == 10);
    CHECK(memcmp(slots[0].payload, "aaaabbbbcc", 10) == 0 && told_size(&slots[0]) == 4);
    CHECK(memcmp(&slots[0].from, &peer, sizeof peer) == 0 && slots[0].message.dwFlags == 0);
    CHECK(next(&self, &status, &length) == &slots[1] && length == 6 && told_size(&slots[1]) == 0);
    CHECK(WaitForSingleObject(self.event, 0) == WAIT_OBJECT_0);
    CHECK(COUNT(coalesced_receives) == 1 && COUNT(coalesced_datagrams) == 3 && COUNT(single_receives) == 1);
    close_coalescer(&self);
    CHECK_CLEAN();
}

static void keeps_apart(void)
{
    LONG status;
    DWORD length;
    coalescer self = open_coalescer(8, 0);
    SOCKET stranger = open_socket(0);
    dll.set("coalesce_wait", 200);
    for (int at = 0; at < 3; at++) CHECK(post(&self, &slots[at]) == WSA_IO_PENDING);
    send_text(self.peer, self.socket, "aaaa");
    send_text(stranger, self.socket, "bbbb"); /* of another peer */
    send_text(stranger, self.socket, "cccc");
    send_text(stranger, self.socket, "dddd"); /* more than the option allows */
    CHECK(next(&self, &status, &length) == &slots[0] && length == 4);
    CHECK(next(&self, &status, &length) == &slots[1] && length == 8 && told_size(&slots[1]) == 4);
    CHECK(next(&self, &status, &length) == &slots[2] && length == 4);
    dll.set("coalesce_untold", 1);
    CHECK(post(&self, &slots[0]) == WSA_IO_PENDING);
    send_text(self.peer, self.socket, "aa");
    send_text(self.peer, self.socket, "bb");
    CHECK(next(&self, &status, &length) == &slots[0] && length == 4 && told_size(&slots[0]) == 0);
    dll.reset();
    dll.closesocket(stranger);
    close_coalescer(&self);
}

/* What is there already ends a receive at once; without a packet, if that is asked. */
static void at_once(UCHAR modes)
{
    LONG status;
    DWORD length;
    coalescer self = open_coalescer(60000, modes);
    dll.set("coalesce_wait", 200);
    CHECK(post(&self, &slots[0]) == WSA_IO_PENDING);
    send_text(self.peer, self.socket, "one");
    send_text(self.peer, self.socket, "three"); /* longer, so it is left for the next receive */
    CHECK(next(&self, &status, &length) == &slots[0] && length == 3);
    CHECK(post(&self, &slots[2]) == 0);
    CHECK(slots[2].overlapped.Internal == 0 && slots[2].overlapped.InternalHigh == 5);
    CHECK(WaitForSingleObject(self.event, 0) == WAIT_OBJECT_0);
    OVERLAPPED_ENTRY entry;
    ULONG entries;
    BOOL has_packet = GetQueuedCompletionStatusEx(self.port, &entry, 1, &entries, 0, FALSE);
    CHECK(has_packet == (modes == 0));
    dll.reset();
    close_coalescer(&self);
}

static void ends(BOOL past)
{
    LONG status;
    DWORD length;
    coalescer self = open_coalescer(60000, FILE_SKIP_COMPLETION_PORT_ON_SUCCESS);
    for (int at = 0; at < 3; at++) CHECK(post(&self, &slots[at]) == WSA_IO_PENDING);
    CHECK(dll.CancelIoEx((HANDLE)self.socket, &slots[1].overlapped));
    CHECK(next(&self, &status, &length) == &slots[1] && status == CANCELLED_STATUS && length == 0);
    SetLastError(0);
    CHECK(!dll.CancelIoEx((HANDLE)self.socket, &slots[1].overlapped) && GetLastError() == ERROR_NOT_FOUND);
    CHECK((past ? closesocket(self.socket) : dll.closesocket(self.socket)) == 0);
    CHECK(next(&self, &status, &length) == &slots[0] && status == CANCELLED_STATUS);
    CHECK(next(&self, &status, &length) == &slots[2] && status == CANCELLED_STATUS);
    CloseHandle(self.port), CloseHandle(self.event);
    dll.closesocket(self.peer);
}

static void truncated(void)
{
    LONG status;
    DWORD length;
    coalescer self = open_coalescer(60000, 0);
    CHECK(post(&self, &slots[0]) == WSA_IO_PENDING);
    slots[0].buffer.len = 3;
    send_text(self.peer, self.socket, "longer");
    CHECK(next(&self, &status, &length) == &slots[0] && status == OVERFLOW_STATUS && length == 3);
    CHECK((slots[0].message.dwFlags & MSG_TRUNC) != 0);
    close_coalescer(&self);
}

static void congestion(void)
{
    LONG status;
    DWORD length, on = 1, tos = 2, bits = 0;
    coalescer self = open_coalescer(0, 0);
    CHECK(dll.setsockopt(self.socket, IPPROTO_IP, OPTION_ECN, (char *)&on, sizeof on) == 0);
    CHECK(post(&self, &slots[0]) == WSA_IO_PENDING);
    CHECK(setsockopt(self.peer, IPPROTO_IP, IP_TOS, (char *)&tos, sizeof tos) == 0);
    send_text(self.peer, self.socket, "marked");
    CHECK(next(&self, &status, &length) == &slots[0] && length == 6);
    WSACMSGHDR *header = WSA_CMSG_FIRSTHDR(&slots[0].message);
    CHECK(header != NULL && header->cmsg_level == IPPROTO_IP && header->cmsg_type == OPTION_ECN);
    if (header != NULL) memcpy(&bits, WSA_CMSG_DATA(header), sizeof bits);
    CHECK(bits == 2);
    close_coalescer(&self);
}

void check_coalescing(void)
{
    joins();
    dll.reset();
    keeps_apart();
    at_once(0);
    at_once(FILE_SKIP_COMPLETION_PORT_ON_SUCCESS);
    ends(FALSE);
    ends(TRUE);
    truncated();
    congestion();
    CHECK_CLEAN();
}
