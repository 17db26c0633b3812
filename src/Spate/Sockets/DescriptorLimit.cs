using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Diagnostics;
using Spate.Interop.Linux;

namespace Spate.Sockets;

/// <summary>The exceptions for descriptors that the system refuses, with advice in their messages.</summary>
internal static class DescriptorLimit
{
    /// <summary>
    /// The number of descriptors to leave free for the .NET runtime, which opens files later too: assemblies, its own
    /// epoll sets, pipes.
    /// </summary>
    private const ulong RuntimeReserve = 32;

    /// <summary>
    /// Returns the exception for a call that could not create a descriptor. Its message has advice if a limit on the
    /// number of descriptors is the reason.
    /// </summary>
    public static SocketException FaultOf(int errno) => errno switch
    {
        Errno.EMFILE => new SocketException((int)SocketError.TooManyOpenSockets, ProcessText()),
        Errno.ENFILE => new SocketException(
            (int)SocketError.TooManyOpenSockets,
            "The whole system is at its limit of open files: raise the kernel setting fs.file-max."),
        _ => new SocketException(
            (int)SocketError.SocketError, $"The system refused a descriptor: {Errno.Describe(errno)}."),
    };

    /// <summary>
    /// Returns the exception for an error of System.Net.Sockets, which reports the limits of the process and of the
    /// whole system by the same code. So this method creates another descriptor and uses the errno of that attempt. If
    /// the attempt succeeds, the method assumes that the limit of the process was the reason.
    /// </summary>
    public static SocketException FaultOfSocket()
    {
        int descriptor = EventFd.eventfd(0, EventFd.EFD_CLOEXEC);
        if (descriptor < 0) return FaultOf(Marshal.GetLastPInvokeError());
        _ = Unistd.close(descriptor);
        return FaultOf(Errno.EMFILE);
    }

    /// <summary>
    /// Throws if opening <paramref name="count"/> more descriptors would leave fewer than <see cref="RuntimeReserve"/>
    /// free. Without a free descriptor the runtime cannot even start a thread, and its errors do not name the reason.
    /// </summary>
    /// <exception cref="SocketException">Too few descriptors are free (TooManyOpenSockets).</exception>
    public static void Require(int count)
    {
        rlimit limit = default;
        if (!OperatingSystem.IsLinux() || Resource.getrlimit(Resource.RLIMIT_NOFILE, ref limit) != 0) return;
        ulong open = (ulong)Directory.EnumerateFileSystemEntries("/proc/self/fd").Count();
        if (open + (ulong)count + RuntimeReserve <= limit.rlim_cur) return;
        throw new SocketException(
            (int)SocketError.TooManyOpenSockets,
            $"About {count} more files are needed, {open} are open, and the process may have {limit.rlim_cur}: "
            + Advice(limit));
    }

    private static string ProcessText()
    {
        rlimit limit = default;
        string allowed = Resource.getrlimit(Resource.RLIMIT_NOFILE, ref limit) == 0 ? $"{limit.rlim_cur}" : "limited";
        return $"The process is at its limit of {allowed} open files, {SpateMeter.OpenCount} of them open "
            + $"sockets of Spate: {Advice(limit)}";
    }

    private static string Advice(in rlimit limit)
    {
        ulong wanted = Math.Max(limit.rlim_cur * 4, 65_536);
        return $"raise the limit with 'ulimit -n {wanted}' in the shell that starts it, or with "
            + $"LimitNOFILE={wanted} in its systemd unit.";
    }
}
