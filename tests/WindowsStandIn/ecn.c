/* ECN bits by control messages, which Wine lacks: made of the traffic class, which it tells, and sets for a socket. */
#include "standin.h"

static SRWLOCK one_class = SRWLOCK_INIT; /* the class is the socket's, so a send that changes it is alone */

BOOL is_traffic_class(const WSACMSGHDR *message)
{
    return (message->cmsg_level == IPPROTO_IP && (message->cmsg_type == IP_TOS || message->cmsg_type == IP_RECVTOS))
        || (message->cmsg_level == IPPROTO_IPV6 && message->cmsg_type == IPV6_TCLASS);
}

/* learn: winsock/winsock-ecn: a message of type IP_ECN or IPV6_ECN, an INT with the two bits. */
BOOL ecn_of(const socket_state *state, const WSACMSGHDR *message, INT *bits)
{
    if (!state->tells_ecn || !is_traffic_class(message)) return FALSE;
    memcpy(bits, WSA_CMSG_DATA(message), sizeof *bits);
    *bits &= 3;
    return TRUE;
}

/* The same page: Congestion Encountered (3) is not for applications, and is refused with WSAEINVAL. */
int send_with_class(SOCKET socket, WSAMSG *message, int (*send)(void *of), void *of)
{
    INT value = -1, before = 0;
    int length = sizeof before, level = 0;
    for (WSACMSGHDR *at = WSA_CMSG_FIRSTHDR(message); at != NULL; at = WSA_CMSG_NXTHDR(message, at))
    {
        BOOL is_ecn = (at->cmsg_level == IPPROTO_IP || at->cmsg_level == IPPROTO_IPV6) && at->cmsg_type == OPTION_ECN;
        if (!is_ecn && !is_traffic_class(at)) continue;
        memcpy(&value, WSA_CMSG_DATA(at), sizeof value);
        level = at->cmsg_level;
        if (is_ecn && (value & 3) == 3) return WSAEINVAL;
    }
    if (value < 0) return send(of);
    int name = level == IPPROTO_IP ? IP_TOS : IPV6_TCLASS;
    AcquireSRWLockExclusive(&one_class);
    BOOL is_set = getsockopt(socket, level, name, (char *)&before, &length) == 0
        && setsockopt(socket, level, name, (char *)&value, sizeof value) == 0;
    int error = send(of);
    if (is_set) setsockopt(socket, level, name, (char *)&before, sizeof before);
    ReleaseSRWLockExclusive(&one_class);
    return error;
}
