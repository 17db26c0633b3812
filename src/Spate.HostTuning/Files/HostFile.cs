using Microsoft.Win32.SafeHandles;

namespace Spate.HostTuning.Files;

/// <summary>
/// A small text file of the system that is read again and again without allocating. One that is missing, hidden by a
/// container or gone since reads as empty.
/// </summary>
/// <param name="handle">The open file, which this owns; null for one that is missing.</param>
internal readonly struct HostFile(SafeFileHandle? handle) : IDisposable
{
    public bool IsMissing => handle is null;

    /// <summary>
    /// The file's text from its beginning, as far as the buffer goes. The kernel writes it anew for each reading. Of a
    /// file of many records it gives a page at most: use <see cref="ReadAll"/>.
    /// </summary>
    public ReadOnlySpan<byte> Read(Span<byte> buffer)
    {
        if (handle is null) return default;

        try
        {
            return buffer[..RandomAccess.Read(handle, buffer, fileOffset: 0)];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ObjectDisposedException)
        {
            return default; // ESRCH: the thread has ended
        }
    }

    /// <summary>
    /// As <see cref="Read"/>, of a file of many records: the kernel gives a page of those at a time (seq_read_iter).
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
