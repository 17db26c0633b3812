/*
 * Is a bind to an address refused that the machine does not have? Windows says WSAEADDRNOTAVAIL ("bind function",
 * winsock2.h). Wine binds a UDP socket to the wildcard address in place of any IPv4 address but 127.0.0.1, and returns
 * the wanted one from getsockname. The tests Bind_AddressOfAnotherMachine_... need it; nothing is sent here.
 */
#include "ask.h"

int main(void)
{
    start();
    SOCKET asked = open_udp(AF_INET);
    SOCKADDR_IN other = address_of("192.0.2.1", 0);
    int error = error_of(bind(asked, (SOCKADDR *)&other, sizeof other));
    answer(error == WSAEADDRNOTAVAIL, "bind to 192.0.2.1: error %d", error);
}
