using System.Buffers.Text;
using Microsoft.Win32.SafeHandles;

namespace Spate.Measurement;

/// <summary>
/// Reads the small text files of Linux's /proc without allocating; whatever is not there is null or empty.
/// </summary>
internal static class ProcFile
{
    /// <summary>Opens a file; null on another OS, or where the kernel or a container hides it.</summary>
    public static SafeFileHandle? TryOpen(string path)
    {
        if (!OperatingSystem.IsLinux())
        {
            return null;
        }

        try
        {
            return File.OpenHandle(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>
    /// The file's text from its beginning, as far as the buffer goes; of one record, as most are. The kernel writes it
    /// anew each time.
    /// </summary>
    public static ReadOnlySpan<byte> Read(SafeFileHandle? file, Span<byte> buffer)
    {
        if (file is null)
        {
            return default;
        }

        try
        {
            return buffer[..RandomAccess.Read(file, buffer, fileOffset: 0)];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ObjectDisposedException)
        {
            return default; // ESRCH: the thread has ended
        }
    }

    /// <summary>
    /// As <see cref="Read"/>, of a file of many records: the kernel gives a page of those at a time (seq_read_iter).
    /// </summary>
    public static ReadOnlySpan<byte> ReadAll(SafeFileHandle? file, Span<byte> buffer)
    {
        int readBytes = 0;
        try
        {
            while (file is not null && readBytes < buffer.Length)
            {
                int more = RandomAccess.Read(file, buffer[readBytes..], readBytes);
                if (more == 0)
                {
                    break;
                }

                readBytes += more;
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ObjectDisposedException)
        {
            return default;
        }

        return buffer[..readBytes];
    }

    /// <summary>The n-th number of a line of numbers.</summary>
    public static long? NumberAt(ReadOnlySpan<byte> text, int index)
    {
        foreach (Range field in text.Split((byte)' '))
        {
            if (index-- == 0)
            {
                return Number(text[field]);
            }
        }

        return null;
    }

    /// <summary>The number of the line that begins with a key, as in <c>VmRSS:     1234 kB</c>.</summary>
    public static long? NumberAfter(ReadOnlySpan<byte> text, ReadOnlySpan<byte> key)
    {
        foreach (Range range in text.Split((byte)'\n'))
        {
            ReadOnlySpan<byte> line = text[range];
            if (line.StartsWith(key))
            {
                return Number(line[key.Length..]);
            }
        }

        return null;
    }

    private static long? Number(ReadOnlySpan<byte> text) =>
        Utf8Parser.TryParse(text.TrimStart(" \t"u8), out long number, out _) ? number : null;
}
