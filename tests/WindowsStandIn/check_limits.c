/* Limits of Registered I/O: what each call refuses, and with which error. */
#include "check.h"

static void of_completion_queues(void)
{
    RIO_NOTIFICATION_COMPLETION how = {.Type = RIO_IOCP_COMPLETION};
    CHECK_ERROR(rio.create_completions(0, NULL), WSAEINVAL);
    CHECK_ERROR(rio.create_completions(RIO_MAX_CQ_SIZE + 1, NULL), WSAEINVAL);
    CHECK_ERROR(rio.create_completions(1, &how), WSAEINVAL); /* a port without an OVERLAPPED */
    completion_queue *polled = rio.create_completions(1, NULL);
    CHECK(rio.notify(polled) == WSAEINVAL && rio.notify(NULL) == WSAEINVAL);
    CHECK(rio.dequeue(NULL, NULL, 0) == RIO_CORRUPT_CQ);
    rio.close_completions(polled);
    rio.close_completions(NULL); /* ignored */
    CHECK_CLEAN();
}

static void of_request_queues(void)
{
    completion_queue *room = rio.create_completions(6, NULL);
    SOCKET plain = open_socket(0), first = open_socket(WSA_FLAG_REGISTERED_IO);
    SOCKET second = open_socket(WSA_FLAG_REGISTERED_IO);
    CHECK_ERROR(rio.create_requests(plain, 1, 1, 1, 1, room, room, NULL), WSAEOPNOTSUPP);
    CHECK_ERROR(rio.create_requests(INVALID_SOCKET, 1, 1, 1, 1, room, room, NULL), WSAENOTSOCK);
    CHECK_ERROR(rio.create_requests(first, 0, 1, 0, 1, room, room, NULL), WSAEINVAL);
    CHECK_ERROR(rio.create_requests(first, 1, 1, 1, 1, NULL, room, NULL), WSAEINVAL);
    CHECK_ERROR(rio.create_requests(first, 1, 2, 1, 1, room, room, NULL), WSAEINVAL); /* one buffer a request */
    CHECK_ERROR(rio.create_requests(first, 5, 1, 2, 1, room, room, NULL), WSAENOBUFS);
    request_queue *requests = rio.create_requests(first, 3, 1, 1, 1, room, room, NULL);
    CHECK(requests != NULL);
    CHECK_ERROR(rio.create_requests(second, 3, 1, 0, 1, room, room, NULL), WSAENOBUFS);
    CHECK_ERROR(rio.resize_completions(room, 3), WSAETOOMANYREFS);
    CHECK(rio.resize_completions(room, 7) && rio.create_requests(second, 3, 1, 0, 1, room, room, NULL) != NULL);
    CHECK_ERROR(rio.resize_requests(requests, 4, 1), WSAENOBUFS);
    CHECK_ERROR(rio.resize_requests(requests, 0, 0), WSAEINVAL);
    CHECK(rio.resize_requests(requests, 2, 2));
    CHECK(dll.closesocket(first) == 0 && dll.closesocket(second) == 0 && dll.closesocket(plain) == 0);
    SOCKET third = open_socket(WSA_FLAG_REGISTERED_IO); /* what a closed socket had is free again */
    CHECK(rio.create_requests(third, 7, 1, 0, 1, room, room, NULL) != NULL);
    dll.closesocket(third);
    rio.close_completions(room);
    CHECK_CLEAN();
}

static void of_buffers(void)
{
    static char memory[256];
    CHECK_ERROR(rio.register_buffer(memory, 0) != RIO_INVALID_BUFFERID, WSAEINVAL);
    CHECK_ERROR(rio.register_buffer(NULL, 16) != RIO_INVALID_BUFFERID, WSAEFAULT);
    CHECK_ERROR(rio.register_buffer((char *)16, 16) != RIO_INVALID_BUFFERID, WSAEFAULT);
    CHECK(RIO_INVALID_BUFFERID == (void *)0xFFFFFFFF);
    rio.deregister_buffer((void *)1); /* ignored */

    bench self = open_bench(4, 4, NULL);
    RIO_BUF beyond = {self.id, 63 * SLOT_BYTES, SLOT_BYTES + 1}, wrapped = {self.id, 0xFFFFFFF0, 32};
    RIO_BUF unknown = {(void *)1, 0, 16}, address = {self.id, 0, sizeof(SOCKADDR_INET) - 1};
    void *gone = rio.register_buffer(memory, sizeof memory);
    RIO_BUF stale = {gone, 0, 16};
    rio.deregister_buffer(gone);
    CHECK_ERROR(rio.receive(self.requests, &beyond, 1, 0, NULL), WSAEFAULT);
    CHECK_ERROR(rio.receive(self.requests, &wrapped, 1, 0, NULL), WSAEFAULT);
    CHECK_ERROR(rio.receive(self.requests, &unknown, 1, 0, NULL), WSAEFAULT);
    CHECK_ERROR(rio.receive(self.requests, &stale, 1, 0, NULL), WSAEFAULT);
    CHECK_ERROR(rio.receive_ex(self.requests, &self.slots[1], 1, NULL, &address, NULL, NULL, 0, NULL), WSAEINVAL);
    close_bench(&self);
    CHECK_CLEAN();
}

static void of_requests(void)
{
    RIORESULT result;
    bench self = open_bench(4, 2, NULL);
    CHECK_ERROR(rio.receive(NULL, &self.slots[0], 1, 0, NULL), WSAEINVAL);
    CHECK_ERROR(rio.receive(self.requests, &self.slots[0], 2, 0, NULL), WSAEINVAL);
    CHECK_ERROR(rio.receive(self.requests, &self.slots[0], 1, RIO_MSG_WAITALL, NULL), WSAEINVAL);
    CHECK_ERROR(rio.receive(self.requests, &self.slots[0], 1, RIO_MSG_COMMIT_ONLY, NULL), WSAEINVAL);
    CHECK_ERROR(rio.receive(self.requests, NULL, 0, RIO_MSG_COMMIT_ONLY | RIO_MSG_DEFER, NULL), WSAEINVAL);
    CHECK_ERROR(rio.receive(self.requests, NULL, 0, RIO_MSG_COMMIT_ONLY, &self), WSAEINVAL);
    CHECK(post_slot(&self, 0, RIO_MSG_DEFER) && post_slot(&self, 1, 0));
    CHECK_ERROR(post_slot(&self, 2, 0), WSAENOBUFS);
    CHECK_ERROR(rio.resize_requests(self.requests, 1, 2), WSAETOOMANYREFS);
    send_text(self.peer, self.socket, "one");
    ULONGLONG end = GetTickCount64() + WAIT_MILLISECONDS;
    while (self.completions->completed.length == 0 && GetTickCount64() < end) Sleep(1);
    CHECK_ERROR(post_slot(&self, 2, 0), WSAENOBUFS); /* charged until it is dequeued */
    CHECK(rio.dequeue(self.completions, &result, 1) == 1 && post_slot(&self, 2, 0));
    CHECK_ERROR(rio.send_ex(self.requests, &self.slots[3], 1, &self.slots[4], NULL, NULL, NULL, 0, NULL), WSAEINVAL);
    close_bench(&self);
    CHECK_CLEAN();
}

void check_limits(void)
{
    of_completion_queues();
    of_request_queues();
    of_buffers();
    of_requests();
}
