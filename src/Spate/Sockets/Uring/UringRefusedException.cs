using Spate.Interop.Linux;

namespace Spate.Sockets.Uring;

/// <summary>
/// Thrown when the system refuses a ring. The message names the refused step and, if known, the cause and the remedy.
/// </summary>
internal sealed class UringRefusedException(string step, int errno) : Exception(Describe(step, errno))
{
    public int ErrorNumber { get; } = errno;

    private static string Describe(string step, int errno) => errno switch
    {
        Errno.EPERM => $"{step} was refused (EPERM): a seccomp filter, as in containers, or the sysctl "
            + "kernel.io_uring_disabled forbids it",
        Errno.ENOSYS => $"{step} is unknown here (ENOSYS): the kernel is older than 5.1 or has no io_uring",
        Errno.ENOMEM => $"{step} found no memory (ENOMEM): the limit of locked memory (ulimit -l) is too low",
        Errno.EMFILE or Errno.ENFILE => $"{step} found no free descriptor ({Errno.Describe(errno)}): raise ulimit -n",
        Errno.EINVAL => $"{step} rejected the request (EINVAL): multishot receive needs Linux 6.0",
        _ => $"{step} failed with {Errno.Describe(errno)}",
    };
}
