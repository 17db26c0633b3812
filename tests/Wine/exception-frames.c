/*
 * Can a handler of an exception leave, by setting the stack pointer, for a frame that it knows? On Windows for x64 only
 * unwind information and the stack pointer say which frames there are ("x64 exception handling", C++ documentation).
 * .NET 10 leaves like this where an exception goes from a native frame to a managed one. While Wine 8 unwinds, it
 * keeps a record on the stack and links it in the thread's TEB; the record stays linked when its memory is used again,
 * and the next exception calls what lies there, until the stack is full and the thread ends. So the tests are published
 * with a setting that has reflection call them without native frames.
 */
#include "ask.h"

enum { EXCEPTION_COUNT = 3, OWN_CODE = 0xE0000001, UNWINDING = 2 /* EXCEPTION_UNWINDING of winnt.h */ };
enum { SURVIVED = 7 };

static void *known_frame[5];
static volatile int raised_count;

/* Called to find the frame that handles the exception, and once more to unwind it, from which it does not return. */
EXCEPTION_DISPOSITION leave(EXCEPTION_RECORD *record, void *frame, CONTEXT *context, void *dispatcher)
{
    (void)context, (void)dispatcher;
    if (record->ExceptionFlags & UNWINDING) __builtin_longjmp(known_frame, 1);
    CONTEXT unwound;
    RtlUnwindEx(frame, (void *)(ULONG_PTR)leave, record, NULL, &unwound, NULL);
    return ExceptionContinueSearch;
}

static __attribute__((noinline)) void raise_once(void)
{
    __asm__ volatile(".seh_handler leave, @except, @unwind");
    RaiseException(OWN_CODE, 0, 0, NULL);
}

/* As any calls do that follow. */
static __attribute__((noinline)) void reuse_stack(void)
{
    volatile char used[1 << 16];
    for (size_t i = 0; i < sizeof used; i++) used[i] = 1;
}

static __attribute__((noinline)) void raise_and_return(void)
{
    if (__builtin_setjmp(known_frame) == 0) raise_once();
}

/* In a process of its own, since it may crash. */
static int raise_all(void)
{
    while (raised_count++ < EXCEPTION_COUNT)
    {
        raise_and_return();
        reuse_stack();
    }
    return SURVIVED;
}

int main(int count, char **words)
{
    if (count > 1) return raise_all();

    char command[MAX_PATH + 16];
    snprintf(command, sizeof command, "\"%s\" raise", words[0]);
    STARTUPINFOA start = {.cb = sizeof start};
    PROCESS_INFORMATION process;
    if (!CreateProcessA(NULL, command, NULL, NULL, FALSE, 0, NULL, NULL, &start, &process)) give_up("CreateProcess");
    BOOL ended = WaitForSingleObject(process.hProcess, 5 * LIMIT_MILLISECONDS) == WAIT_OBJECT_0;
    DWORD code = 0;
    if (!ended) TerminateProcess(process.hProcess, 1);
    else GetExitCodeProcess(process.hProcess, &code);
    answer(
        ended && code == SURVIVED, "%d exceptions, left by their handler: the process %s, exit code %lu",
        EXCEPTION_COUNT, ended ? "ended" : "did not end", code);
}
