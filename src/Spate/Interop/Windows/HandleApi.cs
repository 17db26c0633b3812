using System.Runtime.InteropServices;

namespace Spate.Interop.Windows;

/// <summary><c>handleapi.h</c>: handles.</summary>
internal static partial class HandleApi
{
    [LibraryImport("kernel32", SetLastError = true)]
    internal static partial int CloseHandle(nint handle);
}
