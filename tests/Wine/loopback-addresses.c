/*
 * Can sockets use the addresses of 127.0.0.0/8 apart from each other? On Windows the address given to bind becomes the
 * local address of the socket ("bind function", winsock2.h), and each of 127.0.0.0/8 belongs to the machine: datagrams
 * carry it as their source, and another address may have the same port. Wine binds the wildcard address in place of all
 * but 127.0.0.1. Tests need it that distinguish peers by such addresses, or that send from one.
 */
#include "ask.h"

int main(void)
{
    start();
    SOCKET receiver = bind_udp("127.0.0.1", 0);
    SOCKET sender = bind_udp("127.0.0.21", 0);
    SOCKADDR_IN peer = name_of(receiver), own = name_of(sender), from;
    SOCKADDR_IN same_port = address_of("127.0.0.22", ntohs(own.sin_port));
    SOCKET second = open_udp(AF_INET);
    int error = error_of(bind(second, (SOCKADDR *)&same_port, sizeof same_port));
    send_to(sender, "x", 1, &peer);
    if (!is_readable(receiver)) give_up("select: no datagram came");
    char byte, text[INET_ADDRSTRLEN];
    int length = sizeof from;
    if (recvfrom(receiver, &byte, 1, 0, (SOCKADDR *)&from, &length) != 1) give_up("recvfrom");
    inet_ntop(AF_INET, &from.sin_addr, text, sizeof text);
    answer(
        error == 0 && from.sin_addr.s_addr == own.sin_addr.s_addr,
        "bound to 127.0.0.21, the datagram came from %s; bind of 127.0.0.22 to the same port: error %d", text, error);
}
