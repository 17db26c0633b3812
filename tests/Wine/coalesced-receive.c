/*
 * Does the system return several datagrams of one peer as one buffer (UDP receive offload, URO)? From Windows 10
 * version 2004 on, it does so after setsockopt UDP_RECV_MAX_COALESCED_SIZE ("IPPROTO_UDP socket options"). Coalesced
 * receive, its probe and its tests need it.
 */
#include "ask.h"

enum { OPTION = 3 /* UDP_RECV_MAX_COALESCED_SIZE */ };

int main(void)
{
    start();
    SOCKET asked = bind_udp("127.0.0.1", 0);
    DWORD most = 65535;
    int error = error_of(setsockopt(asked, IPPROTO_UDP, OPTION, (char *)&most, sizeof most));
    answer(error == 0, "setsockopt UDP_RECV_MAX_COALESCED_SIZE: error %d", error);
}
