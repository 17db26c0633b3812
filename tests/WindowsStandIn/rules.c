/* What a test reads and changes: the log of broken rules, the counts and the knobs. */
#include "standin.h"
#include <stdarg.h>
#include <stddef.h>

standin_counts counts;
standin_knobs knobs;
CRITICAL_SECTION lock;

enum { LOG_LINES = 64, LINE_BYTES = 200 };

static CRITICAL_SECTION log_lock;
static char log_text[LOG_LINES][LINE_BYTES];
static int log_first, log_length;

static const struct
{
    const char *name;
    size_t offset;
    LONG64 standard;
} knob_names[] = {
    {"single_refused", offsetof(standin_knobs, single_refused), 0},
    {"segment_limit", offsetof(standin_knobs, segment_limit), 512},
    {"refused_port", offsetof(standin_knobs, refused_port), 0},
    {"refused_above", offsetof(standin_knobs, refused_above), 65535},
    {"refused_error", offsetof(standin_knobs, refused_error), WSAEINVAL},
    {"coalesce_wait", offsetof(standin_knobs, coalesce_wait), 1},
    {"coalesce_untold", offsetof(standin_knobs, coalesce_untold), 0},
    {"coalesce_limit", offsetof(standin_knobs, coalesce_limit), 64},
    {"linger", offsetof(standin_knobs, linger), 0},
    {"corrupt", offsetof(standin_knobs, corrupt), 0},
    {"no_rio", offsetof(standin_knobs, no_rio), 0},
    {"no_offload", offsetof(standin_knobs, no_offload), 0},
};

static LONG64 *knob_at(size_t offset) { return (LONG64 *)((char *)&knobs + offset); }

/* Sets each knob to its standard, or to the number in the variable STANDIN_name. */
static void read_knobs(void)
{
    for (size_t at = 0; at < sizeof knob_names / sizeof *knob_names; at++)
    {
        char variable[64], value[32];
        snprintf(variable, sizeof variable, "STANDIN_%s", knob_names[at].name);
        DWORD length = GetEnvironmentVariableA(variable, value, sizeof value);
        *knob_at(knob_names[at].offset) =
            length > 0 && length < sizeof value ? atoll(value) : knob_names[at].standard;
    }
}

/* Notes that a rule was broken. A full log keeps the first lines, since what follows may be their effect. */
void violate(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    count(&counts.violations, 1);
    EnterCriticalSection(&log_lock);
    if (log_length < LOG_LINES)
        vsnprintf(log_text[(log_first + log_length++) % LOG_LINES], LINE_BYTES, format, values);
    LeaveCriticalSection(&log_lock);
    va_end(values);
}

/* Returns and clears the first broken rule: its length, or 0 if no rule was broken. */
int standin_violation(char *text, int size)
{
    int length = 0;
    EnterCriticalSection(&log_lock);
    if (log_length > 0 && size > 0)
    {
        length = snprintf(text, (size_t)size, "%s", log_text[log_first]);
        log_first = (log_first + 1) % LOG_LINES, log_length--;
    }
    LeaveCriticalSection(&log_lock);
    return length;
}

/* Sets a knob: 0, or -1 if no knob has that name. */
int standin_set(const char *name, LONG64 value)
{
    for (size_t at = 0; at < sizeof knob_names / sizeof *knob_names; at++)
    {
        if (strcmp(name, knob_names[at].name) != 0) continue;
        *knob_at(knob_names[at].offset) = value;
        return 0;
    }
    return -1;
}

/* Copies as many counts as the caller knows, and returns how many there are. */
int standin_read(LONG64 *numbers, int length)
{
    int all = sizeof counts / sizeof(LONG64);
    for (int at = 0; at < length && at < all; at++) numbers[at] = ((volatile LONG64 *)&counts)[at];
    return all;
}

/* Forgets counts and broken rules, and reads the knobs anew. Queues and sockets stay. */
void standin_reset(void)
{
    EnterCriticalSection(&log_lock);
    log_length = 0;
    LeaveCriticalSection(&log_lock);
    EnterCriticalSection(&lock);
    memset(&counts, 0, sizeof counts);
    read_knobs();
    LeaveCriticalSection(&lock);
}

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, void *reserved)
{
    (void)self, (void)reserved;
    if (reason == DLL_PROCESS_ATTACH)
    {
        InitializeCriticalSection(&lock);
        InitializeCriticalSection(&log_lock);
        read_knobs();
    }
    return TRUE;
}
