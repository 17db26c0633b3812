/* Misuse of Registered I/O, which Windows leaves undefined: each must be told as a broken rule. */
#include "check.h"

static void freed_too_early(void)
{
    RIORESULT result;
    bench self = open_bench(4, 2, NULL);
    CHECK(post_slot(&self, 0, 0) && dll.closesocket(self.socket) == 0);
    rio.deregister_buffer(self.id); /* before its completion is dequeued */
    CHECK_VIOLATION("RIODeregisterBuffer");
    CHECK(rio.dequeue(self.completions, &result, 1) == 1);
    rio.close_completions(self.completions);
    CHECK_CLEAN();
    dll.closesocket(self.peer);
}

static void closed_too_early(void)
{
    bench self = open_bench(4, 2, NULL);
    CHECK(post_slot(&self, 0, 0) && dll.closesocket(self.socket) == 0);
    rio.close_completions(self.completions);
    CHECK_VIOLATION("RIOCloseCompletionQueue");
    CHECK(rio.dequeue(self.completions, NULL, 0) == RIO_CORRUPT_CQ);
    dll.closesocket(self.peer);
}

static void shared_buffer(void)
{
    RIORESULT result;
    bench self = open_bench(4, 2, NULL);
    RIO_BUF half = {self.id, SLOT_BYTES / 2, SLOT_BYTES};
    CHECK(post_slot(&self, 0, 0));
    CHECK_CLEAN();
    CHECK(rio.receive(self.requests, &half, 1, 0, NULL));
    CHECK_VIOLATION("in use by another request");
    dll.closesocket(self.socket);
    while (rio.dequeue(self.completions, &result, 1) == 1) continue;
    rio.deregister_buffer(self.id);
    rio.close_completions(self.completions);
    dll.closesocket(self.peer);
    CHECK_CLEAN();
}

/* Slots of a closed socket are free although its completions still lie in the queue. */
static void overrun(void)
{
    RIORESULT results[2];
    bench self = open_bench(2, 2, NULL);
    CHECK(post_slot(&self, 0, 0) && post_slot(&self, 1, 0) && dll.closesocket(self.socket) == 0);
    self.socket = open_socket(WSA_FLAG_REGISTERED_IO);
    self.requests = rio.create_requests(self.socket, 2, 1, 0, 1, self.completions, self.completions, NULL);
    CHECK(self.requests != NULL && post_slot(&self, 2, 0));
    send_text(self.peer, self.socket, "too much");
    ULONGLONG end = GetTickCount64() + WAIT_MILLISECONDS;
    while (COUNT(rio_received) == 0 && GetTickCount64() < end) Sleep(1);
    CHECK(rio.dequeue(self.completions, results, 2) == RIO_CORRUPT_CQ);
    CHECK_ERROR(post_slot(&self, 3, 0), WSAEINVAL); /* "the integrity of the completion queue" */
    CHECK_VIOLATION("is overrun");
    dll.closesocket(self.socket);
    dll.closesocket(self.peer);
    dll.reset();
}

static void corrupt_by_knob(void)
{
    RIORESULT result;
    bench self = open_bench(4, 2, NULL);
    CHECK(dll.set("corrupt", 1) == 0 && dll.set("no such knob", 1) == -1);
    CHECK(rio.dequeue(self.completions, &result, 1) == RIO_CORRUPT_CQ);
    CHECK(rio.dequeue(self.completions, &result, 1) == RIO_CORRUPT_CQ);
    dll.closesocket(self.socket);
    dll.closesocket(self.peer);
    CHECK_CLEAN();
}

static volatile LONG stop;

static DWORD WINAPI dequeue_on(void *parameter)
{
    RIORESULT result;
    while (!stop) rio.dequeue(parameter, &result, 1);
    return 0;
}

static DWORD WINAPI commit_on(void *parameter)
{
    while (!stop) rio.receive(parameter, NULL, 0, RIO_MSG_COMMIT_ONLY, NULL);
    return 0;
}

static DWORD WINAPI post_on(void *parameter)
{
    RIO_BUF unknown = {0};
    while (!stop) rio.receive(parameter, &unknown, 1, 0, NULL);
    return 0;
}

/* Runs a call in a thread and another here, until a rule is broken or the time is over: whether one was. */
static BOOL is_broken_by(DWORD (WINAPI *one)(void *), DWORD (WINAPI *other)(void *), void *queue, DWORD milliseconds)
{
    LONG64 before = COUNT(violations);
    stop = FALSE;
    HANDLE threads[] = {CreateThread(NULL, 0, one, queue, 0, NULL), CreateThread(NULL, 0, other, queue, 0, NULL)};
    ULONGLONG end = GetTickCount64() + milliseconds;
    while (COUNT(violations) == before && GetTickCount64() < end) Sleep(1);
    stop = TRUE;
    WaitForMultipleObjects(2, threads, TRUE, INFINITE);
    CloseHandle(threads[0]), CloseHandle(threads[1]);
    return COUNT(violations) != before;
}

static void concurrent_entry(void)
{
    bench self = open_bench(4, 2, NULL);
    dll.set("linger", 1);
    CHECK(!is_broken_by(post_on, commit_on, self.requests, 100)); /* a commit need not be serialised */
    CHECK_CLEAN();
    CHECK(is_broken_by(post_on, post_on, self.requests, WAIT_MILLISECONDS));
    CHECK_VIOLATION("RIOReceive: another thread");
    CHECK(is_broken_by(dequeue_on, dequeue_on, self.completions, WAIT_MILLISECONDS));
    CHECK_VIOLATION("RIODequeueCompletion: another thread");
    CHECK(rio.dequeue(self.completions, NULL, 0) == RIO_CORRUPT_CQ);
    dll.reset();
    close_bench(&self);
    CHECK_CLEAN();
}

void check_misuse(void)
{
    freed_too_early();
    closed_too_early();
    shared_buffer();
    overrun();
    corrupt_by_knob();
    concurrent_entry();
}
