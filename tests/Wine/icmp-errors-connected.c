/*
 * Does an ICMP error (port unreachable) end the wait of a thread on a connected socket? On Windows select shows the
 * socket readable and the receive fails with WSAECONNRESET ("recv function", winsock2.h). Wine takes the error from the
 * host's socket itself and ends only an overlapped receive, with WSAECONNREFUSED in place of WSAECONNRESET.
 * Tests of a closed port at the other end need it (ReportPortUnreachable).
 */
#include "ask.h"

int main(void)
{
    start();
    SOCKADDR_IN closed = closed_port();
    SOCKET asked = bind_udp("127.0.0.1", 0);
    char byte;
    if (connect(asked, (SOCKADDR *)&closed, sizeof closed) != 0) give_up("connect");
    if (send(asked, "x", 1, 0) != 1) give_up("send");
    BOOL ready = is_readable(asked);
    int received = receive_now(asked, &byte, 1);
    answer(
        ready && received == -WSAECONNRESET,
        "send on a socket connected to a closed port: select %s, recv %d",
        ready ? "readable" : "not readable in the limit", received);
}
