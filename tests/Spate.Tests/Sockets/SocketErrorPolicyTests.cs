using System.Net.Sockets;
using Spate.Sockets;

namespace Spate.Tests.Sockets;

public sealed class SocketErrorPolicyTests
{
    private const int HighestCode = 12_000;

    // A second copy of the table, by number and by hand, so that no row changes unseen.
    private static readonly (int Code, string Receive, string SendOne, string SendGso)[] Table =
    [
        (5, "PendingError", "RefuseDatagram", "RefuseDatagram"),      // ERROR_ACCESS_DENIED
        (6, "Closed", "Closed", "Closed"),                            // ERROR_INVALID_HANDLE
        (8, "NoBuffers", "NoBuffers", "NoBuffers"),                   // ERROR_NOT_ENOUGH_MEMORY
        (14, "NoBuffers", "NoBuffers", "NoBuffers"),                  // ERROR_OUTOFMEMORY
        (64, "PendingError", "PendingError", "PendingError"),         // ERROR_NETNAME_DELETED
        (87, "BackOff", "RefuseDatagram", "TryPlainly"),              // ERROR_INVALID_PARAMETER
        (122, "PendingError", "RefuseDatagram", "TryPlainly"),        // ERROR_INSUFFICIENT_BUFFER
        (234, "PendingError", "RefuseDatagram", "TryPlainly"),        // ERROR_MORE_DATA
        (995, "Closed", "Closed", "Closed"),                          // WSA_OPERATION_ABORTED
        (997, "WouldBlock", "WouldBlock", "WouldBlock"),              // WSA_IO_PENDING
        (998, "Bug", "Bug", "Bug"),                                   // ERROR_NOACCESS
        (1225, "PendingError", "PendingError", "PendingError"),       // ERROR_CONNECTION_REFUSED
        (1229, "BackOff", "RefuseDatagram", "RefuseDatagram"),        // ERROR_CONNECTION_INVALID
        (1231, "PendingError", "PendingError", "PendingError"),       // ERROR_NETWORK_UNREACHABLE
        (1232, "PendingError", "PendingError", "PendingError"),       // ERROR_HOST_UNREACHABLE
        (1233, "PendingError", "PendingError", "PendingError"),       // ERROR_PROTOCOL_UNREACHABLE
        (1234, "PendingError", "PendingError", "PendingError"),       // ERROR_PORT_UNREACHABLE
        (1235, "Closed", "Closed", "Closed"),                         // ERROR_REQUEST_ABORTED
        (1236, "PendingError", "PendingError", "PendingError"),       // ERROR_CONNECTION_ABORTED
        (1450, "NoBuffers", "NoBuffers", "NoBuffers"),                // ERROR_NO_SYSTEM_RESOURCES
        (1453, "NoBuffers", "NoBuffers", "NoBuffers"),                // ERROR_WORKING_SET_QUOTA
        (1454, "NoBuffers", "NoBuffers", "NoBuffers"),                // ERROR_PAGEFILE_QUOTA
        (1455, "NoBuffers", "NoBuffers", "NoBuffers"),                // ERROR_COMMITMENT_LIMIT
        (1784, "NoBuffers", "NoBuffers", "NoBuffers"),                // ERROR_INVALID_USER_BUFFER
        (1816, "NoBuffers", "NoBuffers", "NoBuffers"),                // ERROR_NOT_ENOUGH_QUOTA
        (10004, "Retry", "Retry", "Retry"),                           // WSAEINTR
        (10013, "PendingError", "RefuseDatagram", "RefuseDatagram"),  // WSAEACCES
        (10014, "Bug", "Bug", "Bug"),                                 // WSAEFAULT
        (10022, "BackOff", "RefuseDatagram", "TryPlainly"),           // WSAEINVAL
        (10035, "WouldBlock", "WouldBlock", "WouldBlock"),            // WSAEWOULDBLOCK
        (10038, "Closed", "Closed", "Closed"),                        // WSAENOTSOCK
        (10039, "BackOff", "RefuseDatagram", "RefuseDatagram"),       // WSAEDESTADDRREQ
        (10040, "PendingError", "RefuseDatagram", "TryPlainly"),      // WSAEMSGSIZE
        (10042, "PendingError", "PendingError", "FallBack"),          // WSAENOPROTOOPT
        (10047, "BackOff", "RefuseDatagram", "RefuseDatagram"),       // WSAEAFNOSUPPORT
        (10049, "BackOff", "RefuseDatagram", "RefuseDatagram"),       // WSAEADDRNOTAVAIL
        (10050, "PendingError", "RefuseDatagram", "RefuseDatagram"),  // WSAENETDOWN
        (10051, "PendingError", "PendingError", "PendingError"),      // WSAENETUNREACH
        (10052, "PendingError", "PendingError", "PendingError"),      // WSAENETRESET
        (10053, "PendingError", "PendingError", "PendingError"),      // WSAECONNABORTED
        (10054, "PendingError", "PendingError", "PendingError"),      // WSAECONNRESET
        (10055, "NoBuffers", "NoBuffers", "NoBuffers"),               // WSAENOBUFS
        (10056, "BackOff", "RefuseDatagram", "RefuseDatagram"),       // WSAEISCONN
        (10057, "BackOff", "RefuseDatagram", "RefuseDatagram"),       // WSAENOTCONN
        (10058, "Closed", "Closed", "Closed"),                        // WSAESHUTDOWN
        (10061, "PendingError", "PendingError", "PendingError"),      // WSAECONNREFUSED
        (10064, "PendingError", "PendingError", "PendingError"),      // WSAEHOSTDOWN
        (10065, "PendingError", "PendingError", "PendingError"),      // WSAEHOSTUNREACH
        (10093, "Bug", "Bug", "Bug"),                                 // WSANOTINITIALISED
        (11002, "WouldBlock", "WouldBlock", "WouldBlock"),            // WSATRY_AGAIN
    ];

    public static TheoryData<int, string, string, string> Rows => [.. Table];

    [Theory]
    [MemberData(nameof(Rows))]
    public void Of_KnownCode_FollowsTheTable(int code, string receive, string sendOne, string sendGso)
    {
        ErrorRow row = SocketErrorPolicy.Of(code);

        Assert.Equal((receive, sendOne, sendGso), ($"{row.Receive}", $"{row.SendOne}", $"{row.SendGso}"));
    }

    [Fact]
    public void Of_EveryOtherCode_NeverEndsALoopAndNeverBlocksTheRest()
    {
        ErrorRow expected = new(ErrnoAction.BackOff, ErrnoAction.RefuseDatagram, ErrnoAction.FallBack);
        IEnumerable<int> others = Enumerable.Range(0, HighestCode).Except(Table.Select(row => row.Code));
        foreach (int code in others.Concat([int.MinValue, -1, int.MaxValue]))
            Assert.True(expected == SocketErrorPolicy.Of(code), $"code {code}: {SocketErrorPolicy.Of(code)}");
    }

    [Fact]
    public void Of_EveryCode_IsAnActionThatFitsTheOperation()
    {
        for (int code = 0; code <= HighestCode; code++)
        {
            ErrorRow row = SocketErrorPolicy.Of(code);
            bool fits = row.Receive is not (
                    ErrnoAction.RefuseDatagram or ErrnoAction.FallBack or ErrnoAction.TryPlainly)
                && row.SendOne is not (ErrnoAction.FallBack or ErrnoAction.TryPlainly or ErrnoAction.BackOff)
                && row.SendGso != ErrnoAction.BackOff;
            Assert.True(fits, $"code {code}: {row} makes no sense");
        }
    }

    [Theory]
    [InlineData(0, SocketError.Success)]
    [InlineData(5, SocketError.AccessDenied)]
    [InlineData(6, SocketError.NotSocket)]
    [InlineData(8, SocketError.NoBufferSpaceAvailable)]
    [InlineData(50, SocketError.OperationNotSupported)]
    [InlineData(64, SocketError.ConnectionReset)]
    [InlineData(87, SocketError.InvalidArgument)]
    [InlineData(121, SocketError.TimedOut)]
    [InlineData(234, SocketError.MessageSize)]
    [InlineData(258, SocketError.TimedOut)]
    [InlineData(995, SocketError.OperationAborted)]
    [InlineData(997, SocketError.IOPending)]
    [InlineData(1225, SocketError.ConnectionRefused)]
    [InlineData(1231, SocketError.NetworkUnreachable)]
    [InlineData(1232, SocketError.HostUnreachable)]
    [InlineData(1233, SocketError.HostUnreachable)]
    [InlineData(1234, SocketError.ConnectionRefused)]
    [InlineData(1450, SocketError.NoBufferSpaceAvailable)]
    [InlineData(10040, SocketError.MessageSize)]
    [InlineData(10054, SocketError.ConnectionReset)]
    [InlineData(31, SocketError.SocketError)]
    [InlineData(int.MaxValue, SocketError.SocketError)]
    public void ToSocketError_Code_HasItsName(int code, SocketError expected) =>
        Assert.Equal(expected, SocketErrorPolicy.ToSocketError(code));

    [Fact]
    public void ToSocketError_EveryName_IsItself() => Assert.All(
        Enum.GetValues<SocketError>(), error => Assert.Equal(error, SocketErrorPolicy.ToSocketError((int)error)));

    [Theory]
    [InlineData(SocketError.MessageSize, true, false)]
    [InlineData(SocketError.AccessDenied, true, false)]
    [InlineData(SocketError.HostUnreachable, false, true)]
    [InlineData(SocketError.NetworkUnreachable, false, true)]
    [InlineData(SocketError.ConnectionReset, false, false)]
    [InlineData(SocketError.InvalidArgument, false, false)]
    public void MayBe_Error_TellsWhetherItIsDoubtful(SocketError error, bool mayBePending, bool mayBeRoute) =>
        Assert.Equal(
            (mayBePending, mayBeRoute),
            (SocketErrorPolicy.MayBePending((int)error), SocketErrorPolicy.MayBeRoute((int)error)));

    [Theory]
    [InlineData(1234, "ConnectionRefused (1234)")]
    [InlineData(10022, "InvalidArgument (10022)")]
    [InlineData(31, "SocketError (31)")]
    public void Describe_Code_HasNameAndNumber(int code, string expected) =>
        Assert.Equal(expected, SocketErrorPolicy.Describe(code));
}
