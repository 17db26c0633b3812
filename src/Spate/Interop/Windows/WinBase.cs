using System.Runtime.InteropServices;

namespace Spate.Interop.Windows;

/// <summary><c>winbase.h</c>: how overlapped calls of a handle report their end.</summary>
internal static partial class WinBase
{
    /// <summary>A call that succeeds at once queues no packet.</summary>
    public const byte FILE_SKIP_COMPLETION_PORT_ON_SUCCESS = 1;

    public const uint INFINITE = 0xFFFFFFFF;
    public const int WAIT_TIMEOUT = 258;

    [LibraryImport("kernel32", SetLastError = true)]
    internal static partial int SetFileCompletionNotificationModes(nint file, byte flags);
}
