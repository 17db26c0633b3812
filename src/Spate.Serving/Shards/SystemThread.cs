using System.Globalization;

namespace Spate.Serving.Shards;

/// <summary>The system's number of the calling thread, by which /proc knows it.</summary>
internal static class SystemThread
{
    /// <summary>
    /// 0 where there is no /proc. Reads a link, since gettid(2) came to the C library late (glibc 2.30).
    /// </summary>
    public static int CurrentId()
    {
        if (!OperatingSystem.IsLinux()) return 0;
        try
        {
            string? link = new FileInfo("/proc/thread-self").LinkTarget;
            return int.TryParse(Path.GetFileName(link), CultureInfo.InvariantCulture, out int id) ? id : 0;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return 0;
        }
    }
}
