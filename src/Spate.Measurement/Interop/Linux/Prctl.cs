using System.Runtime.InteropServices;

namespace Spate.Measurement.Interop.Linux;

/// <summary><c>sys/prctl.h</c>: settings of the calling thread.</summary>
internal static partial class Prctl
{
    public const int PR_SET_TIMERSLACK = 29;
    public const int PR_GET_TIMERSLACK = 30;

    /// <summary>prctl(2). On Linux the variable arguments of the C function are passed as those of others.</summary>
    [LibraryImport("libc", SetLastError = true)]
    internal static partial int prctl(int op, nuint arg2, nuint arg3, nuint arg4, nuint arg5);
}
