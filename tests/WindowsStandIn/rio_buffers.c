/* Registered buffers. An identifier is never given twice, so that a stale one is seen. */
#include "rio.h"

typedef struct
{
    char *memory;
    DWORD length;
    BOOL is_registered;
    LONG uses; /* by requests whose completion was not dequeued */
    BYTE *busy; /* for each whole unit, whether a request has it */
} registration;

enum { FIRST_ID = 0x1000, UNIT_BYTES = 4 };

static registration *registrations;
static size_t registered;

static registration *find(const void *id)
{
    size_t at = (size_t)id - FIRST_ID;
    return (size_t)id >= FIRST_ID && at < registered && registrations[at].is_registered ? &registrations[at] : NULL;
}

static BOOL is_accessible(const char *memory, size_t length)
{
    const char *end = memory + length;
    MEMORY_BASIC_INFORMATION part;
    while (memory < end)
    {
        if (VirtualQuery(memory, &part, sizeof part) == 0 || part.State != MEM_COMMIT
            || (part.Protect & (PAGE_NOACCESS | PAGE_GUARD)) != 0)
            return FALSE;
        memory = (const char *)part.BaseAddress + part.RegionSize;
    }
    return TRUE;
}

/* learn: mswsock/nc-mswsock-lpfn_rioregisterbuffer: no length is WSAEINVAL, memory that is not there WSAEFAULT. */
void *WSAAPI rio_register(char *memory, DWORD length)
{
    if (length == 0) return fail(WSAEINVAL), RIO_INVALID_BUFFERID;
    if (memory == NULL || !is_accessible(memory, length)) return fail(WSAEFAULT), RIO_INVALID_BUFFERID;
    EnterCriticalSection(&lock);
    if ((registered & (registered - 1)) == 0) /* doubled at each power of two */
        registrations = realloc(registrations, (registered == 0 ? 1 : registered * 2) * sizeof *registrations);
    registrations[registered] = (registration){
        .memory = memory, .length = length, .is_registered = TRUE,
        .busy = calloc(length / UNIT_BYTES + 1, 1)};
    void *id = (void *)(FIRST_ID + registered++);
    LeaveCriticalSection(&lock);
    return id;
}

/* learn: mswsock/nc-mswsock-lpfn_rioderegisterbuffer: of a buffer in use it is a serious error; an invalid identifier
   is ignored. mswsock/nc-mswsock-lpfn_riodequeuecompletion: it is in use until the completion is dequeued. */
void WSAAPI rio_deregister(void *id)
{
    EnterCriticalSection(&lock);
    registration *one = find(id);
    if (one != NULL && one->uses > 0)
        violate("RIODeregisterBuffer: %ld requests still use the buffer", (long)one->uses);
    if (one != NULL)
    {
        one->is_registered = FALSE;
        free(one->busy);
    }
    LeaveCriticalSection(&lock);
}

char *slice_memory(const RIO_BUF *slice)
{
    registration *one = find(slice->BufferId);
    return one != NULL && (ULONGLONG)slice->Offset + slice->Length <= one->length ? one->memory + slice->Offset : NULL;
}

/* learn: mswsock/nc-mswsock-lpfn_rioreceiveex and ..._riosendex, remarks: what a request uses is not passed with
   another before it is complete. FALSE if one of the slice's units is taken. */
BOOL claim_slice(const RIO_BUF *slice, BOOL is_alone)
{
    registration *one = find(slice->BufferId);
    BOOL is_free = TRUE;
    one->uses++;
    if (!is_alone) return TRUE;
    size_t end = ((size_t)slice->Offset + slice->Length) / UNIT_BYTES;
    for (size_t unit = (slice->Offset + UNIT_BYTES - 1) / UNIT_BYTES; unit < end; unit++)
    {
        is_free = is_free && !one->busy[unit];
        one->busy[unit] = TRUE;
    }
    return is_free;
}

/* A registration that is gone, which was a violation, is not looked at. */
void free_slice(const RIO_BUF *slice, BOOL is_alone)
{
    registration *one = find(slice->BufferId);
    if (one == NULL) return;
    one->uses--;
    size_t first = (slice->Offset + UNIT_BYTES - 1) / UNIT_BYTES;
    size_t end = ((size_t)slice->Offset + slice->Length) / UNIT_BYTES;
    if (is_alone && first < end) memset(one->busy + first, 0, end - first);
}
