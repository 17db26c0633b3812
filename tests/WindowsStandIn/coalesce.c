/*
 * Coalesced receive (URO): while a socket has UDP_RECV_MAX_COALESCED_SIZE, its WSARecvMsg joins datagrams. They are
 * joined if they come within a millisecond of each other, as a network card may do; Wine's loopback gives no other
 * sign. A socket that asks for ECN bits receives here too, since Wine tells the whole traffic class only.
 */
#include "standin.h"

typedef struct pending
{
    struct pending *next;
    WSAMSG *message;
    WSAOVERLAPPED *overlapped;
} pending;

typedef struct coalescing
{
    pending *first_pending, **last_pending;
    datagram *first, **last;
    LONG64 queued;
    BOOL is_ready; /* what is queued need not wait for more */
    BOOL is_closed;
} coalescing;

static datagram *next_datagram(coalescing *self)
{
    datagram *one = self->first;
    self->first = one->next;
    if (self->first == NULL) self->last = &self->first, self->is_ready = FALSE;
    self->queued--;
    return one;
}

/* "winsock/ipproto-udp-socket-options": of one address and port, all of the same size except the last, which may be
   smaller, and no longer together than the option says. Longer single ones come too. */
static BOOL can_join(socket_state *state, const datagram *first, const datagram *last, DWORD total, LONG64 joined)
{
    const datagram *next = state->coalescing->first;
    return next != NULL && joined < knobs.coalesce_limit && first->length > 0 && last->length == first->length
        && next->length > 0 && next->length <= first->length && total + next->length <= state->coalesced_max
        && next->from_length == first->from_length && memcmp(&next->from, &first->from, first->from_length) == 0;
}

typedef struct
{
    WSAMSG *message;
    ULONG used; /* bytes of control messages */
    DWORD flags;
    ULONG buffer, offset; /* the place of the next byte of payload */
    DWORD bytes;
} filling;

static void add_control(filling *to, int level, int type, const void *data, ULONG length)
{
    if (to->used + WSA_CMSG_SPACE(length) > to->message->Control.len)
    {
        to->flags |= MSG_CTRUNC;
        return;
    }
    WSACMSGHDR *header = (WSACMSGHDR *)(to->message->Control.buf + to->used);
    *header = (WSACMSGHDR){.cmsg_len = WSA_CMSG_LEN(length), .cmsg_level = level, .cmsg_type = type};
    memcpy(WSA_CMSG_DATA(header), data, length);
    to->used += (ULONG)WSA_CMSG_SPACE(length);
}

static void copy_control(socket_state *state, datagram *one, filling *to)
{
    WSAMSG told = {.Control = {.len = one->control_length, .buf = one->control}};
    for (WSACMSGHDR *at = WSA_CMSG_FIRSTHDR(&told); at != NULL; at = WSA_CMSG_NXTHDR(&told, at))
    {
        INT bits;
        if (ecn_of(state, at, &bits)) add_control(to, at->cmsg_level, OPTION_ECN, &bits, sizeof bits);
        else add_control(to, at->cmsg_level, at->cmsg_type, WSA_CMSG_DATA(at), (ULONG)(at->cmsg_len - WSA_CMSG_LEN(0)));
    }
}

static void add_payload(filling *to, const datagram *one)
{
    DWORD at = 0;
    while (at < one->length && to->buffer < to->message->dwBufferCount)
    {
        WSABUF *buffer = &to->message->lpBuffers[to->buffer];
        DWORD part = buffer->len - to->offset < one->length - at ? buffer->len - to->offset : one->length - at;
        memcpy(buffer->buf + to->offset, one->payload + at, part);
        at += part, to->offset += part;
        if (to->offset == buffer->len) to->buffer++, to->offset = 0;
    }
    to->bytes += at;
    if (at < one->length) to->flags |= MSG_TRUNC;
}

/* Puts what is queued into a message, and returns the status. */
static LONG fill(socket_state *state, WSAMSG *message, DWORD *bytes)
{
    datagram *first = next_datagram(state->coalescing), *last = first;
    filling to = {.message = message, .flags = first->flags & ~(DWORD)(MSG_TRUNC | MSG_CTRUNC)};
    DWORD total = first->length;
    LONG64 joined = 1;
    add_payload(&to, first);
    copy_control(state, first, &to);
    while (can_join(state, first, last, total, joined))
    {
        if (last != first) free(last);
        last = next_datagram(state->coalescing);
        add_payload(&to, last);
        total += last->length;
        joined++;
    }
    if (joined > 1 && !knobs.coalesce_untold)
        add_control(&to, IPPROTO_UDP, UDP_COALESCED_INFO, &first->length, sizeof first->length);
    if (message->name != NULL)
    {
        int room = message->namelen < first->from_length ? message->namelen : first->from_length;
        memcpy(message->name, &first->from, (size_t)room);
    }
    message->namelen = first->from_length;
    message->Control.len = to.used;
    message->dwFlags = to.flags;
    *bytes = to.bytes;
    count(joined > 1 ? &counts.coalesced_receives : &counts.single_receives, 1);
    if (joined > 1) count(&counts.coalesced_datagrams, joined);
    if (last != first) free(last);
    free(first);
    return (to.flags & MSG_TRUNC) != 0 ? OVERFLOW_STATUS : 0;
}

static void remove_pending(coalescing *self, pending **at)
{
    pending *one = *at;
    *at = one->next;
    if (self->last_pending == &one->next) self->last_pending = at;
    free(one);
}

static void pause(socket_state *state)
{
    coalescing *self = state->coalescing;
    self->is_ready = self->first != NULL;
    while (self->is_ready && self->first_pending != NULL)
    {
        pending one = *self->first_pending;
        DWORD bytes;
        remove_pending(self, &self->first_pending);
        LONG status = fill(state, one.message, &bytes);
        end_overlapped(state, one.overlapped, status, bytes, FALSE);
    }
}

static BOOL deliver(socket_state *state, datagram *one)
{
    coalescing *self = state->coalescing;
    datagram *kept = realloc(one, sizeof *one + one->length);
    *self->last = kept;
    self->last = &kept->next;
    self->queued++;
    if (state->coalesced_max == 0 || self->queued >= knobs.coalesce_limit || self->is_ready) pause(state);
    return TRUE;
}

/* learn: winsock/nf-winsock2-wsarecvfrom: an ICMP error ends one receive. */
static void tell_failure(socket_state *state, LONG status)
{
    coalescing *self = state->coalescing;
    if (self->first_pending == NULL) return;
    WSAOVERLAPPED *overlapped = self->first_pending->overlapped;
    remove_pending(self, &self->first_pending);
    end_overlapped(state, overlapped, status, 0, FALSE);
}

static BOOL wants(socket_state *state) { return state->coalescing->first_pending != NULL; }

/* learn: winsock/nf-winsock-closesocket: what is pending ends with WSA_OPERATION_ABORTED. */
void coalescing_ended(socket_state *state)
{
    coalescing *self = state->coalescing;
    if (self == NULL || self->is_closed) return;
    self->is_closed = TRUE;
    cancel_coalesced(state, NULL);
    while (self->first != NULL) free(next_datagram(self));
}

BOOL cancel_coalesced(socket_state *state, WSAOVERLAPPED *overlapped)
{
    BOOL found = FALSE;
    coalescing *self = state->coalescing;
    if (self == NULL) return FALSE;
    for (pending **at = &self->first_pending; *at != NULL;)
    {
        WSAOVERLAPPED *one = (*at)->overlapped;
        if (overlapped != NULL && one != overlapped)
        {
            at = &(*at)->next;
            continue;
        }
        remove_pending(self, at);
        end_overlapped(state, one, CANCELLED_STATUS, 0, FALSE);
        found = TRUE;
    }
    return found;
}

static const receive_calls coalescing_calls = {
    .wants = wants, .deliver = deliver, .pause = pause, .ended = forget_socket, .failed = tell_failure,
};

/* With the lock held. */
static BOOL begin_coalescing(socket_state *state)
{
    if (state->coalescing != NULL) return TRUE;
    coalescing *self = calloc(1, sizeof *self);
    self->last_pending = &self->first_pending;
    self->last = &self->first;
    state->coalescing = self;
    return start_receiving(state, &coalescing_calls);
}

/* With the lock held: the error, which is WSA_IO_PENDING if the receive is yet to end. */
static int receive_overlapped(socket_state *state, WSAMSG *message, DWORD *received, WSAOVERLAPPED *overlapped)
{
    if (!begin_coalescing(state)) return WSAENOBUFS;
    coalescing *self = state->coalescing;
    begin_overlapped(overlapped);
    if (self->is_ready && self->first_pending == NULL)
    {
        DWORD bytes;
        LONG status = fill(state, message, &bytes);
        end_overlapped(state, overlapped, status, bytes, TRUE);
        if (status != 0) return WSA_IO_PENDING;
        if (received != NULL) *received = bytes;
        return 0;
    }
    pending *one = malloc(sizeof *one);
    *one = (pending){.message = message, .overlapped = overlapped};
    *self->last_pending = one;
    self->last_pending = &one->next;
    SetEvent(state->wake);
    return WSA_IO_PENDING;
}

INT WSAAPI standin_WSARecvMsg(
    SOCKET socket, WSAMSG *message, DWORD *received, WSAOVERLAPPED *overlapped,
    LPWSAOVERLAPPED_COMPLETION_ROUTINE routine)
{
    int error = -1; /* the call is Wine's */
    EnterCriticalSection(&lock);
    socket_state *state = find_socket(socket, FALSE);
    BOOL is_model = state != NULL && state->queue == NULL && routine == NULL
        && (state->coalesced_max != 0 || state->tells_ecn || state->coalescing != NULL);
    if (is_model && overlapped != NULL) error = receive_overlapped(state, message, received, overlapped);
    else if (is_model && state->coalescing != NULL && state->coalescing->first != NULL)
        error = fill(state, message, received) == 0 ? 0 : WSAEMSGSIZE;
    LeaveCriticalSection(&lock);
    if (error < 0) return real_receive(socket)(socket, message, received, overlapped, routine);
    WSASetLastError(error);
    return error == 0 ? 0 : SOCKET_ERROR;
}
