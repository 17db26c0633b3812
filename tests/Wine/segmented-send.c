/*
 * Does the system cut one send into datagrams (UDP segmentation offload, USO)? From Windows 10 version 2004 on, it does
 * so for the socket option UDP_SEND_MSG_SIZE and for a control message of that type in WSASendMsg ("IPPROTO_UDP socket
 * options", "WSASendMsg function"). Segmented send, its probe and the tests of GSO messages need it.
 */
#include "ask.h"

enum { OPTION = 2 /* UDP_SEND_MSG_SIZE */, SEGMENT_BYTES = 1000, SEGMENT_COUNT = 3 };

static char payload[SEGMENT_BYTES * SEGMENT_COUNT];

int main(void)
{
    start();
    SOCKET receiver = bind_udp("127.0.0.1", 0);
    SOCKET sender = bind_udp("127.0.0.1", 0);
    SOCKADDR_IN peer = name_of(receiver);
    DWORD segment = SEGMENT_BYTES;
    int option = error_of(setsockopt(sender, IPPROTO_UDP, OPTION, (char *)&segment, sizeof segment));
    segment = 0;
    setsockopt(sender, IPPROTO_UDP, OPTION, (char *)&segment, sizeof segment);

    segment = SEGMENT_BYTES;
    int error = send_with_control(
        sender, &peer, payload, sizeof payload, IPPROTO_UDP, OPTION, &segment, sizeof segment);

    static char room[sizeof payload + 1];
    int first = error == 0 && is_readable(receiver) ? receive_now(receiver, room, sizeof room) : 0;
    answer(
        option == 0 && first == SEGMENT_BYTES,
        "setsockopt UDP_SEND_MSG_SIZE: error %d; WSASendMsg of %d bytes with that size %d as a message: error %d, "
        "first datagram %d bytes",
        option, (int)sizeof payload, SEGMENT_BYTES, error, first);
}
