using Microsoft.Win32.SafeHandles;

namespace Spate.HostTuning.Reading.Files;

/// <summary>A small file that is read repeatedly without allocating. A missing or hidden one reads as empty.</summary>
/// <param name="handle">This owns it; null for a missing file.</param>
internal readonly struct HostFile(SafeFileHandle? handle) : IDisposable
{
    public bool IsMissing => handle is null;

    /// <summary>
    /// The kernel writes the text for each reading; a file of one record is read from 0. Of a file of many records it
    /// gives one page at most: use <see cref="ReadAll"/> for these.
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

    public void Dispose() => handle?.Dispose();
}
