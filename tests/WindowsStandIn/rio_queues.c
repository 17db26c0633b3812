/* Completion queues and request queues of Registered I/O: their sizes, their notifications, and who may be inside. */
#include "rio.h"

/* learn: mswsock/nc-mswsock-lpfn_riocreaterequestqueue, note: access to the queues is not protected, so threads that
   share one must exclude each other. */
BOOL enter(volatile LONG *inside, const char *call)
{
    if (InterlockedExchange(inside, 1) != 0)
    {
        violate("%s: another thread is in a call of the same queue", call);
        return FALSE;
    }
    for (LONG64 at = 0; at < knobs.linger; at++) SwitchToThread();
    return TRUE;
}

void leave(volatile LONG *inside) { InterlockedExchange(inside, 0); }

void append(request_list *list, request *one)
{
    one->next = NULL;
    if (list->first == NULL) list->first = one;
    else list->last->next = one;
    list->last = one;
    list->length++;
}

request *take(request_list *list)
{
    request *one = list->first;
    if (one == NULL) return NULL;
    list->first = one->next;
    list->length--;
    return one;
}

static BOOL is_completions(const completion_queue *queue)
{
    return queue != NULL && queue->magic == MAGIC_COMPLETIONS;
}

static void notify(completion_queue *queue)
{
    const RIO_NOTIFICATION_COMPLETION *how = &queue->notification;
    queue->is_armed = FALSE;
    count(&counts.notifications, 1);
    if (how->Type == RIO_EVENT_COMPLETION) SetEvent(how->Event.EventHandle);
    else PostQueuedCompletionStatus(how->Iocp.IocpHandle, 0, (ULONG_PTR)how->Iocp.CompletionKey, how->Iocp.Overlapped);
}

/* learn: mswsock/nc-mswsock-lpfn_riocreatecompletionqueue: an entry made with RIO_MSG_DONT_NOTIFY notifies nobody.
   A completion that finds no room is an overrun, after which the queue is corrupt (..._riodequeuecompletion). */
void complete(request *one, LONG status, DWORD bytes)
{
    request_queue *queue = one->queue;
    completion_queue *completions = (one->is_receive ? &queue->receives : &queue->sends)->completions;
    one->status = status;
    one->bytes = bytes;
    if (!is_completions(completions)) return; /* closed: "silently dropped", and its close was reported */
    if (completions->completed.length >= completions->size)
    {
        violate("a completion queue of %lu entries is overrun", completions->size);
        completions->is_corrupt = TRUE;
        return;
    }
    append(&completions->completed, one);
    if (completions->is_armed && (one->flags & RIO_MSG_DONT_NOTIFY) == 0) notify(completions);
}

/* learn: mswsock/nc-mswsock-lpfn_riocreatecompletionqueue: 1 to RIO_MAX_CQ_SIZE entries; a port needs an OVERLAPPED. */
void *WSAAPI rio_create_completion_queue(DWORD size, RIO_NOTIFICATION_COMPLETION *notification)
{
    if (size < 1 || size > RIO_MAX_CQ_SIZE) return fail(WSAEINVAL), NULL;
    if (notification != NULL
        && (notification->Type == RIO_EVENT_COMPLETION ? notification->Event.EventHandle == NULL
            : notification->Type != RIO_IOCP_COMPLETION || notification->Iocp.Overlapped == NULL))
        return fail(WSAEINVAL), NULL;
    completion_queue *made = calloc(1, sizeof *made);
    made->magic = MAGIC_COMPLETIONS;
    made->size = size;
    made->has_notification = notification != NULL;
    if (notification != NULL) made->notification = *notification;
    return made;
}

/* learn: mswsock/nc-mswsock-lpfn_rioclosecompletionqueue: completions after it are dropped, and the application is
   expected to track its requests. An invalid queue is ignored. The memory stays, so that a later use is seen. */
void WSAAPI rio_close_completion_queue(completion_queue *queue)
{
    if (!is_completions(queue)) return;
    BOOL entered = enter(&queue->inside, "RIOCloseCompletionQueue");
    EnterCriticalSection(&lock);
    if (queue->unreaped > 0) violate("RIOCloseCompletionQueue: %lu requests are not dequeued yet", queue->unreaped);
    queue->magic = 0;
    queue->is_armed = FALSE;
    LeaveCriticalSection(&lock);
    if (entered) leave(&queue->inside);
}

/* learn: mswsock/nc-mswsock-lpfn_rioresizecompletionqueue: never below what its request queues may need. */
BOOL WSAAPI rio_resize_completion_queue(completion_queue *queue, DWORD size)
{
    if (!is_completions(queue) || size < 1 || size > RIO_MAX_CQ_SIZE) return fail(WSAEINVAL);
    if (!enter(&queue->inside, "RIOResizeCompletionQueue")) return fail(WSAEINVAL);
    EnterCriticalSection(&lock);
    BOOL fits = size >= queue->charged && size >= queue->completed.length;
    if (fits) queue->size = size;
    LeaveCriticalSection(&lock);
    leave(&queue->inside);
    return fits ? TRUE : fail(WSAETOOMANYREFS);
}

/* learn: mswsock/nc-mswsock-lpfn_riodequeuecompletion: only now buffers and quota of the request are released. */
static void reap(completion_queue *queue, RIORESULT *result)
{
    request *one = take(&queue->completed);
    direction *way = one->is_receive ? &one->queue->receives : &one->queue->sends;
    *result = (RIORESULT){
        .Status = one->status,
        .BytesTransferred = one->bytes,
        .SocketContext = (ULONGLONG)one->queue->context,
        .RequestContext = (ULONGLONG)one->context,
    };
    way->outstanding--;
    queue->unreaped--;
    for (int slice = 0; slice < SLICES; slice++)
        if (one->has[slice]) free_slice(&one->slices[slice], is_alone(one, slice));
    free(one);
}

/* The same page: RIO_CORRUPT_CQ for an invalid queue, and after misuse such as two threads inside it. */
ULONG WSAAPI rio_dequeue(completion_queue *queue, RIORESULT *results, ULONG length)
{
    if (!is_completions(queue)) return RIO_CORRUPT_CQ;
    if (!enter(&queue->inside, "RIODequeueCompletion"))
    {
        queue->is_corrupt = TRUE;
        return RIO_CORRUPT_CQ;
    }
    ULONG taken = 0;
    EnterCriticalSection(&lock);
    if (InterlockedExchange64(&knobs.corrupt, 0) != 0) queue->is_corrupt = TRUE;
    if (queue->is_corrupt) taken = RIO_CORRUPT_CQ;
    else while (taken < length && queue->completed.first != NULL) reap(queue, &results[taken++]);
    LeaveCriticalSection(&lock);
    leave(&queue->inside);
    return taken;
}

/* learn: mswsock/nc-mswsock-lpfn_rionotify: one notification a call, WSAEALREADY while one is awaited; at once if the
   queue holds an entry made without RIO_MSG_DONT_NOTIFY; the event is reset first if NotifyReset says so. */
INT WSAAPI rio_notify(completion_queue *queue)
{
    if (!is_completions(queue) || !queue->has_notification) return WSAEINVAL;
    if (!enter(&queue->inside, "RIONotify")) return WSAEINVAL;
    EnterCriticalSection(&lock);
    INT error = queue->is_armed ? WSAEALREADY : 0;
    if (error == 0)
    {
        const RIO_NOTIFICATION_COMPLETION *how = &queue->notification;
        if (how->Type == RIO_EVENT_COMPLETION && how->Event.NotifyReset) ResetEvent(how->Event.EventHandle);
        queue->is_armed = TRUE;
        for (request *one = queue->completed.first; one != NULL && queue->is_armed; one = one->next)
            if ((one->flags & RIO_MSG_DONT_NOTIFY) == 0) notify(queue);
    }
    LeaveCriticalSection(&lock);
    leave(&queue->inside);
    return error;
}

/* learn: mswsock/nc-mswsock-lpfn_riocreaterequestqueue: "the sizes of the send and receive queues must be greater than
   or equal to the send and receive sizes of all attached sockets". */
static BOOL charge(completion_queue *receives, ULONG more_receives, completion_queue *sends, ULONG more_sends)
{
    ULONGLONG receive_sum = (ULONGLONG)receives->charged + more_receives + (receives == sends ? more_sends : 0);
    if (receive_sum > receives->size || (ULONGLONG)sends->charged + more_sends > sends->size) return FALSE;
    receives->charged += more_receives;
    sends->charged += more_sends;
    return TRUE;
}

/* The same page: WSAEINVAL, WSAENOTSOCK, WSAENOBUFS. One buffer a request. That a socket without the flag gets no queue
   is from winsock/riorqueue, which names no error. */
void *WSAAPI rio_create_request_queue(
    SOCKET socket, ULONG receives, ULONG receive_buffers, ULONG sends, ULONG send_buffers,
    completion_queue *receive_completions, completion_queue *send_completions, void *context)
{
    int type, length = sizeof type;
    if (getsockopt(socket, SOL_SOCKET, SO_TYPE, (char *)&type, &length) != 0) return fail(WSAENOTSOCK), NULL;
    if (type != SOCK_DGRAM) return fail(WSAEOPNOTSUPP), NULL; /* the model has datagrams only */
    if (!is_completions(receive_completions) || !is_completions(send_completions) || (receives == 0 && sends == 0)
        || receive_buffers != 1 || send_buffers != 1)
        return fail(WSAEINVAL), NULL;
    request_queue *made = NULL;
    int error = 0;
    EnterCriticalSection(&lock);
    socket_state *state = find_socket(socket, FALSE);
    if (state == NULL || !state->is_registered) error = WSAEOPNOTSUPP;
    else if (state->queue != NULL) error = WSAEINVAL;
    else if (!charge(receive_completions, receives, send_completions, sends)) error = WSAENOBUFS;
    else
    {
        made = calloc(1, sizeof *made);
        made->magic = MAGIC_REQUESTS;
        made->state = state;
        made->receives = (direction){.completions = receive_completions, .most = receives};
        made->sends = (direction){.completions = send_completions, .most = sends};
        made->context = context;
        state->queue = made;
        if (!start_receiving(state, &rio_receive_calls)) error = WSAENOBUFS, made->magic = 0;
    }
    LeaveCriticalSection(&lock);
    return error == 0 ? made : (fail(error), NULL);
}

/* learn: mswsock/nc-mswsock-lpfn_rioresizerequestqueue: never below what is outstanding, nor both to zero. That the
   completion queues must have room for what is added follows from ..._riocreaterequestqueue. */
BOOL WSAAPI rio_resize_request_queue(request_queue *queue, DWORD receives, DWORD sends)
{
    if (queue == NULL || queue->magic != MAGIC_REQUESTS || (receives == 0 && sends == 0)) return fail(WSAEINVAL);
    if (!enter(&queue->inside, "RIOResizeRequestQueue")) return fail(WSAEINVAL);
    int error = 0;
    EnterCriticalSection(&lock);
    direction *in = &queue->receives, *out = &queue->sends;
    if (queue->is_closed) error = WSAEINVAL;
    else if (receives < in->outstanding || sends < out->outstanding) error = WSAETOOMANYREFS;
    else
    {
        in->completions->charged -= in->most, out->completions->charged -= out->most;
        BOOL fits = charge(in->completions, receives, out->completions, sends);
        if (fits) in->most = receives, out->most = sends;
        else in->completions->charged += in->most, out->completions->charged += out->most, error = WSAENOBUFS;
    }
    LeaveCriticalSection(&lock);
    leave(&queue->inside);
    return error == 0 ? TRUE : fail(error);
}
