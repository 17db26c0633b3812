/*
 * Does WSAIoctl with SIO_UDP_CONNRESET switch the reports of ICMP port unreachable on and off? On Windows the receive
 * after a send to a closed port fails with WSAECONNRESET while it is on, and does not while it is off ("Winsock
 * IOCTLs", SIO_UDP_CONNRESET). Tests of the option ReportPortUnreachable on Windows need it.
 */
#include "ask.h"

#ifndef SIO_UDP_CONNRESET
#define SIO_UDP_CONNRESET _WSAIOW(IOC_VENDOR, 12)
#endif

/* The result of a receive after a send to a closed port, with the reports on or off. */
static int receive_with(BOOL on, int *error)
{
    SOCKADDR_IN closed = closed_port();
    SOCKET asked = bind_udp("127.0.0.1", 0);
    DWORD length;
    char byte;
    *error = error_of(WSAIoctl(asked, SIO_UDP_CONNRESET, &on, sizeof on, NULL, 0, &length, NULL, NULL));
    send_to(asked, "x", 1, &closed);
    is_readable(asked);
    return receive_now(asked, &byte, 1);
}

int main(void)
{
    start();
    int error_on, error_off;
    int on = receive_with(TRUE, &error_on);
    int off = receive_with(FALSE, &error_off);
    answer(
        on == -WSAECONNRESET && off == -WSAEWOULDBLOCK,
        "SIO_UDP_CONNRESET on: error %d, then recv %d; off: error %d, then recv %d",
        error_on, on, error_off, off);
}
