/*
 * Does an ICMP error (port unreachable) reach a socket that is not connected? On Windows the next receive then fails
 * with WSAECONNRESET ("recvfrom function", winsock2.h), and select shows the socket readable. Tests need it that count
 * the ICMP errors of an unconnected socket on Windows, or go on after them.
 */
#include "ask.h"

int main(void)
{
    start();
    SOCKADDR_IN closed = closed_port();
    SOCKET asked = bind_udp("127.0.0.1", 0);
    char byte;
    send_to(asked, "x", 1, &closed);
    BOOL ready = is_readable(asked);
    int received = receive_now(asked, &byte, 1);
    answer(
        ready && received == -WSAECONNRESET,
        "sendto a closed port: select %s, recv %d",
        ready ? "readable" : "not readable in the limit", received);
}
