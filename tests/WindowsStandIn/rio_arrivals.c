/* What a datagram, SIO_FLUSH or a close does to the requests of Registered I/O. */
#include "rio.h"

static BOOL is_local_address(const WSACMSGHDR *message)
{
    return (message->cmsg_level == IPPROTO_IP && message->cmsg_type == IP_PKTINFO)
        || (message->cmsg_level == IPPROTO_IPV6 && message->cmsg_type == IPV6_PKTINFO);
}

/* learn: mswsock/nc-mswsock-lpfn_rioreceiveex: the local address as a SOCKADDR_INET. */
static void write_local(request_queue *queue, datagram *one, SOCKADDR_INET *local)
{
    int length = sizeof *local;
    memset(local, 0, sizeof *local);
    getsockname(queue->state->socket, (SOCKADDR *)local, &length);
    WSAMSG told = {.Control = {.len = one->control_length, .buf = one->control}};
    for (WSACMSGHDR *at = WSA_CMSG_FIRSTHDR(&told); at != NULL; at = WSA_CMSG_NXTHDR(&told, at))
    {
        if (!is_local_address(at)) continue;
        if (at->cmsg_level == IPPROTO_IPV6 && local->si_family == AF_INET6)
            local->Ipv6.sin6_addr = ((IN6_PKTINFO *)WSA_CMSG_DATA(at))->ipi6_addr;
        else if (at->cmsg_level == IPPROTO_IP && local->si_family == AF_INET)
            local->Ipv4.sin_addr = ((IN_PKTINFO *)WSA_CMSG_DATA(at))->ipi_addr;
    }
}

/* learn: mswsock/ns-mswsockdef-rio_cmsg_buffer: the length of all, then messages with a WSACMSGHDR each, eight bytes
   after the start. What does not fit is left out, and told as MSG_CTRUNC; the pages do not say which. */
static DWORD write_control(request_queue *queue, datagram *one, const RIO_BUF *slice)
{
    char *memory = slice_memory(slice);
    ULONG used = RIO_CMSG_BASE_SIZE;
    DWORD flags = 0;
    WSAMSG told = {.Control = {.len = one->control_length, .buf = one->control}};
    for (WSACMSGHDR *at = WSA_CMSG_FIRSTHDR(&told); at != NULL; at = WSA_CMSG_NXTHDR(&told, at))
    {
        ULONG bytes = (ULONG)WSA_CMSG_SPACE(at->cmsg_len - WSA_CMSG_LEN(0));
        INT bits;
        BOOL is_ecn = ecn_of(queue->state, at, &bits);
        if (queue->hides_local && is_local_address(at)) continue;
        if (used + bytes > slice->Length)
        {
            flags = MSG_CTRUNC;
            continue;
        }
        memset(memory + used, 0, bytes);
        memcpy(memory + used, at, at->cmsg_len);
        if (is_ecn)
        {
            ((WSACMSGHDR *)(memory + used))->cmsg_type = OPTION_ECN;
            memcpy(WSA_CMSG_DATA((WSACMSGHDR *)(memory + used)), &bits, sizeof bits);
        }
        used += bytes;
    }
    if (slice->Length >= sizeof used) memcpy(memory, &used, sizeof used);
    return flags;
}

/* A datagram that does not fit ends its request with WSAEMSGSIZE and what fitted, as WSARecvMsg does ("winsock/..."
   pages of RIO are silent). */
static void hand_over(request_queue *queue, datagram *one, request *to)
{
    DWORD room = to->has[DATA] ? to->slices[DATA].Length : 0, bytes = one->length < room ? one->length : room;
    DWORD flags = one->flags & ~(DWORD)(MSG_TRUNC | MSG_CTRUNC);
    if (bytes < one->length) flags |= MSG_TRUNC;
    if (bytes > 0) memcpy(slice_memory(&to->slices[DATA]), one->payload, bytes);
    if (to->has[REMOTE_ADDRESS])
        memcpy(slice_memory(&to->slices[REMOTE_ADDRESS]), &one->from, sizeof one->from);
    if (to->has[LOCAL_ADDRESS])
        write_local(queue, one, (SOCKADDR_INET *)slice_memory(&to->slices[LOCAL_ADDRESS]));
    if (to->has[CONTROL]) flags |= write_control(queue, one, &to->slices[CONTROL]);
    if (to->has[FLAGS] && to->slices[FLAGS].Length >= sizeof flags)
        memcpy(slice_memory(&to->slices[FLAGS]), &flags, sizeof flags);
    count(&counts.rio_received, 1);
    if (bytes < one->length) count(&counts.rio_truncated, 1);
    complete(to, bytes < one->length ? WSAEMSGSIZE : 0, bytes);
}

static BOOL is_intact(const request *one)
{
    for (int slice = 0; slice < SLICES; slice++)
        if (one->has[slice] && slice_memory(&one->slices[slice]) == NULL) return FALSE;
    return TRUE;
}

/* Without a request a datagram is dropped. The pages do not say so; users of RIO observed it, and that is the worse
   case for a backend: it loses what comes while its ring is empty. */
static BOOL deliver(socket_state *state, datagram *one)
{
    request_queue *queue = state->queue;
    if (queue == NULL || queue->is_closed) return FALSE;
    request *to = take(&queue->receives.posted);
    if (to == NULL)
    {
        count(&counts.rio_dropped, 1);
        return FALSE;
    }
    if (is_intact(to)) hand_over(queue, one, to);
    else complete(to, WSAEFAULT, 0); /* deregistered before its time, which was reported */
    return FALSE;
}

static BOOL wants(socket_state *state)
{
    (void)state;
    return TRUE;
}

static void abort_all(request_queue *queue)
{
    request_list *lists[] = {
        &queue->receives.posted, &queue->receives.deferred, &queue->sends.posted, &queue->sends.deferred,
    };
    for (int at = 0; at < 4; at++)
        for (request *one; (one = take(lists[at])) != NULL;)
        {
            count(&counts.rio_aborted, 1);
            complete(one, WSA_OPERATION_ABORTED, 0);
        }
}

/* learn: mswsock/nc-mswsock-lpfn_rioreceiveex: SIO_FLUSH and a close end requests with WSA_OPERATION_ABORTED. */
void rio_flush(socket_state *state)
{
    if (state->queue != NULL) abort_all(state->queue);
}

/* learn: mswsock/nc-mswsock-lpfn_riocreaterequestqueue: closing the socket closes the request queue, and frees its
   part of the completion queues for others, whether or not its completions were dequeued. */
void rio_socket_ended(socket_state *state)
{
    request_queue *queue = state->queue;
    if (queue == NULL || queue->is_closed) return;
    queue->is_closed = TRUE;
    abort_all(queue);
    queue->receives.completions->charged -= queue->receives.most;
    queue->sends.completions->charged -= queue->sends.most;
}

const receive_calls rio_receive_calls = {.wants = wants, .deliver = deliver, .ended = forget_socket};
