/* The queues of Registered I/O. All fields are guarded by the lock, except inside. */
#ifndef RIO_H
#define RIO_H

#include "standin.h"

enum { SLICES = 5 }; /* of a request: data, local and remote address, control, flags */
enum { DATA, LOCAL_ADDRESS, REMOTE_ADDRESS, CONTROL, FLAGS };

typedef struct request
{
    struct request *next;
    struct rio_queue *queue;
    BOOL is_receive;
    DWORD flags;
    RIO_BUF slices[SLICES];
    BOOL has[SLICES];
    void *context;
    LONG status;
    DWORD bytes;
} request;

typedef struct
{
    request *first, *last;
    ULONG length;
} request_list;

typedef struct completion_queue
{
    ULONG magic;
    volatile LONG inside;   /* 1 while a call is in the queue */
    ULONG size, charged;    /* entries, and those promised to request queues */
    request_list completed; /* not dequeued yet */
    ULONG unreaped;         /* requests of its queues whose completion was not dequeued */
    BOOL is_corrupt, is_armed, has_notification;
    RIO_NOTIFICATION_COMPLETION notification;
} completion_queue;

typedef struct
{
    completion_queue *completions;
    ULONG most, outstanding; /* outstanding until the completion is dequeued */
    request_list deferred, posted;
} direction;

typedef struct rio_queue
{
    ULONG magic;
    volatile LONG inside;
    socket_state *state;
    BOOL is_closed, hides_local; /* the application did not ask for the local address in control data */
    direction receives, sends;
    void *context;
} request_queue;

enum { MAGIC_COMPLETIONS = 0x51434F49, MAGIC_REQUESTS = 0x51524F49 };

/* rio_queues.c */
BOOL enter(volatile LONG *inside, const char *call); /* FALSE: another thread is inside */
void leave(volatile LONG *inside);
void append(request_list *list, request *one);
request *take(request_list *list);
void complete(request *one, LONG status, DWORD bytes);
static inline BOOL is_alone(const request *one, int slice) { return one->is_receive || slice == DATA; }

void *WSAAPI rio_create_completion_queue(DWORD size, RIO_NOTIFICATION_COMPLETION *notification);
void WSAAPI rio_close_completion_queue(completion_queue *queue);
BOOL WSAAPI rio_resize_completion_queue(completion_queue *queue, DWORD size);
ULONG WSAAPI rio_dequeue(completion_queue *queue, RIORESULT *results, ULONG length);
INT WSAAPI rio_notify(completion_queue *queue);
void *WSAAPI rio_create_request_queue(
    SOCKET socket, ULONG receives, ULONG receive_buffers, ULONG sends, ULONG send_buffers,
    completion_queue *receive_completions, completion_queue *send_completions, void *context);
BOOL WSAAPI rio_resize_request_queue(request_queue *queue, DWORD receives, DWORD sends);

/* rio_buffers.c */
void *WSAAPI rio_register(char *memory, DWORD length);
void WSAAPI rio_deregister(void *id);
char *slice_memory(const RIO_BUF *slice); /* NULL if it does not lie in a registration */
BOOL claim_slice(const RIO_BUF *slice, BOOL is_alone); /* FALSE: another request has a part of it */
void free_slice(const RIO_BUF *slice, BOOL is_alone);

/* rio_requests.c */
BOOL WSAAPI rio_receive_ex(
    request_queue *queue, RIO_BUF *data, ULONG buffers, RIO_BUF *local, RIO_BUF *remote, RIO_BUF *control,
    RIO_BUF *flags_out, DWORD flags, void *context);
BOOL WSAAPI rio_receive(request_queue *queue, RIO_BUF *data, ULONG buffers, DWORD flags, void *context);
BOOL WSAAPI rio_send_ex(
    request_queue *queue, RIO_BUF *data, ULONG buffers, RIO_BUF *local, RIO_BUF *remote, RIO_BUF *control,
    RIO_BUF *flags_out, DWORD flags, void *context);
BOOL WSAAPI rio_send(request_queue *queue, RIO_BUF *data, ULONG buffers, DWORD flags, void *context);
extern const receive_calls rio_receive_calls;

#endif
