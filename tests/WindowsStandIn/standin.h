/*
 * A stand-in for what Wine lacks of Winsock: Registered I/O (RIO), segmented send (USO), coalesced receive (URO) and
 * control messages with the bits for ECN, over ordinary sockets of Wine. It is a model of what Microsoft's pages
 * state, and refuses or reports what they forbid; it is not Windows, and its speed says nothing. A comment "learn:
 * PAGE" names the page of a rule below learn.microsoft.com/windows/win32/api (or below /windows/win32 for
 * "winsock/..."). Where the pages are silent, the comment says so.
 *
 * standin.def maps the exported names: a function standin_X here is exported as X, and all others are Wine's own.
 */
#ifndef STANDIN_H
#define STANDIN_H

#include <winsock2.h>
#include <ws2tcpip.h>
#include <mswsock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names that the headers of MinGW-w64 lack, under Microsoft's names (mswsock.h, mswsockdef.h, ws2def.h, ws2ipdef.h). */
#ifndef WSA_FLAG_REGISTERED_IO
#define WSA_FLAG_REGISTERED_IO 0x100
#endif
#define SIO_GET_MULTIPLE_EXTENSION_FUNCTION_POINTER _WSAIORW(IOC_WS2, 36)
#define SIO_CPU_AFFINITY _WSAIOW(IOC_VENDOR, 21)
#ifndef UDP_SEND_MSG_SIZE
#define UDP_SEND_MSG_SIZE 2
#define UDP_RECV_MAX_COALESCED_SIZE 3
#define UDP_COALESCED_INFO 3
#endif
#define OPTION_ECN 50 /* IP_ECN, IP_RECVECN, IPV6_ECN and IPV6_RECVECN */
#define RIO_MSG_DONT_NOTIFY 1
#define RIO_MSG_DEFER 2
#define RIO_MSG_WAITALL 4
#define RIO_MSG_COMMIT_ONLY 8
#define RIO_CORRUPT_CQ 0xFFFFFFFF
#define RIO_MAX_CQ_SIZE 0x8000000
#define RIO_INVALID_BUFFERID ((void *)(ULONG_PTR)0xFFFFFFFF)
#define RIO_EVENT_COMPLETION 1
#define RIO_IOCP_COMPLETION 2
#define RIO_CMSG_BASE_SIZE 8
#ifndef IP_RECVTOS
#define IP_RECVTOS 40
#endif
#ifndef IPV6_RECVTCLASS
#define IPV6_RECVTCLASS 40
#endif
#ifndef IPV6_TCLASS
#define IPV6_TCLASS 39
#endif
#ifndef IPV6_PKTINFO
#define IPV6_PKTINFO 19
#endif
#ifndef MSG_TRUNC
#define MSG_TRUNC 0x0100
#define MSG_CTRUNC 0x0200
#endif

typedef struct
{
    LONG Status;
    ULONG BytesTransferred;
    ULONGLONG SocketContext;
    ULONGLONG RequestContext;
} RIORESULT;

typedef struct
{
    void *BufferId;
    ULONG Offset;
    ULONG Length;
} RIO_BUF;

typedef struct
{
    int Type;
    union
    {
        struct { HANDLE EventHandle; BOOL NotifyReset; } Event;
        struct { HANDLE IocpHandle; void *CompletionKey; void *Overlapped; } Iocp;
    };
} RIO_NOTIFICATION_COMPLETION;

/* What the model did, for accounts of every datagram. The tests read it as 64-bit numbers in this order. */
typedef struct
{
    LONG64 rio_received;        /* datagrams handed to a request of RIO */
    LONG64 rio_dropped;         /* datagrams of a RIO socket that came while nothing was posted */
    LONG64 rio_truncated;       /* of those received, the ones longer than their buffer */
    LONG64 rio_aborted;         /* requests ended by a close or SIO_FLUSH */
    LONG64 rio_sent;
    LONG64 notifications;       /* events set and packets posted for RIONotify */
    LONG64 segmented_sends;     /* sends that were split */
    LONG64 segments;            /* datagrams made by them */
    LONG64 refused_sends;       /* sends with a segment size that a knob or a limit refused */
    LONG64 coalesced_receives;  /* receives that got more than one datagram */
    LONG64 coalesced_datagrams; /* datagrams in them */
    LONG64 single_receives;     /* receives of a coalescing socket that got one datagram */
    LONG64 affinities;          /* accepted SIO_CPU_AFFINITY */
    LONG64 violations;          /* of any rule, logged or not */
} standin_counts;

/* What a test changes. Each is set by a variable STANDIN_NAME when the DLL is loaded, or by standin_set("NAME", n). */
typedef struct
{
    LONG64 single_refused;    /* 1: a datagram that needs no split is refused with a segment size, as some drivers do */
    LONG64 segment_limit;     /* segments a send (512) */
    LONG64 refused_port;      /* every segment size to this port is refused */
    LONG64 refused_above;     /* segment sizes above this are refused */
    LONG64 refused_error;     /* the error of these refusals (WSAEINVAL) */
    LONG64 coalesce_wait;     /* milliseconds to wait for more, after the first datagram (1) */
    LONG64 coalesce_untold;   /* 1: coalesced data comes without its size */
    LONG64 coalesce_limit;    /* datagrams in one coalesced receive (64) */
    LONG64 linger;            /* 1: yields inside each entry to a queue, so that a concurrent one is seen */
    LONG64 corrupt;           /* 1: the next dequeue finds its queue corrupt, and sets this to 0 */
    LONG64 no_rio;            /* 1: the functions of RIO are not there */
    LONG64 no_offload;        /* 1: the options of USO and URO are not there */
} standin_knobs;

extern standin_counts counts;
extern standin_knobs knobs;
extern CRITICAL_SECTION lock; /* guards all state of the model, and is never held while something waits */

void violate(const char *format, ...) __attribute__((format(printf, 1, 2)));

static inline void count(LONG64 *counter, LONG64 more) { InterlockedExchangeAdd64(counter, more); }

static inline BOOL fail(int error)
{
    WSASetLastError(error);
    return FALSE;
}

/* What is known of a socket. Sockets are found by handle; one is forgotten at closesocket. */
typedef struct socket_state
{
    struct socket_state *next;
    SOCKET socket;
    LONG references;
    BOOL is_registered;  /* made with WSA_FLAG_REGISTERED_IO */
    BOOL is_closed;
    DWORD segment_size;  /* UDP_SEND_MSG_SIZE */
    DWORD coalesced_max; /* UDP_RECV_MAX_COALESCED_SIZE */
    DWORD tells_ecn;     /* IP_RECVECN or IPV6_RECVECN */
    HANDLE port;         /* of CreateIoCompletionPort */
    ULONG_PTR key;
    UCHAR modes;         /* of SetFileCompletionNotificationModes */
    HANDLE wake;         /* an event that wakes the thread which receives */
    SRWLOCK receiving;   /* held while a receive is started on the socket, and while it is closed */
    struct rio_queue *queue;
    struct coalescing *coalescing;
} socket_state;

socket_state *find_socket(SOCKET socket, BOOL add); /* with the lock held; NULL if unknown */
void release_socket(socket_state *state);           /* with the lock held */
void forget_socket(socket_state *state);            /* with the lock held: its handle is closed */

/* A received datagram, with what the system told of it. */
typedef struct datagram
{
    struct datagram *next;
    SOCKADDR_INET from;
    int from_length;
    DWORD length;
    DWORD flags;
    ULONG control_length;
    _Alignas(16) char control[512];
    char payload[];
} datagram;

/* receive.c: a thread receives the datagrams of one socket until it is closed. It makes all calls with the lock. */
typedef struct
{
    BOOL (*wants)(socket_state *state);                  /* whether to receive now, or when wake is set */
    BOOL (*deliver)(socket_state *state, datagram *one); /* TRUE: it keeps the datagram, and frees it */
    void (*pause)(socket_state *state);                  /* nothing came for a while; may be NULL */
    void (*ended)(socket_state *state);                  /* the socket is closed */
    void (*failed)(socket_state *state, LONG status);    /* an ICMP error; NULL if the model tells none */
} receive_calls;

BOOL start_receiving(socket_state *state, const receive_calls *calls);

/* rio.c */
extern const GUID multiple_rio;
int answer_rio_table(void *output, DWORD length, DWORD *returned);
void rio_socket_ended(socket_state *state); /* with the lock held: the socket is closed */
void rio_flush(socket_state *state);        /* with the lock held: SIO_FLUSH */

/* offload.c */
INT WSAAPI standin_WSASendMsg(
    SOCKET socket, WSAMSG *message, DWORD flags, DWORD *sent, WSAOVERLAPPED *overlapped,
    LPWSAOVERLAPPED_COMPLETION_ROUTINE routine);

/* coalesce.c */
INT WSAAPI standin_WSARecvMsg(
    SOCKET socket, WSAMSG *message, DWORD *received, WSAOVERLAPPED *overlapped,
    LPWSAOVERLAPPED_COMPLETION_ROUTINE routine);
void coalescing_ended(socket_state *state); /* with the lock held: the socket is closed */
BOOL cancel_coalesced(socket_state *state, WSAOVERLAPPED *overlapped); /* with the lock held; NULL for all */

/* ports.c */
enum { PENDING_STATUS = 0x103, OVERFLOW_STATUS = (LONG)0x80000005, CANCELLED_STATUS = (LONG)0xC0000120 };
void begin_overlapped(WSAOVERLAPPED *overlapped);
void end_overlapped(socket_state *state, WSAOVERLAPPED *overlapped, LONG status, ULONG bytes, BOOL is_immediate);

/* ecn.c */
BOOL is_traffic_class(const WSACMSGHDR *message);
BOOL ecn_of(const socket_state *state, const WSACMSGHDR *message, INT *bits);
int send_with_class(SOCKET socket, WSAMSG *message, int (*send)(void *of), void *of); /* the error of send */

/* Wine's own WSARecvMsg and WSASendMsg. */
LPFN_WSARECVMSG real_receive(SOCKET socket);
LPFN_WSASENDMSG real_send(SOCKET socket);

#endif
