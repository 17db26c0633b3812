using System.Net.Sockets;
using Spate.Diagnostics;
using Spate.Interop.Linux;

namespace Spate.Backends;

/// <summary>Says what to do where the system refuses another descriptor.</summary>
internal static class DescriptorLimit
{
    /// <summary>The fault of a call that makes descriptors: with advice where their number is the reason.</summary>
    public static SocketException FaultOf(int errno) => errno switch
    {
        Errno.EMFILE => new SocketException((int)SocketError.TooManyOpenSockets, ProcessText()),
        Errno.ENFILE => new SocketException(
            (int)SocketError.TooManyOpenSockets,
            "The whole system has as many open files as it may have: raise the kernel setting fs.file-max."),
        _ => new SocketException(errno),
    };

    private static string ProcessText()
    {
        rlimit limit = default;
        string allowed = Resource.getrlimit(Resource.RLIMIT_NOFILE, ref limit) == 0 ? $"{limit.rlim_cur}" : "limited";
        ulong wanted = Math.Max(limit.rlim_cur * 4, 65_536);
        return $"The process may have {allowed} open files and has them all, {SpateMeter.OpenCount} of them open "
            + $"sockets of Spate: raise the limit with 'ulimit -n {wanted}' in the shell that starts it, or with "
            + $"LimitNOFILE={wanted} in its systemd unit.";
    }
}
