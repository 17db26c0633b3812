/*
 * epollsockets: the floor of `spate bench sockets`. Opens N loopback sockets, queues K datagrams in each, and times how
 * long one thread takes to receive them all through epoll, per datagram. Nothing runs at the same time. The receive
 * side does what the rows of spate do: it adds up peer port and first byte of every datagram.
 *
 * build: gcc -O2 -pthread -o epollsockets epollsockets.c
 * usage: ./epollsockets [SOCKETS [QUEUED [ROUNDS [SIZE [CPU [THREADS]]]]]]     10000 1 15 64 1 2
 *
 * All but one of THREADS sleep. With 1 the process has a single thread, and the kernel skips counting references to
 * its descriptors in every call (fdget): something no program that polls with several threads can have.
 *
 * Four ways are measured in turn, and the fastest is the floor:
 *   level recvfrom   level-triggered, one recvfrom an event; epoll_wait reports what is left again
 *   level recvmmsg   level-triggered, one recvmmsg of 16 an event
 *   edge recvfrom    edge-triggered, recvfrom until EAGAIN
 *   edge recvmmsg    edge-triggered, recvmmsg of 16 until one comes back with less
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 256, VECTOR = 16, SLOT_BYTES = 2048, ROUNDS_MAX = 1001, WAYS = 4 };

static const char *const way_names[WAYS] = {"level recvfrom", "level recvmmsg", "edge recvfrom", "edge recvmmsg"};

static struct mmsghdr headers[VECTOR];
static struct iovec pieces[VECTOR];
static struct sockaddr_in peers[VECTOR];
static char buffers[VECTOR][SLOT_BYTES];
static unsigned long checksum;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a - *(const double *)b;
    return x < 0 ? -1 : x > 0;
}

static void visit(const struct sockaddr_in *peer, const char *payload, ssize_t length)
{
    checksum += ntohs(peer->sin_port) + (length > 0 ? (unsigned char)payload[0] : 0);
}

/* Returns datagrams taken; 0 where there were none. */
static int take_one(int socket)
{
    socklen_t length = sizeof peers[0];
    ssize_t got = recvfrom(socket, buffers[0], SLOT_BYTES, MSG_DONTWAIT, (struct sockaddr *)&peers[0], &length);
    if (got < 0) return 0;
    visit(&peers[0], buffers[0], got);
    return 1;
}

static int take_many(int socket)
{
    static int used = VECTOR;
    for (int i = 0; i < used; i++) headers[i].msg_hdr.msg_namelen = sizeof peers[0];
    used = 0;
    int got = recvmmsg(socket, headers, VECTOR, MSG_DONTWAIT, NULL);
    if (got <= 0) return 0;
    used = got;
    for (int i = 0; i < got; i++) visit(&peers[i], buffers[i], headers[i].msg_len);
    return got;
}

static int take(int way, int socket)
{
    int sum = 0, got;
    switch (way) {
    case 0: return take_one(socket);
    case 1: return take_many(socket);
    case 2:
        while (take_one(socket)) sum++;
        return sum;
    default:
        do sum += got = take_many(socket); while (got == VECTOR);
        return sum;
    }
}

static long drain(int epoll, int way)
{
    struct epoll_event events[EVENTS];
    long sum = 0;
    for (;;) {
        int ready = epoll_wait(epoll, events, EVENTS, 0);
        if (ready <= 0) return sum;
        for (int i = 0; i < ready; i++) sum += take(way, events[i].data.fd);
    }
}

static void arm(int epoll, const int *sockets, int count, int way, int operation)
{
    for (int i = 0; i < count; i++) {
        struct epoll_event event = {.events = EPOLLIN | (way >= 2 ? EPOLLET : 0), .data.fd = sockets[i]};
        if (epoll_ctl(epoll, operation, sockets[i], &event)) die("epoll_ctl");
    }
}

static int open_socket(struct sockaddr_in *address)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) die("socket (ulimit -n)");
    socklen_t length = sizeof *address;
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(fd, (struct sockaddr *)address, length)) die("bind");
    if (getsockname(fd, (struct sockaddr *)address, &length)) die("getsockname");
    return fd;
}

static void *sleep_for_ever(void *unused)
{
    for (;;) pause();
    return unused;
}

static int argument(int count, char **values, int index, int fallback)
{
    return count > index ? atoi(values[index]) : fallback;
}

int main(int argc, char **argv)
{
    int count = argument(argc, argv, 1, 10000), queued = argument(argc, argv, 2, 1);
    int rounds = argument(argc, argv, 3, 15), size = argument(argc, argv, 4, 64), cpu = argument(argc, argv, 5, 1);
    int threads = argument(argc, argv, 6, 2);
    if (count < 1 || queued < 1 || rounds < 1 || rounds > ROUNDS_MAX || size < 1 || size > SLOT_BYTES) {
        fprintf(stderr, "usage: epollsockets [SOCKETS [QUEUED [ROUNDS [SIZE [CPU [THREADS]]]]]]\n");
        return 2;
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);

    for (pthread_t thread; threads > 1; threads--)
        if (pthread_create(&thread, NULL, sleep_for_ever, NULL)) die("pthread_create");

    int *sockets = calloc(count, sizeof *sockets);
    struct sockaddr_in *addresses = calloc(count, sizeof *addresses);
    for (int i = 0; i < count; i++) sockets[i] = open_socket(&addresses[i]);
    for (int i = 0; i < VECTOR; i++) {
        pieces[i] = (struct iovec){buffers[i], SLOT_BYTES};
        headers[i].msg_hdr = (struct msghdr){.msg_name = &peers[i], .msg_iov = &pieces[i], .msg_iovlen = 1};
    }
    struct sockaddr_in own;
    int sender = open_socket(&own), epoll = epoll_create1(EPOLL_CLOEXEC);
    static char payload[SLOT_BYTES];
    static double times[WAYS][ROUNDS_MAX];
    arm(epoll, sockets, count, 0, EPOLL_CTL_ADD);
    for (int round = -1; round < rounds; round++) {
        for (int turn = 0; turn < WAYS; turn++) {
            int way = round % 2 ? WAYS - 1 - turn : turn;
            arm(epoll, sockets, count, way, EPOLL_CTL_MOD);
            for (int i = 0; i < count; i++)
                for (int k = 0; k < queued; k++)
                    if (sendto(sender, payload, size, 0, (struct sockaddr *)&addresses[i], sizeof own) < 0)
                        die("sendto");
            double start = now();
            long got = drain(epoll, way);
            double spent = now() - start;
            if (got != (long)count * queued) {
                fprintf(stderr, "%s: %ld of %ld datagrams came\n", way_names[way], got, (long)count * queued);
                return 1;
            }
            if (round >= 0) times[way][round] = spent / got;
        }
    }
    for (int way = 0; way < WAYS; way++) {
        qsort(times[way], rounds, sizeof(double), compare);
        printf("%6d sockets, %3d queued, %4d bytes, %s: %7.1f ns per datagram (%.1f to %.1f)\n", count, queued, size,
               way_names[way], times[way][rounds / 2], times[way][0], times[way][rounds - 1]);
    }
    return checksum == 1;
}
