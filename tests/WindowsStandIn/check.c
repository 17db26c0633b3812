/*
 * Checks the stand-in itself, without .NET: of each rule, that right use passes and wrong use is caught. To run it:
 *
 *     ./build.sh FOLDER && wine FOLDER/check.exe
 *
 * It prints one line for each failure and one with the numbers, and ends with 0 if nothing failed.
 */
#include "check.h"
#include <stddef.h>

exported dll;
rio_functions rio;
int checks, failures;

void check(BOOL holds, const char *file, int line, const char *text)
{
    int error = WSAGetLastError();
    checks++;
    if (holds) return;
    failures++;
    printf("FAILED %s:%d: %s (last error %d)\n", file, line, text, error);
}

void check_violation(const char *text, const char *file, int line)
{
    char told[256] = "", rest[256];
    dll.violation(told, sizeof told);
    while (dll.violation(rest, sizeof rest) > 0) continue;
    checks++;
    if (text == NULL ? told[0] == 0 : strstr(told, text) != NULL) return;
    failures++;
    printf("FAILED %s:%d: expected violation '%s', got '%s'\n", file, line, text == NULL ? "" : text, told);
}

LONG64 count_of(size_t offset)
{
    LONG64 numbers[sizeof(standin_counts) / sizeof(LONG64)];
    dll.read(numbers, sizeof numbers / sizeof *numbers);
    return numbers[offset / sizeof(LONG64)];
}

SOCKADDR_IN name_of(SOCKET socket)
{
    SOCKADDR_IN name = {0};
    int length = sizeof name;
    getsockname(socket, (SOCKADDR *)&name, &length);
    return name;
}

SOCKET open_socket(DWORD flags)
{
    SOCKADDR_IN any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    SOCKET made = dll.WSASocketW(AF_INET, SOCK_DGRAM, IPPROTO_UDP, NULL, 0, (flags == 0 ? WSA_FLAG_OVERLAPPED : flags));
    CHECK(made != INVALID_SOCKET && bind(made, (SOCKADDR *)&any, sizeof any) == 0);
    return made;
}

void send_text(SOCKET from, SOCKET to, const char *text)
{
    SOCKADDR_IN name = name_of(to);
    CHECK(sendto(from, text, (int)strlen(text), 0, (SOCKADDR *)&name, sizeof name) == (int)strlen(text));
}

int receive_text(SOCKET socket, char *text, int size)
{
    struct timeval limit = {.tv_sec = 2};
    fd_set set;
    FD_ZERO(&set);
    FD_SET(socket, &set);
    if (select(0, &set, NULL, NULL, &limit) != 1) return -1;
    int length = recv(socket, text, size - 1, 0);
    if (length >= 0) text[length] = 0;
    return length;
}

bench open_bench(DWORD completions, ULONG receives, RIO_NOTIFICATION_COMPLETION *notification)
{
    bench made = {.socket = open_socket(WSA_FLAG_REGISTERED_IO), .peer = open_socket(0)};
    made.completions = rio.create_completions(completions, notification);
    made.requests = rio.create_requests(
        made.socket, receives, 1, completions - receives, 1, made.completions, made.completions, (void *)0x50C);
    made.memory = VirtualAlloc(NULL, sizeof made.slots / sizeof *made.slots * SLOT_BYTES, MEM_COMMIT, PAGE_READWRITE);
    made.id = rio.register_buffer(made.memory, sizeof made.slots / sizeof *made.slots * SLOT_BYTES);
    CHECK(made.completions != NULL && made.requests != NULL && made.id != RIO_INVALID_BUFFERID);
    for (DWORD slot = 0; slot < sizeof made.slots / sizeof *made.slots; slot++)
        made.slots[slot] = (RIO_BUF){made.id, slot * SLOT_BYTES, SLOT_BYTES};
    return made;
}

void close_bench(bench *self)
{
    RIORESULT result;
    CHECK(dll.closesocket(self->socket) == 0);
    while (rio.dequeue(self->completions, &result, 1) == 1) continue;
    rio.deregister_buffer(self->id);
    rio.close_completions(self->completions);
    dll.closesocket(self->peer);
    VirtualFree(self->memory, 0, MEM_RELEASE);
}

BOOL post_slot(bench *self, int slot, DWORD flags)
{
    return rio.receive(self->requests, &self->slots[slot], 1, flags, (void *)(ULONG_PTR)(slot + 1));
}

ULONG await(completion_queue *completions, RIORESULT *results, ULONG length)
{
    ULONGLONG end = GetTickCount64() + WAIT_MILLISECONDS;
    ULONG got;
    while ((got = rio.dequeue(completions, results, length)) == 0 && GetTickCount64() < end) Sleep(1);
    return got;
}

static void load(void)
{
    HMODULE module = LoadLibraryW(L"standin.dll");
    if (module == NULL) printf("no standin.dll beside this program: error %lu\n", GetLastError()), exit(2);
    const struct
    {
        const char *name;
        void *at;
    } names[] = {
        {"standin_violation", &dll.violation}, {"standin_set", &dll.set}, {"standin_read", &dll.read},
        {"standin_reset", &dll.reset}, {"standin_lost", &dll.lost},
        {"WSASocketW", &dll.WSASocketW}, {"closesocket", &dll.closesocket},
        {"setsockopt", &dll.setsockopt}, {"getsockopt", &dll.getsockopt}, {"WSAIoctl", &dll.WSAIoctl},
        {"sendto", &dll.sendto}, {"WSASendMsg", &dll.WSASendMsg},
        {"CreateIoCompletionPort", &dll.CreateIoCompletionPort},
        {"SetFileCompletionNotificationModes", &dll.SetFileCompletionNotificationModes},
        {"CancelIoEx", &dll.CancelIoEx},
    };
    for (size_t at = 0; at < sizeof names / sizeof *names; at++)
    {
        FARPROC function = GetProcAddress(module, names[at].name);
        if (function == NULL) printf("standin.dll does not export %s\n", names[at].name), exit(2);
        memcpy(names[at].at, &function, sizeof function);
    }
}

static void load_rio(void)
{
    GUID id = {0x8509e081, 0x96dd, 0x4005, {0xb1, 0x65, 0x9e, 0x2e, 0xe8, 0xc7, 0x9e, 0x3f}};
    DWORD returned = 0;
    SOCKET asked = open_socket(WSA_FLAG_REGISTERED_IO);
    CHECK(dll.WSAIoctl(
        asked, SIO_GET_MULTIPLE_EXTENSION_FUNCTION_POINTER, &id, sizeof id, &rio, sizeof rio, &returned, NULL,
        NULL) == 0);
    CHECK(returned == sizeof rio && rio.size == sizeof rio && sizeof rio == 112);
    dll.closesocket(asked);
}

int main(int count, char **arguments)
{
    const struct
    {
        const char *name;
        void (*run)(void);
    } groups[] = {
        {"receives", check_receives}, {"limits", check_limits}, {"misuse", check_misuse},
        {"segments", check_segments}, {"coalescing", check_coalescing},
    };
    WSADATA data;
    setvbuf(stdout, NULL, _IONBF, 0);
    WSAStartup(MAKEWORD(2, 2), &data);
    load();
    load_rio();
    for (size_t at = 0; at < sizeof groups / sizeof *groups; at++)
    {
        if (count > 1 && strcmp(arguments[1], groups[at].name) != 0) continue;
        dll.reset();
        groups[at].run();
    }
    printf("%d checks, %d failed\n", checks, failures);
    return failures == 0 ? 0 : 1;
}
