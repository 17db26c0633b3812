/* The floor of `spate bench pingpong`: two threads on CPUs of their own, one datagram going to and fro over loopback.
 *
 *   cc -O2 -pthread -o pingpong pingpong.c
 *   ./pingpong block|spin [pings] [bytes] [clientCpu] [serverCpu]
 *
 * block: both ends sleep in recvfrom(2). spin: both ends repeat recvfrom with MSG_DONTWAIT.
 * Prints p50, p99 and p99.9 of the round trips in microseconds. Linux.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { WARM_UP = 1000, BYTES_MOST = 65507 };

static int receive_flags;
static int server_cpu = 1;
static int server_socket;

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) perror("sched_setaffinity");
}

static int open_socket(struct sockaddr_in *address)
{
    int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    socklen_t length = sizeof *address;
    memset(address, 0, sizeof *address);
    address->sin_family = AF_INET;
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (s < 0 || bind(s, (struct sockaddr *)address, length) != 0
        || getsockname(s, (struct sockaddr *)address, &length) != 0) {
        perror("socket");
        exit(1);
    }
    return s;
}

static ssize_t receive(int s, void *buffer, struct sockaddr_in *peer)
{
    for (;;) {
        socklen_t length = sizeof *peer;
        ssize_t n = recvfrom(s, buffer, BYTES_MOST, receive_flags, (struct sockaddr *)peer, &length);
        if (n >= 0) return n;
    }
}

static void *serve(void *unused)
{
    static char buffer[BYTES_MOST];
    (void)unused;
    pin(server_cpu);
    for (;;) {
        struct sockaddr_in peer;
        ssize_t n = receive(server_socket, buffer, &peer);
        if (n == 0) return NULL;
        sendto(server_socket, buffer, (size_t)n, 0, (struct sockaddr *)&peer, sizeof peer);
    }
}

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static char buffer[BYTES_MOST];
    int pings = argc > 2 ? atoi(argv[2]) : 10000;
    int bytes = argc > 3 ? atoi(argv[3]) : 64;
    if (argc < 2 || pings < 1 || bytes < 1 || bytes > BYTES_MOST) {
        fprintf(stderr, "use: pingpong block|spin [pings] [bytes] [clientCpu] [serverCpu]\n");
        return 2;
    }
    receive_flags = strcmp(argv[1], "spin") == 0 ? MSG_DONTWAIT : 0;
    if (argc > 5) server_cpu = atoi(argv[5]);

    struct sockaddr_in server, client;
    server_socket = open_socket(&server);
    int s = open_socket(&client);
    pthread_t thread;
    pthread_create(&thread, NULL, serve, NULL);
    pin(argc > 4 ? atoi(argv[4]) : 0);

    long *nanoseconds = calloc((size_t)pings, sizeof *nanoseconds);
    for (int i = -WARM_UP; i < pings; i++) {
        struct sockaddr_in peer;
        long start = now();
        sendto(s, buffer, (size_t)bytes, 0, (struct sockaddr *)&server, sizeof server);
        receive(s, buffer, &peer);
        if (i >= 0) nanoseconds[i] = now() - start;
    }
    sendto(s, buffer, 0, 0, (struct sockaddr *)&server, sizeof server);
    pthread_join(thread, NULL);

    qsort(nanoseconds, (size_t)pings, sizeof *nanoseconds, compare);
    printf("%s p50 %.1f p99 %.1f p99.9 %.1f us\n", argv[1], nanoseconds[(pings - 1) / 2] / 1e3,
        nanoseconds[(long)(pings - 1) * 99 / 100] / 1e3, nanoseconds[(long)(pings - 1) * 999 / 1000] / 1e3);
    return 0;
}
