/* What the checks of the stand-in share: the calls under their exported names, and how a check fails. */
#ifndef CHECK_H
#define CHECK_H

#include "rio.h"

/* The exported names of the DLL; the linker would take Wine's. */
typedef struct
{
    int (*violation)(char *text, int size);
    int (*set)(const char *name, LONG64 value);
    int (*read)(LONG64 *numbers, int length);
    void (*reset)(void);
    LONG64 (*lost)(int port);
    SOCKET (WSAAPI *WSASocketW)(int, int, int, WSAPROTOCOL_INFOW *, GROUP, DWORD);
    int (WSAAPI *closesocket)(SOCKET);
    int (WSAAPI *setsockopt)(SOCKET, int, int, const char *, int);
    int (WSAAPI *getsockopt)(SOCKET, int, int, char *, int *);
    int (WSAAPI *WSAIoctl)(
        SOCKET, DWORD, void *, DWORD, void *, DWORD, DWORD *, WSAOVERLAPPED *, LPWSAOVERLAPPED_COMPLETION_ROUTINE);
    int (WSAAPI *sendto)(SOCKET, const char *, int, int, const SOCKADDR *, int);
    int (WSAAPI *WSASendMsg)(
        SOCKET, WSAMSG *, DWORD, DWORD *, WSAOVERLAPPED *, LPWSAOVERLAPPED_COMPLETION_ROUTINE);
    HANDLE (WINAPI *CreateIoCompletionPort)(HANDLE, HANDLE, ULONG_PTR, DWORD);
    BOOL (WINAPI *SetFileCompletionNotificationModes)(HANDLE, UCHAR);
    BOOL (WINAPI *CancelIoEx)(HANDLE, OVERLAPPED *);
} exported;

typedef struct
{
    DWORD size;
    BOOL (WSAAPI *receive)(request_queue *, RIO_BUF *, ULONG, DWORD, void *);
    BOOL (WSAAPI *receive_ex)(
        request_queue *, RIO_BUF *, ULONG, RIO_BUF *, RIO_BUF *, RIO_BUF *, RIO_BUF *, DWORD, void *);
    BOOL (WSAAPI *send)(request_queue *, RIO_BUF *, ULONG, DWORD, void *);
    BOOL (WSAAPI *send_ex)(
        request_queue *, RIO_BUF *, ULONG, RIO_BUF *, RIO_BUF *, RIO_BUF *, RIO_BUF *, DWORD, void *);
    void (WSAAPI *close_completions)(completion_queue *);
    completion_queue *(WSAAPI *create_completions)(DWORD, RIO_NOTIFICATION_COMPLETION *);
    request_queue *(WSAAPI *create_requests)(
        SOCKET, ULONG, ULONG, ULONG, ULONG, completion_queue *, completion_queue *, void *);
    ULONG (WSAAPI *dequeue)(completion_queue *, RIORESULT *, ULONG);
    void (WSAAPI *deregister_buffer)(void *);
    INT (WSAAPI *notify)(completion_queue *);
    void *(WSAAPI *register_buffer)(char *, DWORD);
    BOOL (WSAAPI *resize_completions)(completion_queue *, DWORD);
    BOOL (WSAAPI *resize_requests)(request_queue *, DWORD, DWORD);
} rio_functions;

extern exported dll;
extern rio_functions rio;
extern int checks, failures;

void check(BOOL holds, const char *file, int line, const char *text);

#define CHECK(condition) check(condition, __FILE__, __LINE__, #condition)
#define CHECK_ERROR(call, error) (WSASetLastError(0), CHECK(!(call) && WSAGetLastError() == (error)))

/* No rule was broken, or the first broken rule is told by a line with this text; the log is empty after both. */
#define CHECK_CLEAN() check_violation(NULL, __FILE__, __LINE__)
#define CHECK_VIOLATION(text) check_violation(text, __FILE__, __LINE__)
void check_violation(const char *text, const char *file, int line);

LONG64 count_of(size_t offset);
#define COUNT(name) count_of(offsetof(standin_counts, name))

SOCKET open_socket(DWORD flags);    /* bound to a free port of 127.0.0.1 */
SOCKADDR_IN name_of(SOCKET socket);
void send_text(SOCKET from, SOCKET to, const char *text);
int receive_text(SOCKET socket, char *text, int size); /* waits at most two seconds; -1 if nothing came */

/* A RIO socket with its queues and one registered buffer of 64 KiB, in slots of 1 KiB. */
typedef struct
{
    SOCKET socket, peer;
    completion_queue *completions;
    request_queue *requests;
    char *memory;
    void *id;
    RIO_BUF slots[64];
} bench;

enum { SLOT_BYTES = 1024, WAIT_MILLISECONDS = 5000 };

bench open_bench(DWORD completions, ULONG receives, RIO_NOTIFICATION_COMPLETION *notification);
void close_bench(bench *self); /* in order: nothing may be broken by it */
BOOL post_slot(bench *self, int slot, DWORD flags);
ULONG await(completion_queue *completions, RIORESULT *results, ULONG length); /* polls until there are some */

void check_receives(void);
void check_limits(void);
void check_misuse(void);
void check_segments(void);
void check_coalescing(void);

#endif
