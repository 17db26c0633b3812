using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Spate.HostTuning.Interop.Linux;

/// <summary><c>unistd.h</c>: descriptors.</summary>
internal static partial class Unistd
{
    /// <summary>Writes the names of a folder to the disk. Some file systems cannot, which changes nothing.</summary>
    public static void FlushFolder(string path)
    {
        using SafeFileHandle folder = Fcntl.open(path, Fcntl.O_RDONLY | Fcntl.O_CLOEXEC);
        if (!folder.IsInvalid) _ = fsync(folder);
    }

    [LibraryImport("libc", SetLastError = true)]
    private static partial int fsync(SafeFileHandle fd);
}

/// <summary><c>fcntl.h</c>: opening what .NET does not open, such as a folder.</summary>
internal static partial class Fcntl
{
    public const int O_RDONLY = 0;
    public const int O_CLOEXEC = 0x80000;

    /// <summary>open(2). The handle is invalid where it fails.</summary>
    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial SafeFileHandle open(string pathname, int flags);
}
