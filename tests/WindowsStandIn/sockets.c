/* What is known of each socket: how it was made, its options, and when it is closed. */
#include "standin.h"

static socket_state *sockets;

socket_state *find_socket(SOCKET socket, BOOL add)
{
    for (socket_state *one = sockets; one != NULL; one = one->next)
        if (one->socket == socket) return one;
    if (!add) return NULL;
    socket_state *made = calloc(1, sizeof *made);
    made->socket = socket;
    made->references = 1;
    made->wake = CreateEventW(NULL, FALSE, FALSE, NULL);
    InitializeSRWLock(&made->receiving);
    made->next = sockets;
    return sockets = made;
}

void release_socket(socket_state *state)
{
    if (--state->references > 0) return;
    CloseHandle(state->wake);
    free(state);
}

/* The handle no longer names this socket, and may name another at once. */
void forget_socket(socket_state *state)
{
    if (state->is_closed) return;
    state->is_closed = TRUE;
    for (socket_state **at = &sockets; *at != NULL; at = &(*at)->next)
    {
        if (*at != state) continue;
        *at = state->next;
        break;
    }
    rio_socket_ended(state);
    coalescing_ended(state);
    SetEvent(state->wake);
    release_socket(state);
}

static socket_state *hold_socket(SOCKET socket)
{
    EnterCriticalSection(&lock);
    socket_state *state = find_socket(socket, FALSE);
    if (state != NULL) state->references++;
    LeaveCriticalSection(&lock);
    return state;
}

/* "winsock/riorqueue": only a socket made with the flag gets a request queue. Wine knows no such flag. */
SOCKET WSAAPI standin_WSASocketW(
    int family, int type, int protocol, WSAPROTOCOL_INFOW *information, GROUP group, DWORD flags)
{
    BOOL is_registered = !knobs.no_rio && (flags & WSA_FLAG_REGISTERED_IO) != 0;
    if (is_registered) flags = (flags & ~(DWORD)WSA_FLAG_REGISTERED_IO) | WSA_FLAG_OVERLAPPED;
    SOCKET made = WSASocketW(family, type, protocol, information, group, flags);
    if (made == INVALID_SOCKET) return made;
    EnterCriticalSection(&lock);
    socket_state *stale = find_socket(made, FALSE); /* closed past this DLL */
    if (stale != NULL) forget_socket(stale);
    if (is_registered) find_socket(made, TRUE)->is_registered = TRUE;
    LeaveCriticalSection(&lock);
    return made;
}

/* The thread that receives starts no receive on a handle that may by then name another socket. */
int WSAAPI standin_closesocket(SOCKET socket)
{
    socket_state *state = hold_socket(socket);
    if (state == NULL) return closesocket(socket);
    AcquireSRWLockExclusive(&state->receiving);
    int result = closesocket(socket), error = result == 0 ? 0 : WSAGetLastError();
    EnterCriticalSection(&lock);
    if (result == 0) forget_socket(state);
    LeaveCriticalSection(&lock);
    ReleaseSRWLockExclusive(&state->receiving);
    EnterCriticalSection(&lock);
    release_socket(state);
    LeaveCriticalSection(&lock);
    WSASetLastError(error);
    return result;
}

/* The field that holds an option which Wine lacks, or NULL. Options of IPPROTO_UDP are DWORDs, 0 by default
   ("winsock/ipproto-udp-socket-options"). */
static DWORD *stored_option(socket_state *state, int level, int name)
{
    if (level == IPPROTO_UDP && !knobs.no_offload && name == UDP_SEND_MSG_SIZE) return &state->segment_size;
    if (level == IPPROTO_UDP && !knobs.no_offload && name == UDP_RECV_MAX_COALESCED_SIZE) return &state->coalesced_max;
    if ((level == IPPROTO_IP || level == IPPROTO_IPV6) && name == OPTION_ECN) return &state->tells_ecn;
    return NULL;
}

static BOOL is_socket(SOCKET socket)
{
    int type, length = sizeof type;
    return getsockopt(socket, SOL_SOCKET, SO_TYPE, (char *)&type, &length) == 0;
}

int WSAAPI standin_setsockopt(SOCKET socket, int level, int name, const char *value, int length)
{
    socket_state none;
    if (stored_option(&none, level, name) == NULL || !is_socket(socket))
        return setsockopt(socket, level, name, value, length);
    if (value == NULL || length < (int)sizeof(DWORD)) return WSASetLastError(WSAEFAULT), SOCKET_ERROR;
    if (name == OPTION_ECN && level != IPPROTO_UDP) /* Wine tells the whole traffic class, if anything (ecn.c) */
        setsockopt(socket, level, level == IPPROTO_IP ? IP_RECVTOS : IPV6_RECVTCLASS, value, length);
    EnterCriticalSection(&lock);
    memcpy(stored_option(find_socket(socket, TRUE), level, name), value, sizeof(DWORD));
    LeaveCriticalSection(&lock);
    return 0;
}

int WSAAPI standin_getsockopt(SOCKET socket, int level, int name, char *value, int *length)
{
    socket_state none;
    if (stored_option(&none, level, name) == NULL || !is_socket(socket))
        return getsockopt(socket, level, name, value, length);
    if (value == NULL || length == NULL || *length < (int)sizeof(DWORD))
        return WSASetLastError(WSAEFAULT), SOCKET_ERROR;
    EnterCriticalSection(&lock);
    socket_state *state = find_socket(socket, FALSE);
    DWORD stored = state == NULL ? 0 : *stored_option(state, level, name);
    LeaveCriticalSection(&lock);
    memcpy(value, &stored, sizeof stored);
    *length = sizeof stored;
    return 0;
}

static void *real_function(SOCKET socket, GUID id)
{
    void *function = NULL;
    DWORD length;
    WSAIoctl(
        socket, SIO_GET_EXTENSION_FUNCTION_POINTER, &id, sizeof id, &function, sizeof function, &length, NULL, NULL);
    return function;
}

/* Wine has one of each for all sockets. */
LPFN_WSARECVMSG real_receive(SOCKET socket)
{
    static LPFN_WSARECVMSG function;
    if (function == NULL) function = (LPFN_WSARECVMSG)real_function(socket, (GUID)WSAID_WSARECVMSG);
    return function;
}

LPFN_WSASENDMSG real_send(SOCKET socket)
{
    static LPFN_WSASENDMSG function;
    if (function == NULL) function = (LPFN_WSASENDMSG)real_function(socket, (GUID)WSAID_WSASENDMSG);
    return function;
}

static int answer_pointer(void *function, void *output, DWORD length, DWORD *returned)
{
    if (output == NULL || length < sizeof function) return WSASetLastError(WSAEFAULT), SOCKET_ERROR;
    memcpy(output, &function, sizeof function);
    *returned = sizeof function;
    return 0;
}

static BOOL is_guid(const void *input, DWORD length, GUID wanted)
{
    return input != NULL && length >= sizeof wanted && memcmp(input, &wanted, sizeof wanted) == 0;
}

/* "winsock/winsock-ioctls": SIO_FLUSH discards what is queued; LPFN_RIORECEIVEEX: requests of RIO end by it. */
static int flush(SOCKET socket)
{
    EnterCriticalSection(&lock);
    socket_state *state = find_socket(socket, FALSE);
    if (state != NULL) rio_flush(state);
    LeaveCriticalSection(&lock);
    return 0;
}

int WSAAPI standin_WSAIoctl(
    SOCKET socket, DWORD code, void *input, DWORD input_length, void *output, DWORD output_length, DWORD *returned,
    WSAOVERLAPPED *overlapped, LPWSAOVERLAPPED_COMPLETION_ROUTINE routine)
{
    BOOL is_pointer = code == SIO_GET_EXTENSION_FUNCTION_POINTER;
    if (is_pointer && is_guid(input, input_length, (GUID)WSAID_WSARECVMSG) && real_receive(socket) != NULL)
        return answer_pointer((void *)standin_WSARecvMsg, output, output_length, returned);
    if (is_pointer && is_guid(input, input_length, (GUID)WSAID_WSASENDMSG) && real_send(socket) != NULL)
        return answer_pointer((void *)standin_WSASendMsg, output, output_length, returned);
    if (code == SIO_GET_MULTIPLE_EXTENSION_FUNCTION_POINTER && !knobs.no_rio && is_socket(socket)
        && is_guid(input, input_length, multiple_rio))
        return answer_rio_table(output, output_length, returned);
    if (code == SIO_FLUSH && is_socket(socket)) return flush(socket);
    if (code == SIO_CPU_AFFINITY && is_socket(socket))
    {
        /* No page tells of it; users pass a USHORT before bind. Wine cannot pin, so nothing else is done. */
        if (input == NULL || input_length < sizeof(USHORT)) return WSASetLastError(WSAEFAULT), SOCKET_ERROR;
        count(&counts.affinities, 1);
        if (returned != NULL) *returned = 0;
        return 0;
    }
    return WSAIoctl(
        socket, code, input, input_length, output, output_length, returned, overlapped, routine);
}
