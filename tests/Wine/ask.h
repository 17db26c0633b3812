/*
 * The shared part of the programs in this folder. Each asks Wine for one thing that Windows documents, prints one line
 * with the system's answer, and ends with LACKS if Wine lacks the thing, with HAS if Wine has it, and with NOT_ASKED if
 * the question could not be put. After HAS, the tests that are skipped for the key must run again. All traffic stays
 * on loopback. To build and run one:
 *
 *     x86_64-w64-mingw32-gcc -O1 -Wall -Wextra -Werror -o ecn.exe ecn.c -lws2_32 && wine ecn.exe; echo $?
 */
#ifndef ASK_H
#define ASK_H

#include <winsock2.h>
#include <ws2tcpip.h>
#include <mswsock.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LACKS = 0, HAS = 1, NOT_ASKED = 2 };

/* How long something may take that loopback does at once, so that a busy machine is not taken for a lack. */
enum { LIMIT_MILLISECONDS = 2000 };

/* Ends the program: the question could not be put. */
static inline void give_up(const char *call)
{
    printf("not asked: %s, error %d\n", call, WSAGetLastError());
    exit(NOT_ASKED);
}

/* Ends the program with the answer. */
static inline void answer(BOOL has, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vprintf(format, values);
    va_end(values);
    printf(" (%s)\n", has ? "has it" : "lacks it");
    exit(has ? HAS : LACKS);
}

/* The error of a Winsock call that returned this, or 0. */
static inline int error_of(int result)
{
    return result == SOCKET_ERROR ? WSAGetLastError() : 0;
}

static inline void start(void)
{
    WSADATA data;
    if (WSAStartup(MAKEWORD(2, 2), &data) != 0) give_up("WSAStartup");
}

static inline SOCKADDR_IN address_of(const char *text, int port)
{
    SOCKADDR_IN address = {.sin_family = AF_INET, .sin_port = htons((u_short)port)};
    if (inet_pton(AF_INET, text, &address.sin_addr) != 1) give_up("inet_pton");
    return address;
}

static inline SOCKADDR_IN name_of(SOCKET socket)
{
    SOCKADDR_IN name;
    int length = sizeof name;
    if (getsockname(socket, (SOCKADDR *)&name, &length) != 0) give_up("getsockname");
    return name;
}

/* A UDP socket for overlapped calls, not bound. */
static inline SOCKET open_udp(int family)
{
    SOCKET made = WSASocketW(family, SOCK_DGRAM, IPPROTO_UDP, NULL, 0, WSA_FLAG_OVERLAPPED);
    if (made == INVALID_SOCKET) give_up("WSASocketW");
    return made;
}

static inline SOCKET bind_udp(const char *text, int port)
{
    SOCKET made = open_udp(AF_INET);
    SOCKADDR_IN address = address_of(text, port);
    if (bind(made, (SOCKADDR *)&address, sizeof address) != 0) give_up("bind");
    return made;
}

/* An address on loopback to which nobody listens. */
static inline SOCKADDR_IN closed_port(void)
{
    SOCKET bound = bind_udp("127.0.0.1", 0);
    SOCKADDR_IN name = name_of(bound);
    closesocket(bound);
    return name;
}

static inline void send_to(SOCKET socket, const void *payload, int length, const SOCKADDR_IN *peer)
{
    if (sendto(socket, payload, length, 0, (const SOCKADDR *)peer, sizeof *peer) != length) give_up("sendto");
}

/* Whether select finds the socket readable within the limit. */
static inline BOOL is_readable(SOCKET socket)
{
    struct timeval limit = {.tv_sec = LIMIT_MILLISECONDS / 1000};
    fd_set set;
    FD_ZERO(&set);
    FD_SET(socket, &set);
    int count = select(0, &set, NULL, NULL, &limit);
    if (count == SOCKET_ERROR) give_up("select");
    return count == 1;
}

/* A receive that does not wait: the number of bytes, or the error as a negative number. */
static inline int receive_now(SOCKET socket, void *buffer, int length)
{
    u_long on = 1;
    if (ioctlsocket(socket, FIONBIO, &on) != 0) give_up("ioctlsocket FIONBIO");
    int received = recv(socket, buffer, length, 0);
    return received == SOCKET_ERROR ? -WSAGetLastError() : received;
}

/* An extension function of Winsock, by its identifier. */
static inline void *extension(SOCKET socket, GUID id)
{
    void *function = NULL;
    DWORD length;
    int result = WSAIoctl(
        socket, SIO_GET_EXTENSION_FUNCTION_POINTER, &id, sizeof id, &function, sizeof function, &length, NULL, NULL);
    if (result != 0) give_up("WSAIoctl SIO_GET_EXTENSION_FUNCTION_POINTER");
    return function;
}

/* Sends a datagram by WSASendMsg with one control message: 0, or the error. */
static inline int send_with_control(
    SOCKET socket, SOCKADDR_IN *peer, char *payload, int length, int level, int type, const void *data, int data_length)
{
    LPFN_WSASENDMSG send_message = (LPFN_WSASENDMSG)extension(socket, (GUID)WSAID_WSASENDMSG);
    char control[128] = {0};
    WSABUF buffer = {.len = (ULONG)length, .buf = payload};
    WSAMSG message = {
        .name = (SOCKADDR *)peer,
        .namelen = sizeof *peer,
        .lpBuffers = &buffer,
        .dwBufferCount = 1,
        .Control = {.len = (ULONG)WSA_CMSG_SPACE(data_length), .buf = control},
    };
    WSACMSGHDR *header = WSA_CMSG_FIRSTHDR(&message);
    header->cmsg_len = WSA_CMSG_LEN(data_length);
    header->cmsg_level = level;
    header->cmsg_type = type;
    memcpy(WSA_CMSG_DATA(header), data, data_length);
    DWORD sent = 0;
    return error_of(send_message(socket, &message, 0, &sent, NULL, NULL));
}

#endif
