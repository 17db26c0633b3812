/*
 * Does WSAIoctl know SIO_UDP_NETRESET? On Windows it switches the reports of ICMP time exceeded on and off
 * (WSAENETRESET; "Winsock IOCTLs", SIO_UDP_NETRESET). Spate switches them off at each socket, as far as the system
 * can (SocketSetup.SilenceIcmpErrors).
 */
#include "ask.h"

#ifndef SIO_UDP_NETRESET
#define SIO_UDP_NETRESET _WSAIOW(IOC_VENDOR, 15)
#endif

int main(void)
{
    start();
    SOCKET asked = bind_udp("127.0.0.1", 0);
    BOOL on = FALSE;
    DWORD length;
    int error = error_of(WSAIoctl(asked, SIO_UDP_NETRESET, &on, sizeof on, NULL, 0, &length, NULL, NULL));
    answer(error == 0, "WSAIoctl SIO_UDP_NETRESET: error %d", error);
}
