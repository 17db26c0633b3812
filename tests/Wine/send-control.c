/*
 * Does WSASendMsg heed its control messages? On Windows one of type IP_PKTINFO chooses the source address of the
 * datagram ("WSASendMsg function", winsock2.h; "IPPROTO_IP socket options"). Wine accepts all messages and ignores
 * them. Replies from the address that was asked (SendControl, TryReserveReply) need it with a backend of WSASendMsg.
 */
#include "ask.h"

#ifndef IP_PKTINFO
#define IP_PKTINFO 19
#endif

int main(void)
{
    start();
    SOCKET receiver = bind_udp("127.0.0.1", 0);
    SOCKET sender = bind_udp("0.0.0.0", 0);
    SOCKADDR_IN peer = name_of(receiver), wanted = address_of("127.0.0.2", 0), from;
    IN_PKTINFO source = {.ipi_addr = wanted.sin_addr};
    int error = send_with_control(sender, &peer, "x", 1, IPPROTO_IP, IP_PKTINFO, &source, sizeof source);
    if (error == 0 && !is_readable(receiver)) give_up("select: no datagram came");

    char byte, text[INET_ADDRSTRLEN] = "nowhere";
    int length = sizeof from;
    from.sin_addr.s_addr = INADDR_ANY;
    if (error == 0 && recvfrom(receiver, &byte, 1, 0, (SOCKADDR *)&from, &length) != 1) give_up("recvfrom");
    inet_ntop(AF_INET, &from.sin_addr, text, sizeof text);
    answer(
        error == 0 && from.sin_addr.s_addr == wanted.sin_addr.s_addr,
        "WSASendMsg with IP_PKTINFO 127.0.0.2: error %d, the datagram came from %s", error, text);
}
