/* Segmented send: how a send is split, and what the knobs refuse. */
#include "check.h"

static SOCKET sender, receiver;
static char payload[8000];

/* Sends by WSASendMsg with a control message: the error, or 0. */
static int send_with(DWORD length, int level, int type, DWORD value)
{
    SOCKADDR_IN to = name_of(receiver);
    char control[WSA_CMSG_SPACE(sizeof(DWORD))] = {0};
    WSABUF parts[] = {{.len = length / 2, .buf = payload}, {.len = length - length / 2, .buf = payload + length / 2}};
    WSAMSG message = {
        .name = (SOCKADDR *)&to,
        .namelen = sizeof to,
        .lpBuffers = parts,
        .dwBufferCount = 2,
        .Control = {.len = sizeof control, .buf = control},
    };
    WSACMSGHDR *header = WSA_CMSG_FIRSTHDR(&message);
    *header = (WSACMSGHDR){.cmsg_len = WSA_CMSG_LEN(sizeof value), .cmsg_level = level, .cmsg_type = type};
    memcpy(WSA_CMSG_DATA(header), &value, sizeof value);
    DWORD sent = 0;
    int error = dll.WSASendMsg(sender, &message, 0, &sent, NULL, NULL) == 0 ? 0 : WSAGetLastError();
    if (error == 0) CHECK(sent == length);
    return error;
}

static int send_sized(DWORD length, DWORD size) { return send_with(length, IPPROTO_UDP, UDP_SEND_MSG_SIZE, size); }

static BOOL comes(int from, int length)
{
    char got[8001];
    return receive_text(receiver, got, sizeof got) == length && memcmp(got, payload + from, (size_t)length) == 0;
}

static void by_message(void)
{
    CHECK(send_sized(2500, 1000) == 0);
    CHECK(comes(0, 1000) && comes(1000, 1000) && comes(2000, 500));
    CHECK(COUNT(segmented_sends) == 1 && COUNT(segments) == 3);
    CHECK(send_sized(700, 1000) == 0 && comes(0, 700)); /* nothing to split */
    CHECK(COUNT(segmented_sends) == 1);
}

static void by_option(void)
{
    DWORD size = 1000, stored = 0;
    int length = sizeof stored;
    SOCKADDR_IN to = name_of(receiver);
    CHECK(dll.setsockopt(sender, IPPROTO_UDP, UDP_SEND_MSG_SIZE, (char *)&size, sizeof size) == 0);
    CHECK(dll.getsockopt(sender, IPPROTO_UDP, UDP_SEND_MSG_SIZE, (char *)&stored, &length) == 0 && stored == 1000);
    CHECK(dll.sendto(sender, payload, 1500, 0, (SOCKADDR *)&to, sizeof to) == 1500);
    CHECK(comes(0, 1000) && comes(1000, 500)); /* a plain send is split too */
    CHECK(send_sized(1200, 600) == 0 && comes(0, 600) && comes(600, 600)); /* the message goes before the option */
    size = 0;
    CHECK(dll.setsockopt(sender, IPPROTO_UDP, UDP_SEND_MSG_SIZE, (char *)&size, sizeof size) == 0);
    CHECK(dll.sendto(sender, payload, 1500, 0, (SOCKADDR *)&to, sizeof to) == 1500 && comes(0, 1500));
}

static void by_knobs(void)
{
    CHECK(send_sized(513, 1) == WSAEINVAL && COUNT(refused_sends) == 1); /* 512 segments */
    dll.set("single_refused", 1);
    CHECK(send_sized(700, 1000) == WSAEINVAL && send_sized(700, 500) == 0 && comes(0, 500) && comes(500, 200));
    dll.set("refused_above", 1400);
    dll.set("refused_error", WSAEMSGSIZE);
    CHECK(send_sized(3000, 1401) == WSAEMSGSIZE && send_sized(1500, 1400) == 0 && comes(0, 1400) && comes(1400, 100));
    dll.set("refused_port", ntohs(name_of(receiver).sin_port));
    CHECK(send_sized(3000, 1000) == WSAEMSGSIZE);
    CHECK(send_with(300, IPPROTO_IP, OPTION_ECN, 1) == 0 && comes(0, 300)); /* without a size it passes */
    dll.set("no_offload", 1);
    DWORD size = 1000;
    CHECK(dll.setsockopt(sender, IPPROTO_UDP, UDP_SEND_MSG_SIZE, (char *)&size, sizeof size) != 0); /* Wine's answer */
    dll.reset();
}

static void congestion(void)
{
    CHECK(send_with(10, IPPROTO_IP, OPTION_ECN, 3) == WSAEINVAL); /* Congestion Encountered */
    CHECK(send_with(10, IPPROTO_IP, OPTION_ECN, 2) == 0 && comes(0, 10));
}

void check_segments(void)
{
    sender = open_socket(0), receiver = open_socket(0);
    for (size_t at = 0; at < sizeof payload; at++) payload[at] = (char)(at * 7 + at / 256);
    by_message();
    by_option();
    by_knobs();
    congestion();
    dll.closesocket(sender), dll.closesocket(receiver);
    CHECK_CLEAN();
}
