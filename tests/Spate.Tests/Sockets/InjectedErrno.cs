using Spate.Interop.Linux;

namespace Spate.Tests.Sockets;

/// <summary>The errors that are injected. 133 is EHWPOISON, which no socket call returns.</summary>
internal static class InjectedErrno
{
    public const int Unknown = 133;

    public static TheoryData<int> All =>
    [
        Errno.EINTR, Errno.EAGAIN, Errno.ENOBUFS, Errno.ECONNREFUSED, Errno.EHOSTUNREACH, Errno.ENETDOWN,
        Errno.EPERM, Errno.EIO, Errno.EINVAL, Errno.EMSGSIZE, Unknown,
    ];
}
