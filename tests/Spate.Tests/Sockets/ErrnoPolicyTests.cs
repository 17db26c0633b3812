using System.Net.Sockets;
using Spate.Sockets;

namespace Spate.Tests.Sockets;

public sealed class ErrnoPolicyTests
{
    private const int HighestErrno = 133;

    // A second copy of the table, by number and by hand, so that no row changes unseen.
    private static readonly (int Errno, string Receive, string SendOne, string SendGso)[] Table =
    [
        (1, "BackOff", "RefuseDatagram", "RefuseDatagram"),         // EPERM
        (4, "Retry", "Retry", "Retry"),                             // EINTR
        (5, "BackOff", "RefuseDatagram", "FallBack"),            // EIO
        (9, "Closed", "Closed", "Closed"),                          // EBADF
        (11, "WouldBlock", "WouldBlock", "WouldBlock"),             // EAGAIN
        (12, "NoBuffers", "NoBuffers", "NoBuffers"),                // ENOMEM
        (13, "PendingError", "RefuseDatagram", "RefuseDatagram"),   // EACCES
        (14, "Bug", "Bug", "Bug"),                                  // EFAULT
        (19, "BackOff", "RefuseDatagram", "RefuseDatagram"),        // ENODEV
        (22, "BackOff", "RefuseDatagram", "TryPlainly"),            // EINVAL
        (32, "BackOff", "Closed", "Closed"),                        // EPIPE
        (64, "PendingError", "PendingError", "PendingError"),       // ENONET
        (71, "PendingError", "PendingError", "PendingError"),       // EPROTO
        (88, "Closed", "Closed", "Closed"),                         // ENOTSOCK
        (89, "BackOff", "RefuseDatagram", "RefuseDatagram"),        // EDESTADDRREQ
        (90, "PendingError", "RefuseDatagram", "TryPlainly"),       // EMSGSIZE
        (92, "PendingError", "PendingError", "PendingError"),       // ENOPROTOOPT
        (95, "PendingError", "PendingError", "PendingError"),       // EOPNOTSUPP
        (97, "BackOff", "RefuseDatagram", "RefuseDatagram"),        // EAFNOSUPPORT
        (99, "BackOff", "RefuseDatagram", "RefuseDatagram"),        // EADDRNOTAVAIL
        (100, "PendingError", "RefuseDatagram", "RefuseDatagram"),  // ENETDOWN
        (101, "PendingError", "PendingError", "PendingError"),      // ENETUNREACH
        (102, "PendingError", "PendingError", "PendingError"),      // ENETRESET
        (103, "PendingError", "PendingError", "PendingError"),      // ECONNABORTED
        (104, "PendingError", "PendingError", "PendingError"),      // ECONNRESET
        (105, "NoBuffers", "NoBuffers", "NoBuffers"),               // ENOBUFS
        (107, "BackOff", "RefuseDatagram", "RefuseDatagram"),       // ENOTCONN
        (111, "PendingError", "PendingError", "PendingError"),      // ECONNREFUSED
        (112, "PendingError", "PendingError", "PendingError"),      // EHOSTDOWN
        (113, "PendingError", "PendingError", "PendingError"),      // EHOSTUNREACH
    ];

    public static TheoryData<int, string, string, string> Rows => [.. Table];

    public static TheoryData<int> UnknownErrnos =>
    [
        .. Enumerable.Range(1, HighestErrno).Except(Table.Select(row => row.Errno)),
        int.MinValue, -1, 0, HighestErrno + 1, 512, int.MaxValue,
    ];

    [Theory]
    [MemberData(nameof(Rows))]
    public void Of_KnownErrno_FollowsTheTable(int errno, string receive, string sendOne, string sendGsoMessage) =>
        AssertRow(errno, receive, sendOne, sendGsoMessage);

    [Theory]
    [MemberData(nameof(UnknownErrnos))]
    public void Of_UnknownErrno_NeverEndsALoopAndNeverBlocksTheRest(int errno) =>
        AssertRow(errno, "BackOff", "RefuseDatagram", "FallBack");

    [Fact]
    public void Of_EveryErrno_IsADefinedActionThatFitsTheOperation()
    {
        for (int errno = 1; errno <= HighestErrno; errno++)
        {
            ErrorRow actions = ErrnoPolicy.Of(errno);
            Assert.All(
                [actions.Receive, actions.SendOne, actions.SendGso], action => Assert.True(Enum.IsDefined(action)));
            bool fits = actions.Receive is not (
                    ErrnoAction.RefuseDatagram or ErrnoAction.FallBack or ErrnoAction.TryPlainly)
                && actions.SendOne is not (ErrnoAction.FallBack or ErrnoAction.TryPlainly or ErrnoAction.BackOff)
                && actions.SendGso != ErrnoAction.BackOff;
            Assert.True(fits, $"errno {errno}: {actions} makes no sense");
        }
    }

    [Theory]
    [InlineData(0, SocketError.Success)]
    [InlineData(1, SocketError.AccessDenied)]
    [InlineData(4, SocketError.Interrupted)]
    [InlineData(5, SocketError.SocketError)]
    [InlineData(9, SocketError.OperationAborted)]
    [InlineData(11, SocketError.WouldBlock)]
    [InlineData(12, SocketError.NoBufferSpaceAvailable)]
    [InlineData(13, SocketError.AccessDenied)]
    [InlineData(14, SocketError.Fault)]
    [InlineData(22, SocketError.InvalidArgument)]
    [InlineData(23, SocketError.TooManyOpenSockets)]
    [InlineData(24, SocketError.TooManyOpenSockets)]
    [InlineData(32, SocketError.Shutdown)]
    [InlineData(38, SocketError.OperationNotSupported)]
    [InlineData(64, SocketError.HostUnreachable)]
    [InlineData(88, SocketError.NotSocket)]
    [InlineData(89, SocketError.DestinationAddressRequired)]
    [InlineData(90, SocketError.MessageSize)]
    [InlineData(91, SocketError.ProtocolType)]
    [InlineData(92, SocketError.ProtocolOption)]
    [InlineData(93, SocketError.ProtocolNotSupported)]
    [InlineData(94, SocketError.SocketNotSupported)]
    [InlineData(95, SocketError.OperationNotSupported)]
    [InlineData(96, SocketError.ProtocolFamilyNotSupported)]
    [InlineData(97, SocketError.AddressFamilyNotSupported)]
    [InlineData(98, SocketError.AddressAlreadyInUse)]
    [InlineData(99, SocketError.AddressNotAvailable)]
    [InlineData(100, SocketError.NetworkDown)]
    [InlineData(101, SocketError.NetworkUnreachable)]
    [InlineData(102, SocketError.NetworkReset)]
    [InlineData(103, SocketError.ConnectionAborted)]
    [InlineData(104, SocketError.ConnectionReset)]
    [InlineData(105, SocketError.NoBufferSpaceAvailable)]
    [InlineData(106, SocketError.IsConnected)]
    [InlineData(107, SocketError.NotConnected)]
    [InlineData(108, SocketError.Shutdown)]
    [InlineData(110, SocketError.TimedOut)]
    [InlineData(111, SocketError.ConnectionRefused)]
    [InlineData(112, SocketError.HostDown)]
    [InlineData(113, SocketError.HostUnreachable)]
    [InlineData(114, SocketError.AlreadyInProgress)]
    [InlineData(115, SocketError.InProgress)]
    [InlineData(125, SocketError.OperationAborted)]
    [InlineData(-1, SocketError.SocketError)]
    [InlineData(int.MaxValue, SocketError.SocketError)]
    public void ToSocketError_Errno_HasItsPortableName(int errno, SocketError expected) =>
        Assert.Equal(expected, ErrnoPolicy.ToSocketError(errno));

    [Fact]
    public void ToSocketError_EveryErrno_IsAFailure()
    {
        for (int errno = 1; errno <= HighestErrno; errno++)
        {
            SocketError error = ErrnoPolicy.ToSocketError(errno);
            Assert.True(Enum.IsDefined(error) && error != SocketError.Success, $"errno {errno}");
        }
    }

    private static void AssertRow(int errno, string receive, string sendOne, string sendGsoMessage)
    {
        ErrorRow actions = ErrnoPolicy.Of(errno);
        Assert.Equal(receive, actions.Receive.ToString());
        Assert.Equal(sendOne, actions.SendOne.ToString());
        Assert.Equal(sendGsoMessage, actions.SendGso.ToString());
    }
}
