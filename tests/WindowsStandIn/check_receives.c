/* Receives of Registered I/O that are used as they should be. */
#include "check.h"
#include <stddef.h>

static void polled(void)
{
    RIORESULT results[4];
    bench self = open_bench(8, 4, NULL);
    CHECK(rio.dequeue(self.completions, results, 4) == 0);
    CHECK(post_slot(&self, 0, 0) && post_slot(&self, 1, 0));
    send_text(self.peer, self.socket, "one");
    CHECK(await(self.completions, results, 4) == 1);
    CHECK(results[0].Status == 0 && results[0].BytesTransferred == 3);
    CHECK(results[0].SocketContext == 0x50C && results[0].RequestContext == 1);
    CHECK(memcmp(self.memory, "one", 3) == 0);
    close_bench(&self);
    CHECK_CLEAN();
    CHECK(COUNT(rio_received) == 1 && COUNT(rio_aborted) == 1);
}

static void by_event(void)
{
    RIO_NOTIFICATION_COMPLETION how = {.Type = RIO_EVENT_COMPLETION};
    how.Event.EventHandle = CreateEventW(NULL, TRUE, TRUE, NULL);
    how.Event.NotifyReset = TRUE;
    RIORESULT result;
    bench self = open_bench(8, 4, &how);
    CHECK(rio.notify(self.completions) == 0);
    CHECK(WaitForSingleObject(how.Event.EventHandle, 0) == WAIT_TIMEOUT); /* NotifyReset */
    CHECK(rio.notify(self.completions) == WSAEALREADY);
    CHECK(post_slot(&self, 0, 0) && post_slot(&self, 1, RIO_MSG_DONT_NOTIFY) && post_slot(&self, 2, 0));
    send_text(self.peer, self.socket, "one");
    CHECK(WaitForSingleObject(how.Event.EventHandle, WAIT_MILLISECONDS) == WAIT_OBJECT_0);
    CHECK(await(self.completions, &result, 1) == 1 && result.RequestContext == 1);

    CHECK(rio.notify(self.completions) == 0);
    send_text(self.peer, self.socket, "quiet");
    CHECK(await(self.completions, &result, 1) == 1 && result.RequestContext == 2);
    CHECK(WaitForSingleObject(how.Event.EventHandle, 0) == WAIT_TIMEOUT); /* RIO_MSG_DONT_NOTIFY */
    send_text(self.peer, self.socket, "loud");
    CHECK(WaitForSingleObject(how.Event.EventHandle, WAIT_MILLISECONDS) == WAIT_OBJECT_0);
    CHECK(rio.notify(self.completions) == 0); /* the queue is not empty: at once */
    CHECK(WaitForSingleObject(how.Event.EventHandle, WAIT_MILLISECONDS) == WAIT_OBJECT_0);
    close_bench(&self);
    CloseHandle(how.Event.EventHandle);
    CHECK_CLEAN();
}

static void by_port(void)
{
    OVERLAPPED dedicated = {0};
    RIO_NOTIFICATION_COMPLETION how = {.Type = RIO_IOCP_COMPLETION};
    how.Iocp.IocpHandle = dll.CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 1);
    how.Iocp.CompletionKey = (void *)0x4B;
    how.Iocp.Overlapped = &dedicated;
    OVERLAPPED_ENTRY entry = {0};
    ULONG entries = 0;
    RIORESULT result;
    bench self = open_bench(8, 4, &how);
    CHECK(post_slot(&self, 0, 0) && rio.notify(self.completions) == 0);
    send_text(self.peer, self.socket, "by port");
    CHECK(GetQueuedCompletionStatusEx(how.Iocp.IocpHandle, &entry, 1, &entries, WAIT_MILLISECONDS, FALSE));
    CHECK(entries == 1 && entry.lpCompletionKey == 0x4B && entry.lpOverlapped == &dedicated);
    CHECK(await(self.completions, &result, 1) == 1 && result.BytesTransferred == 7);
    close_bench(&self);
    CloseHandle(how.Iocp.IocpHandle);
    CHECK_CLEAN();
}

static void with_addresses(void)
{
    RIORESULT result;
    DWORD flags, total, on = 1;
    bench self = open_bench(8, 4, NULL);
    RIO_BUF data = {self.id, 0, 4}, local = {self.id, 1024, sizeof(SOCKADDR_INET)};
    RIO_BUF remote = {self.id, 2048, sizeof(SOCKADDR_INET)}, control = {self.id, 3072, 256}, told = {self.id, 4096, 4};
    SOCKADDR_IN mine = name_of(self.socket), peer = name_of(self.peer);
    CHECK(dll.setsockopt(self.socket, IPPROTO_IP, IP_PKTINFO, (char *)&on, sizeof on) == 0);
    CHECK(rio.receive_ex(self.requests, &data, 1, &local, &remote, &control, &told, 0, (void *)7));
    send_text(self.peer, self.socket, "longer");
    CHECK(await(self.completions, &result, 1) == 1 && result.RequestContext == 7);
    CHECK(result.Status == WSAEMSGSIZE && result.BytesTransferred == 4 && memcmp(self.memory, "long", 4) == 0);
    memcpy(&flags, self.memory + 4096, sizeof flags);
    CHECK(flags == MSG_TRUNC);
    CHECK(memcmp(self.memory + 1024, &mine, sizeof mine) == 0);
    CHECK(memcmp(self.memory + 2048, &peer, sizeof peer) == 0);
    memcpy(&total, self.memory + 3072, sizeof total);
    WSACMSGHDR *header = (WSACMSGHDR *)(self.memory + 3072 + RIO_CMSG_BASE_SIZE);
    CHECK(total == RIO_CMSG_BASE_SIZE + WSA_CMSG_SPACE(sizeof(IN_PKTINFO)));
    CHECK(header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_PKTINFO);
    CHECK(((IN_PKTINFO *)WSA_CMSG_DATA(header))->ipi_addr.s_addr == mine.sin_addr.s_addr);
    close_bench(&self);
    CHECK_CLEAN();
}

static void deferred(void)
{
    RIORESULT results[4];
    bench self = open_bench(8, 4, NULL);
    CHECK(post_slot(&self, 0, RIO_MSG_DEFER) && post_slot(&self, 1, RIO_MSG_DEFER));
    send_text(self.peer, self.socket, "lost");
    ULONGLONG end = GetTickCount64() + WAIT_MILLISECONDS;
    while (COUNT(rio_dropped) == 0 && GetTickCount64() < end) Sleep(1);
    CHECK(COUNT(rio_dropped) == 1 && rio.dequeue(self.completions, results, 4) == 0);
    CHECK(rio.receive(self.requests, NULL, 0, RIO_MSG_COMMIT_ONLY, NULL));
    send_text(self.peer, self.socket, "a");
    send_text(self.peer, self.socket, "bb");
    CHECK(await(self.completions, results, 1) == 1 && results[0].BytesTransferred == 1);
    CHECK(await(self.completions, results, 1) == 1 && results[0].BytesTransferred == 2);
    CHECK(post_slot(&self, 2, RIO_MSG_DEFER) && post_slot(&self, 3, 0)); /* a plain one commits too */
    send_text(self.peer, self.socket, "ccc");
    CHECK(await(self.completions, results, 1) == 1 && results[0].RequestContext == 3);
    close_bench(&self);
    CHECK_CLEAN();
}

static void sends(void)
{
    char text[16];
    RIORESULT result;
    bench self = open_bench(8, 4, NULL);
    SOCKADDR_IN to = name_of(self.peer);
    RIO_BUF data = {self.id, 0, 5}, remote = {self.id, 64, sizeof(SOCKADDR_INET)};
    memcpy(self.memory, "hello", 5);
    memcpy(self.memory + 64, &to, sizeof to);
    CHECK(rio.send_ex(self.requests, &data, 1, NULL, &remote, NULL, NULL, 0, (void *)9));
    CHECK(receive_text(self.peer, text, sizeof text) == 5 && strcmp(text, "hello") == 0);
    CHECK(await(self.completions, &result, 1) == 1 && result.BytesTransferred == 5 && result.RequestContext == 9);
    CHECK(connect(self.socket, (SOCKADDR *)&to, sizeof to) == 0);
    CHECK(rio.send(self.requests, &data, 1, RIO_MSG_DEFER, NULL) && rio.dequeue(self.completions, &result, 1) == 0);
    CHECK(rio.send(self.requests, NULL, 0, RIO_MSG_COMMIT_ONLY, NULL));
    CHECK(receive_text(self.peer, text, sizeof text) == 5 && await(self.completions, &result, 1) == 1);
    close_bench(&self);
    CHECK_CLEAN();
}

/* A close past the DLL, as .NET's, is seen too; and the port is free at once. */
static void closes(BOOL past)
{
    RIORESULT results[4];
    bench self = open_bench(8, 4, NULL);
    SOCKADDR_IN name = name_of(self.socket);
    CHECK(post_slot(&self, 0, 0) && post_slot(&self, 1, RIO_MSG_DEFER));
    CHECK((past ? closesocket(self.socket) : dll.closesocket(self.socket)) == 0);
    SOCKET next = dll.WSASocketW(AF_INET, SOCK_DGRAM, IPPROTO_UDP, NULL, 0, WSA_FLAG_OVERLAPPED);
    CHECK(bind(next, (SOCKADDR *)&name, sizeof name) == 0);
    CHECK(await(self.completions, results, 1) == 1 && results[0].Status == WSA_OPERATION_ABORTED);
    CHECK(await(self.completions, results, 1) == 1 && results[0].Status == WSA_OPERATION_ABORTED);
    CHECK_ERROR(post_slot(&self, 2, 0), WSAEINVAL);
    rio.deregister_buffer(self.id);
    rio.close_completions(self.completions);
    dll.closesocket(next);
    dll.closesocket(self.peer);
    CHECK_CLEAN();
}

static void flushed(void)
{
    RIORESULT result;
    DWORD returned;
    bench self = open_bench(8, 4, NULL);
    CHECK(post_slot(&self, 0, 0));
    CHECK(dll.WSAIoctl(self.socket, SIO_FLUSH, NULL, 0, NULL, 0, &returned, NULL, NULL) == 0);
    CHECK(await(self.completions, &result, 1) == 1 && result.Status == WSA_OPERATION_ABORTED);
    close_bench(&self);
    CHECK_CLEAN();
}

/* What Linux drops below Wine can be accounted for. */
static void lost_below(void)
{
    enum { SENT = 2000 };
    SOCKET receiver = open_socket(0), sender = open_socket(0);
    u_long on = 1;
    char byte;
    int got = 0;
    for (int at = 0; at < SENT; at++) send_text(sender, receiver, "x");
    ioctlsocket(receiver, FIONBIO, &on);
    while (recv(receiver, &byte, 1, 0) == 1) got++;
    LONG64 lost = dll.lost(ntohs(name_of(receiver).sin_port));
    CHECK(got > 0 && lost > 0 && got + lost == SENT);
    dll.closesocket(receiver), dll.closesocket(sender);
}

void check_receives(void)
{
    lost_below();
    polled();
    by_event();
    by_port();
    with_addresses();
    deferred();
    sends();
    closes(FALSE);
    closes(TRUE);
    flushed();
}
