using Microsoft.Win32.SafeHandles;

namespace Spate.HostTuning.Reading.Files;

/// <summary>
/// A small text file of the system that is read again and again without allocating. A file that is missing, hidden by a
/// container or has gone since reads as empty.
/// </summary>
/// <param name="handle">The open file, which this owns; null for a missing file.</param>
internal readonly struct HostFile(SafeFileHandle? handle) : IDisposable
{
    public bool IsMissing => handle is null;

    /// <summary>
    /// Reads the file's text from its beginning, up to the buffer's length. The kernel writes the text for each
    /// reading. Of a file of many records it gives one page at most: use <see cref="ReadAll"/> for these.
    /// <c>offset</c>: where to begin. A file of one record is written anew for each reading, so it is read from 0.
    /// </summary>
    public ReadOnlySpan<byte> Read(Span<byte> buffer, long offset = 0)
    {
        if (handle is null) return default;

        try
        {
            return buffer[..RandomAccess.Read(handle, buffer, offset)];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ObjectDisposedException)
        {
            return default; // ESRCH: the thread has ended
        }
    }

    /// <summary>
    /// Does the same as <see cref="Read"/> for a file of many records, of which the kernel gives a page at a time
    /// (seq_read_iter).
    /// </summary>
    public ReadOnlySpan<byte> ReadAll(Span<byte> buffer)
    {
        int readBytes = 0;
        try
        {
            while (handle is not null && readBytes < buffer.Length)
            {
                int more = RandomAccess.Read(handle, buffer[readBytes..], readBytes);
                if (more == 0) break;

                readBytes += more;
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ObjectDisposedException)
        {
            return default;
        }

        return buffer[..readBytes];
    }

    /// <summary>Closes the file; it reads as empty from now on.</summary>
    public void Dispose() => handle?.Dispose();
}
