using System.Runtime.InteropServices;

namespace Spate.Interop.Windows;

/// <summary><c>processthreadsapi.h</c>: threads.</summary>
internal static partial class ProcessThreadsApi
{
    [LibraryImport("kernel32")]
    internal static partial uint GetCurrentThreadId();
}
