/*
 * Does an overlapped receive still end after an ICMP error has ended an earlier one? On Windows an error of an earlier
 * send does not change the socket ("WSARecv function", winsock2.h). Wine never polls a connected socket again after its
 * first error, so a datagram ends no receive or select that already waits. Tests need it that await a peer whose port
 * was closed before.
 */
#include "ask.h"

/* Begins an overlapped receive; the event of the returned structure is set when it ends. */
static void begin(SOCKET socket, WSABUF *buffer, OVERLAPPED *overlapped)
{
    DWORD flags = 0;
    *overlapped = (OVERLAPPED){.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL)};
    int result = WSARecv(socket, buffer, 1, NULL, &flags, overlapped, NULL);
    if (result != 0 && WSAGetLastError() != WSA_IO_PENDING) give_up("WSARecv");
}

/* The number of bytes, the error as a negative number, or minus WAIT_TIMEOUT. */
static int end_of(SOCKET socket, OVERLAPPED *overlapped)
{
    DWORD length, flags;
    if (WaitForSingleObject(overlapped->hEvent, LIMIT_MILLISECONDS) != WAIT_OBJECT_0) return -WAIT_TIMEOUT;
    return WSAGetOverlappedResult(socket, overlapped, &length, FALSE, &flags) ? (int)length : -WSAGetLastError();
}

int main(void)
{
    start();
    SOCKADDR_IN closed = closed_port();
    SOCKET asked = bind_udp("127.0.0.1", 0);
    SOCKADDR_IN name = name_of(asked);
    char room[8];
    WSABUF buffer = {.len = sizeof room, .buf = room};
    OVERLAPPED first, second;
    if (connect(asked, (SOCKADDR *)&closed, sizeof closed) != 0) give_up("connect");

    begin(asked, &buffer, &first);
    if (send(asked, "x", 1, 0) != 1) give_up("send");
    int error = end_of(asked, &first);
    if (error >= 0 || error == -WAIT_TIMEOUT) give_up("WSARecv: no ICMP error ended it");

    SOCKET revived = bind_udp("127.0.0.1", ntohs(closed.sin_port));
    begin(asked, &buffer, &second);
    send_to(revived, "hello", 5, &name);
    int received = end_of(asked, &second);
    answer(
        received == 5,
        "WSARecv on a connected socket: ended by an ICMP error with %d; the next WSARecv, when a datagram came: %d",
        error, received);
}
