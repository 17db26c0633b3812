/*
 * Can an interface be named by its index where a group of IPv4 is joined and sent to? On Windows an address 0.x.x.x in
 * IP_ADD_MEMBERSHIP and IP_MULTICAST_IF is an index ("IPPROTO_IP socket options"), and System.Net.Sockets uses that.
 * Tests need it that join a group by an index (JoinMulticast, SetMulticastInterface).
 */
#include "ask.h"

enum { LOOPBACK_INDEX = 1 /* On Windows and under Wine on Linux the loopback interface is the first. */ };

int main(void)
{
    start();
    SOCKET asked = bind_udp("127.0.0.1", 0);
    struct ip_mreq group = {.imr_interface.s_addr = htonl(LOOPBACK_INDEX)};
    group.imr_multiaddr = address_of("239.255.3.4", 0).sin_addr;
    int join = error_of(setsockopt(asked, IPPROTO_IP, IP_ADD_MEMBERSHIP, (char *)&group, sizeof group));
    group.imr_interface = address_of("127.0.0.1", 0).sin_addr;
    int joined_by_address = error_of(setsockopt(asked, IPPROTO_IP, IP_ADD_MEMBERSHIP, (char *)&group, sizeof group));
    if (joined_by_address != 0 && join != 0) give_up("IP_ADD_MEMBERSHIP by 127.0.0.1");
    DWORD index = htonl(LOOPBACK_INDEX);
    int send = error_of(setsockopt(asked, IPPROTO_IP, IP_MULTICAST_IF, (char *)&index, sizeof index));
    answer(
        join == 0 && send == 0,
        "index %d: IP_ADD_MEMBERSHIP error %d (by the address 127.0.0.1: %d), IP_MULTICAST_IF error %d",
        LOOPBACK_INDEX, join, joined_by_address, send);
}
