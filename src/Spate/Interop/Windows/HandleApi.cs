using System.Runtime.InteropServices;

namespace Spate.Interop.Windows;

/// <summary><c>handleapi.h</c>: handles.</summary>
internal static partial class HandleApi
{
    /// <summary>DUPLICATE_SAME_ACCESS of <c>winnt.h</c>.</summary>
    public const uint SameAccess = 2;

    /// <summary>The constant that <c>GetCurrentProcess</c> returns (processthreadsapi.h).</summary>
    public const nint CurrentProcess = -1;

    [LibraryImport("kernel32", SetLastError = true)]
    internal static partial int CloseHandle(nint handle);

    [LibraryImport("kernel32", SetLastError = true)]
    internal static unsafe partial int DuplicateHandle(
        nint fromProcess, nint handle, nint toProcess, nint* duplicate, uint access, int inherits, uint options);
}
