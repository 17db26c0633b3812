/* Datagrams that Linux drops below Wine, where a socket's buffer is full: no call of Winsock counts them. */
#include "standin.h"

/* The lines of a table of the host, which Wine shows as a file: the drops of the sockets with this local port. */
static LONG64 drops_in(const char *path, int port)
{
    FILE *file = fopen(path, "r");
    char line[512];
    LONG64 sum = 0;
    if (file == NULL) return -1;
    while (fgets(line, sizeof line, file) != NULL)
    {
        /* "  12: 0100007F:D431 00000000:0000 07 ... drops": proc(5) of Linux. */
        char *colon = strchr(line, ':');
        colon = colon == NULL ? NULL : strchr(colon + 1, ':');
        if (colon == NULL || strtol(colon + 1, NULL, 16) != port) continue;
        char *end = line + strlen(line);
        while (end > line && (end[-1] == '\n' || end[-1] == ' ')) *--end = 0;
        char *last = strrchr(line, ' ');
        if (last != NULL) sum += atoll(last + 1);
    }
    fclose(file);
    return sum;
}

/* How many datagrams Linux dropped for the sockets with this local port: -1 if it does not say. */
LONG64 standin_lost(int port)
{
    LONG64 four = drops_in("Z:\\proc\\net\\udp", port), six = drops_in("Z:\\proc\\net\\udp6", port);
    return four < 0 ? -1 : four + (six < 0 ? 0 : six);
}
