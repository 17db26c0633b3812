/* A thread for each socket whose datagrams the model hands out itself, which receives them with Wine's WSARecvMsg. */
#include "standin.h"

enum { PAYLOAD_BYTES = 65536 };

typedef enum { GOT, NOTHING_YET, FAILED, CLOSED } outcome;

typedef struct
{
    socket_state *state;
    const receive_calls *calls;
    datagram *spare;
    HANDLE event;
    LONG status; /* of the receive that failed */
} receiver;

enum { REFUSED_STATUS = (LONG)0xC0000236 };

static datagram *new_datagram(void) { return malloc(sizeof(datagram) + PAYLOAD_BYTES); }

/* Starts a receive; the lock keeps it from a handle that has been closed and names another socket. */
static int post(receiver *self, WSAMSG *message, WSAOVERLAPPED *overlapped)
{
    int error = WSAENOTSOCK;
    AcquireSRWLockExclusive(&self->state->receiving);
    if (!self->state->is_closed)
    {
        int result = real_receive(self->state->socket)(self->state->socket, message, NULL, overlapped, NULL);
        error = result == 0 ? 0 : WSAGetLastError();
    }
    ReleaseSRWLockExclusive(&self->state->receiving);
    return error;
}

/* Says so if nothing more comes for a while. */
static void wait_for_datagram(receiver *self)
{
    if (self->calls->pause != NULL && WaitForSingleObject(self->event, (DWORD)knobs.coalesce_wait) == WAIT_OBJECT_0)
        return;
    if (self->calls->pause != NULL)
    {
        EnterCriticalSection(&lock);
        self->calls->pause(self->state);
        LeaveCriticalSection(&lock);
    }
    WaitForSingleObject(self->event, INFINITE);
}

/* Receives one datagram into the spare. */
static outcome receive_one(receiver *self)
{
    datagram *one = self->spare;
    WSABUF buffer = {.len = PAYLOAD_BYTES, .buf = one->payload};
    WSAMSG message = {
        .name = (SOCKADDR *)&one->from,
        .namelen = sizeof one->from,
        .lpBuffers = &buffer,
        .dwBufferCount = 1,
        .Control = {.len = sizeof one->control, .buf = one->control},
    };
    /* The low bit keeps the packet from the port that the application may have for the socket. */
    WSAOVERLAPPED overlapped = {.hEvent = (HANDLE)((ULONG_PTR)self->event | 1)};
    int error = post(self, &message, &overlapped);
    self->status = REFUSED_STATUS;
    if (error == WSA_IO_PENDING)
    {
        wait_for_datagram(self);
        while (*(volatile ULONG_PTR *)&overlapped.Internal == PENDING_STATUS) SwitchToThread();
        LONG status = (LONG)overlapped.Internal;
        error = status >= 0 || status == OVERFLOW_STATUS ? 0 : WSA_OPERATION_ABORTED;
        self->status = status;
        if (status == REFUSED_STATUS || status == (LONG)0xC000020D) error = WSAECONNRESET; /* refused, reset */
        if (status == (LONG)0xC000023D) error = WSAECONNRESET; /* host unreachable */
    }
    if (error == WSA_OPERATION_ABORTED || error == WSAENOTSOCK) return CLOSED;
    if (error == WSAEINVAL) return NOTHING_YET; /* not bound yet */
    if (error != 0) return FAILED;
    one->next = NULL;
    one->from_length = message.namelen;
    one->length = (DWORD)overlapped.InternalHigh;
    one->flags = message.dwFlags;
    one->control_length = message.Control.len;
    return GOT;
}

static void finish(receiver *self)
{
    EnterCriticalSection(&lock);
    self->calls->ended(self->state);
    release_socket(self->state);
    LeaveCriticalSection(&lock);
    CloseHandle(self->event);
    free(self->spare);
    free(self);
}

static BOOL step(receiver *self)
{
    EnterCriticalSection(&lock);
    BOOL is_closed = self->state->is_closed, wants = !is_closed && self->calls->wants(self->state);
    LeaveCriticalSection(&lock);
    if (is_closed) return FALSE;
    if (!wants) return WaitForSingleObject(self->state->wake, INFINITE) == WAIT_OBJECT_0;

    switch (receive_one(self))
    {
    case CLOSED: return FALSE;
    case NOTHING_YET: WaitForSingleObject(self->state->wake, 5); return TRUE;
    case FAILED:
        if (self->calls->failed == NULL) return TRUE; /* a socket of RIO reports no ICMP error */
        EnterCriticalSection(&lock);
        self->calls->failed(self->state, self->status);
        LeaveCriticalSection(&lock);
        return TRUE;
    case GOT: break;
    }
    EnterCriticalSection(&lock);
    if (self->calls->deliver(self->state, self->spare)) self->spare = new_datagram();
    LeaveCriticalSection(&lock);
    return TRUE;
}

static DWORD WINAPI run(void *parameter)
{
    receiver *self = parameter;
    while (step(self)) continue;
    finish(self);
    return 0;
}

BOOL start_receiving(socket_state *state, const receive_calls *calls)
{
    receiver *self = calloc(1, sizeof *self);
    self->state = state;
    self->calls = calls;
    self->spare = new_datagram();
    self->event = CreateEventW(NULL, FALSE, FALSE, NULL);
    state->references++;
    HANDLE thread = CreateThread(NULL, 256 * 1024, run, self, 0, NULL);
    if (thread == NULL) return release_socket(state), FALSE;
    CloseHandle(thread);
    return TRUE;
}
