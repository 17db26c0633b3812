/*
 * Does the system have Registered I/O? Windows 8 and later return its functions from WSAIoctl with
 * SIO_GET_MULTIPLE_EXTENSION_FUNCTION_POINTER and WSAID_MULTIPLE_RIO ("RIO_EXTENSION_FUNCTION_TABLE structure",
 * mswsock.h). The backend Rio and all its tests need it.
 */
#include "ask.h"

/* Names that the headers of MinGW-w64 lack. */
#define GET_SEVERAL_FUNCTIONS _WSAIORW(IOC_WS2, 36) /* SIO_GET_MULTIPLE_EXTENSION_FUNCTION_POINTER */
#define FLAG_REGISTERED_IO 0x100 /* WSA_FLAG_REGISTERED_IO */

typedef struct
{
    DWORD size;
    void *functions[13];
} rio_functions; /* RIO_EXTENSION_FUNCTION_TABLE */

static GUID multiple_rio = {0x8509e081, 0x96dd, 0x4005, {0xb1, 0x65, 0x9e, 0x2e, 0xe8, 0xc7, 0x9e, 0x3f}};

int main(void)
{
    start();
    SOCKET asked = WSASocketW(AF_INET, SOCK_DGRAM, IPPROTO_UDP, NULL, 0, WSA_FLAG_OVERLAPPED | FLAG_REGISTERED_IO);
    int opened = asked == INVALID_SOCKET ? WSAGetLastError() : 0;
    if (opened != 0) asked = open_udp(AF_INET);
    rio_functions table = {.size = sizeof table};
    DWORD length;
    int error = error_of(WSAIoctl(
        asked, GET_SEVERAL_FUNCTIONS, &multiple_rio, sizeof multiple_rio, &table, sizeof table, &length, NULL, NULL));
    answer(
        opened == 0 && error == 0,
        "WSASocketW WSA_FLAG_REGISTERED_IO: error %d; "
        "WSAIoctl SIO_GET_MULTIPLE_EXTENSION_FUNCTION_POINTER WSAID_MULTIPLE_RIO: error %d",
        opened, error);
}
