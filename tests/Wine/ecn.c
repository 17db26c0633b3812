/*
 * Does WSARecvMsg return the ECN bits of a datagram? From build 20348 on, Windows does so after setsockopt IP_ECN, also
 * named IP_RECVECN ("WSASetRecvIPEcn function", ws2tcpip.h). Tests need it that read the ECN bits of a traffic class on
 * Windows. The line also shows the answer to the older IP_RECVTOS.
 */
#include "ask.h"

enum { OPTION = 50 /* IP_ECN, IPV6_ECN */, TOS = 0xB9 };

#ifndef IP_RECVTOS
#define IP_RECVTOS 40
#endif

int main(void)
{
    start();
    SOCKET receiver = bind_udp("127.0.0.1", 0);
    SOCKET sender = bind_udp("127.0.0.1", 0);
    SOCKADDR_IN peer = name_of(receiver);
    DWORD on = 1, tos = TOS;
    int ecn = error_of(setsockopt(receiver, IPPROTO_IP, OPTION, (char *)&on, sizeof on));
    int ecn6 = error_of(setsockopt(open_udp(AF_INET6), IPPROTO_IPV6, OPTION, (char *)&on, sizeof on));
    int told = error_of(setsockopt(receiver, IPPROTO_IP, IP_RECVTOS, (char *)&on, sizeof on));
    int chosen = error_of(setsockopt(sender, IPPROTO_IP, IP_TOS, (char *)&tos, sizeof tos));
    send_to(sender, "x", 1, &peer);
    if (!is_readable(receiver)) give_up("select: no datagram came");

    LPFN_WSARECVMSG receive_message = (LPFN_WSARECVMSG)extension(receiver, (GUID)WSAID_WSARECVMSG);
    char payload[8], control[256];
    WSABUF buffer = {.len = sizeof payload, .buf = payload};
    SOCKADDR_IN from;
    WSAMSG message = {
        .name = (SOCKADDR *)&from,
        .namelen = sizeof from,
        .lpBuffers = &buffer,
        .dwBufferCount = 1,
        .Control = {.len = sizeof control, .buf = control},
    };
    DWORD length;
    if (receive_message(receiver, &message, &length, NULL, NULL) != 0) give_up("WSARecvMsg");
    int ecn_value = -1, tos_value = -1;
    for (WSACMSGHDR *one = WSA_CMSG_FIRSTHDR(&message); one != NULL; one = WSA_CMSG_NXTHDR(&message, one))
    {
        if (one->cmsg_level != IPPROTO_IP) continue;
        if (one->cmsg_type == OPTION) ecn_value = *(int *)WSA_CMSG_DATA(one);
        if (one->cmsg_type == IP_TOS || one->cmsg_type == IP_RECVTOS) tos_value = *(int *)WSA_CMSG_DATA(one);
    }
    answer(
        ecn == 0 && ecn6 == 0 && ecn_value >= 0,
        "setsockopt IP_ECN: error %d, IPV6_ECN: error %d, ECN told: %d; sent with IP_TOS 0x%X (error %d), IP_RECVTOS: "
        "error %d, TOS told: %d",
        ecn, ecn6, ecn_value, TOS, chosen, told, tos_value);
}
