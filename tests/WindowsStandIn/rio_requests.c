/* Requests of Registered I/O: what a call may ask, and how a datagram or a close ends it. */
#include "rio.h"

const GUID multiple_rio = {0x8509e081, 0x96dd, 0x4005, {0xb1, 0x65, 0x9e, 0x2e, 0xe8, 0xc7, 0x9e, 0x3f}};

/* learn: mswsock/ns-mswsock-rio_extension_function_table. */
int answer_rio_table(void *output, DWORD length, DWORD *returned)
{
    const struct
    {
        DWORD size;
        void *functions[13];
    } table = {
        sizeof table,
        {rio_receive, rio_receive_ex, rio_send, rio_send_ex, rio_close_completion_queue, rio_create_completion_queue,
         rio_create_request_queue, rio_dequeue, rio_deregister, rio_notify, rio_register, rio_resize_completion_queue,
         rio_resize_request_queue},
    };
    if (output == NULL || length < sizeof table) return WSASetLastError(WSAEFAULT), SOCKET_ERROR;
    memcpy(output, &table, sizeof table);
    if (returned != NULL) *returned = sizeof table;
    return 0;
}

/* learn: mswsock/nc-mswsock-lpfn_rioreceiveex and ..._riosendex: each slice lies within one registration; WSAEFAULT for
   an identifier that is not registered. For a slice that does not fit the pages name no error; the model takes the
   same. Addresses need room for a SOCKADDR_INET. */
static int check(const request *one)
{
    for (int slice = 0; slice < SLICES; slice++)
    {
        if (!one->has[slice]) continue;
        if (slice_memory(&one->slices[slice]) == NULL) return WSAEFAULT;
        if ((slice == LOCAL_ADDRESS || slice == REMOTE_ADDRESS) && one->slices[slice].Length < sizeof(SOCKADDR_INET))
            return WSAEINVAL;
    }
    return 0;
}

/* Asks Wine for the address at which a datagram arrived, and hides the control message from the application. */
static void want_local(request_queue *queue)
{
    static const int levels[] = {IPPROTO_IP, IPPROTO_IPV6}, names[] = {IP_PKTINFO, IPV6_PKTINFO};
    for (int at = 0; at < 2; at++)
    {
        DWORD on = 0;
        int length = sizeof on;
        SOCKET socket = queue->state->socket;
        if (getsockopt(socket, levels[at], names[at], (char *)&on, &length) != 0 || on != 0) continue;
        on = 1;
        if (setsockopt(socket, levels[at], names[at], (char *)&on, sizeof on) == 0) queue->hides_local = TRUE;
    }
}

static void claim(const request *one)
{
    BOOL is_free = TRUE;
    for (int slice = 0; slice < SLICES; slice++)
        if (one->has[slice] && !claim_slice(&one->slices[slice], is_alone(one, slice))) is_free = FALSE;
    if (!is_free) violate("%s: a buffer is in use by another request", one->is_receive ? "RIOReceive" : "RIOSend");
}

static void send_now(request *one)
{
    SOCKET socket = one->queue->state->socket;
    const char *data = one->has[DATA] ? slice_memory(&one->slices[DATA]) : "";
    SOCKADDR_INET *to = one->has[REMOTE_ADDRESS] ? (SOCKADDR_INET *)slice_memory(&one->slices[REMOTE_ADDRESS]) : NULL;
    int to_length = to == NULL ? 0 : to->si_family == AF_INET ? sizeof to->Ipv4 : sizeof to->Ipv6;
    int length = one->has[DATA] ? (int)one->slices[DATA].Length : 0;
    int sent = sendto(socket, data, length, 0, (SOCKADDR *)to, to_length);
    while (sent == SOCKET_ERROR && WSAGetLastError() == WSAEWOULDBLOCK)
    {
        Sleep(1);
        sent = sendto(socket, data, length, 0, (SOCKADDR *)to, to_length);
    }
    if (sent != SOCKET_ERROR) count(&counts.rio_sent, 1);
    complete(one, sent == SOCKET_ERROR ? WSAGetLastError() : 0, sent == SOCKET_ERROR ? 0 : (DWORD)sent);
}

static void commit(direction *way, BOOL is_receive)
{
    for (request *one; (one = take(&way->deferred)) != NULL;)
        if (is_receive) append(&way->posted, one);
        else send_now(one);
}

/* learn: ..._rioreceiveex: with RIO_MSG_COMMIT_ONLY no other flag and no argument, and the call need not be serialised.
   It makes the deferred requests run; whether they do before is left open, and here they never do. */
static BOOL commit_only(request_queue *queue, BOOL is_receive, DWORD flags, BOOL has_arguments)
{
    if (flags != RIO_MSG_COMMIT_ONLY || has_arguments) return fail(WSAEINVAL);
    EnterCriticalSection(&lock);
    BOOL is_open = !queue->is_closed;
    if (is_open) commit(is_receive ? &queue->receives : &queue->sends, is_receive);
    LeaveCriticalSection(&lock);
    return is_open ? TRUE : fail(WSAEINVAL);
}

/* learn: ..._rioreceiveex: WSAENOBUFS when the queue was made for fewer requests. A deferred request is charged too. */
static int start(const request *asked)
{
    request_queue *queue = asked->queue;
    direction *way = asked->is_receive ? &queue->receives : &queue->sends;
    int error = queue->is_closed || way->completions->magic != MAGIC_COMPLETIONS || way->completions->is_corrupt
        ? WSAEINVAL : check(asked);
    if (error == 0 && way->outstanding >= way->most) error = WSAENOBUFS;
    if (error != 0) return error;

    request *one = malloc(sizeof *one);
    *one = *asked;
    way->outstanding++;
    way->completions->unreaped++;
    claim(one);
    if (one->is_receive && one->has[LOCAL_ADDRESS] && !queue->hides_local) want_local(queue);
    append(&way->deferred, one);
    if ((one->flags & RIO_MSG_DEFER) == 0) commit(way, one->is_receive);
    return 0;
}

/* learn: ..._rioreceiveex: RIO_MSG_WAITALL is not for datagrams. ..._riosendex: the local address is reserved. */
static BOOL submit(
    request_queue *queue, BOOL is_receive, RIO_BUF *const slices[SLICES], ULONG buffers, DWORD flags, void *context)
{
    request asked = {.queue = queue, .is_receive = is_receive, .flags = flags, .context = context};
    BOOL has_arguments = buffers != 0 || context != NULL;
    for (int slice = 0; slice < SLICES; slice++)
    {
        asked.has[slice] = slices[slice] != NULL;
        if (!asked.has[slice]) continue;
        asked.slices[slice] = *slices[slice];
        has_arguments = TRUE;
    }
    if (queue == NULL || queue->magic != MAGIC_REQUESTS) return fail(WSAEINVAL);
    if ((flags & RIO_MSG_COMMIT_ONLY) != 0) return commit_only(queue, is_receive, flags, has_arguments);
    if ((flags & ~(DWORD)(RIO_MSG_DEFER | RIO_MSG_DONT_NOTIFY)) != 0 || buffers != (asked.has[DATA] ? 1 : 0)
        || (!is_receive && asked.has[LOCAL_ADDRESS]))
        return fail(WSAEINVAL);

    if (!enter(&queue->inside, is_receive ? "RIOReceive" : "RIOSend")) return fail(WSAEINVAL);
    EnterCriticalSection(&lock);
    int error = start(&asked);
    LeaveCriticalSection(&lock);
    leave(&queue->inside);
    return error == 0 ? TRUE : fail(error);
}

BOOL WSAAPI rio_receive_ex(
    request_queue *queue, RIO_BUF *data, ULONG buffers, RIO_BUF *local, RIO_BUF *remote, RIO_BUF *control,
    RIO_BUF *flags_out, DWORD flags, void *context)
{
    RIO_BUF *slices[SLICES] = {data, local, remote, control, flags_out};
    return submit(queue, TRUE, slices, buffers, flags, context);
}

BOOL WSAAPI rio_receive(request_queue *queue, RIO_BUF *data, ULONG buffers, DWORD flags, void *context)
{
    return rio_receive_ex(queue, data, buffers, NULL, NULL, NULL, NULL, flags, context);
}

BOOL WSAAPI rio_send_ex(
    request_queue *queue, RIO_BUF *data, ULONG buffers, RIO_BUF *local, RIO_BUF *remote, RIO_BUF *control,
    RIO_BUF *flags_out, DWORD flags, void *context)
{
    RIO_BUF *slices[SLICES] = {data, local, remote, control, flags_out};
    return submit(queue, FALSE, slices, buffers, flags, context);
}

BOOL WSAAPI rio_send(request_queue *queue, RIO_BUF *data, ULONG buffers, DWORD flags, void *context)
{
    return rio_send_ex(queue, data, buffers, NULL, NULL, NULL, NULL, flags, context);
}
