/* Completion ports are Wine's; the model only knows which socket has which, to post what it completes itself. */
#include "standin.h"

/* ntdll: as PostQueuedCompletionStatus, with the status of the operation. */
LONG NTAPI NtSetIoCompletion(HANDLE port, ULONG_PTR key, ULONG_PTR value, LONG status, SIZE_T bytes);

static HANDLE event_of(const WSAOVERLAPPED *overlapped)
{
    return (HANDLE)((ULONG_PTR)overlapped->hEvent & ~(ULONG_PTR)1);
}

/* learn: sync/synchronization-and-overlapped-input-and-output: the event is reset when an operation begins. */
void begin_overlapped(WSAOVERLAPPED *overlapped)
{
    overlapped->InternalHigh = 0;
    *(volatile ULONG_PTR *)&overlapped->Internal = PENDING_STATUS;
    if (event_of(overlapped) != NULL) ResetEvent(event_of(overlapped));
}

/* learn: fileio/i-o-completion-ports, and ioapiset/nf-ioapiset-getqueuedcompletionstatus: no packet if the low bit of
   hEvent is set; winbase/nf-winbase-setfilecompletionnotificationmodes: nor after success at once, if that is asked. */
void end_overlapped(socket_state *state, WSAOVERLAPPED *overlapped, LONG status, ULONG bytes, BOOL is_immediate)
{
    BOOL is_skipped = is_immediate && status == 0 && (state->modes & FILE_SKIP_COMPLETION_PORT_ON_SUCCESS) != 0;
    BOOL is_posted = state->port != NULL && !is_skipped && ((ULONG_PTR)overlapped->hEvent & 1) == 0;
    HANDLE event = event_of(overlapped);
    overlapped->InternalHigh = bytes;
    MemoryBarrier();
    *(volatile ULONG_PTR *)&overlapped->Internal = (ULONG)status;
    /* From here on the application may reuse the structure. */
    if (event != NULL) SetEvent(event);
    if (is_posted) NtSetIoCompletion(state->port, state->key, (ULONG_PTR)overlapped, status, bytes);
}

static BOOL is_socket(HANDLE handle)
{
    int type, length = sizeof type;
    return getsockopt((SOCKET)handle, SOL_SOCKET, SO_TYPE, (char *)&type, &length) == 0;
}

HANDLE WINAPI standin_CreateIoCompletionPort(HANDLE file, HANDLE port, ULONG_PTR key, DWORD threads)
{
    HANDLE made = CreateIoCompletionPort(file, port, key, threads);
    if (made == NULL || file == INVALID_HANDLE_VALUE || !is_socket(file)) return made;
    EnterCriticalSection(&lock);
    socket_state *state = find_socket((SOCKET)file, TRUE);
    state->port = made;
    state->key = key;
    LeaveCriticalSection(&lock);
    return made;
}

BOOL WINAPI standin_SetFileCompletionNotificationModes(HANDLE file, UCHAR modes)
{
    BOOL result = SetFileCompletionNotificationModes(file, modes);
    if (!result || !is_socket(file)) return result;
    EnterCriticalSection(&lock);
    find_socket((SOCKET)file, TRUE)->modes |= modes;
    LeaveCriticalSection(&lock);
    return TRUE;
}

/* learn: ioapiset/nf-ioapiset-cancelioex: ERROR_NOT_FOUND if nothing is to cancel. The pages of RIO name closesocket
   and SIO_FLUSH as what ends a request, not this call. The thread that receives for the model must not be cancelled. */
BOOL WINAPI standin_CancelIoEx(HANDLE file, OVERLAPPED *overlapped)
{
    EnterCriticalSection(&lock);
    socket_state *state = find_socket((SOCKET)file, FALSE);
    BOOL is_model = state != NULL && (state->queue != NULL || state->coalescing != NULL);
    BOOL found = is_model && cancel_coalesced(state, overlapped);
    LeaveCriticalSection(&lock);
    if (!is_model) return CancelIoEx(file, overlapped);
    return found ? TRUE : fail(ERROR_NOT_FOUND);
}
