/*
 * Can the sockets of a port share its traffic by CPU? From Windows 8 on, WSAIoctl with SIO_CPU_AFFINITY, before bind,
 * ties a socket to a CPU, and several sockets may then have the same address ("Winsock IOCTLs"). Steering by CPU on
 * Windows and its tests need it.
 */
#include "ask.h"

#ifndef SIO_CPU_AFFINITY
#define SIO_CPU_AFFINITY _WSAIOW(IOC_VENDOR, 21)
#endif

int main(void)
{
    start();
    SOCKET asked = open_udp(AF_INET);
    USHORT cpu = 0;
    DWORD length;
    int error = error_of(WSAIoctl(asked, SIO_CPU_AFFINITY, &cpu, sizeof cpu, NULL, 0, &length, NULL, NULL));
    answer(error == 0, "WSAIoctl SIO_CPU_AFFINITY: error %d", error);
}
