using System.Buffers.Text;
using System.Globalization;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Spate.HostTuning.Reading.Files;

/// <summary>
/// Files below a root that a test can replace; null or no lines where unreadable. Systems other than Linux read the
/// tree of the system itself as empty: a /proc or /sys there is somebody else's.
/// </summary>
internal readonly struct HostFiles(string rootPath, bool isLinux)
{
    private const string SystemRoot = "/";

    // The largest file read here is /proc/cpuinfo, some 1.5 kB a CPU; anything beyond this is not such a file.
    private const int MaxCharacters = 4 * 1024 * 1024;

    // The longest line is "intr" of /proc/stat: one number for each interrupt that the machine may have.
    private const int MaxLineCharacters = 512 * 1024;

    private readonly bool _isEmpty = !isLinux && rootPath.Equals(SystemRoot, StringComparison.Ordinal);

    public HostFiles(string rootPath)
        : this(rootPath, OperatingSystem.IsLinux())
    {
    }

    public bool IsEmpty => _isEmpty;

    public bool Exists(string relativePath) => File.Exists(PathOf(relativePath));

    public bool DirectoryExists(string relativePath) => Directory.Exists(PathOf(relativePath));

    /// <summary>By its mode; false for a missing file, and on Windows.</summary>
    public bool IsWritableByOwner(string relativePath) => Try(PathOf(relativePath), static path =>
        !OperatingSystem.IsWindows() && File.Exists(path)
        && File.GetUnixFileMode(path).HasFlag(UnixFileMode.UserWrite));

    public string? ReadLine(string relativePath)
    {
        foreach (string line in ReadLines(relativePath))
        {
            string trimmed = line.Trim();
            return trimmed.Length == 0 ? null : trimmed;
        }

        return null;
    }

    public long? ReadNumber(string relativePath) =>
        long.TryParse(ReadLine(relativePath), NumberStyles.Integer, CultureInfo.InvariantCulture, out long value)
            ? value
            : null;

    public IEnumerable<string> ReadLines(string relativePath)
    {
        using StreamReader? reader = OpenText(relativePath);
        var line = new StringBuilder();
        int characters = 0;
        while (reader is not null && characters < MaxCharacters && TryReadLine(reader, line))
        {
            characters += line.Length + 1;
            yield return line.ToString();
            if (line.Length == MaxLineCharacters) yield break;
        }
    }

    /// <summary>In no order.</summary>
    public List<string> ListNames(string relativePath, int maxCount)
    {
        var names = new List<string>();
        string path = PathOf(relativePath);
        if (!Directory.Exists(path)) return names;

        try
        {
            foreach (string entry in Directory.EnumerateFileSystemEntries(path))
            {
                if (names.Count == maxCount) break;

                names.Add(Path.GetFileName(entry));
            }
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // The directory has gone, or is another user's: the names listed so far are all that can be seen.
            return names;
        }

        return names;
    }

    /// <summary>The target, unresolved; null for another kind of file.</summary>
    public string? ReadLink(string relativePath) =>
        _isEmpty ? null : Try(PathOf(relativePath), static path => new FileInfo(path).LinkTarget);

    public HostFile Open(string relativePath) =>
        new(_isEmpty ? null : Try(PathOf(relativePath), static path => File.OpenHandle(path)));

    // The empty path names no file and no folder.
    private string PathOf(string relativePath) => _isEmpty ? "" : Path.Combine(rootPath, relativePath);

    private StreamReader? OpenText(string relativePath)
    {
        // Many of these files are missing on many hosts, and an exception costs more than this check.
        string path = PathOf(relativePath);
        return File.Exists(path) ? Try(path, static path => new StreamReader(path)) : null;
    }

    private static T? Try<T>(string path, Func<string, T> read)
    {
        try
        {
            return read(path);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return default;
        }
    }

    // Some files of /proc and /sys open and then refuse the read (EINVAL, EPERM).
    private static bool TryReadLine(StreamReader reader, StringBuilder line)
    {
        line.Clear();
        try
        {
            int character = reader.Read();
            bool any = character >= 0;
            while (character >= 0 && character != '\n' && line.Length < MaxLineCharacters)
            {
                line.Append((char)character);
                character = reader.Read();
            }

            return any;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }
}

/// <summary>A small file that is read repeatedly without allocating. A missing or hidden one reads as empty.</summary>
/// <param name="handle">This owns it; null for a missing file.</param>
internal readonly struct HostFile(SafeFileHandle? handle) : IDisposable
{
    public bool IsMissing => handle is null;

    /// <summary>
    /// The kernel writes the text for each reading; a file of one record is read from 0. Of a file of many records it
    /// gives one page at most: use <see cref="ReadAll(Span{byte})"/> for these.
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

    /// <summary>The buffer grows with the file, up to a bound: some files are long with many CPUs.</summary>
    public ReadOnlySpan<byte> ReadAll(ref byte[] buffer, int maxBytes)
    {
        while (true)
        {
            ReadOnlySpan<byte> text = ReadAll(buffer);
            if (text.Length < buffer.Length || buffer.Length >= maxBytes) return text;

            buffer = new byte[Math.Min(maxBytes, buffer.Length * 4)];
        }
    }

    public void Dispose() => handle?.Dispose();
}

/// <summary>Finds numbers in the text of system files without allocating.</summary>
internal static class FileText
{
    public static long? NumberAt(ReadOnlySpan<byte> text, int index)
    {
        foreach (Range field in text.Split((byte)' '))
        {
            if (index-- == 0) return Number(text[field]);
        }

        return null;
    }

    /// <summary>Of the line that begins with a key, as in <c>VmRSS:   1234 kB</c>; null for none.</summary>
    public static long? NumberAfter(ReadOnlySpan<byte> text, ReadOnlySpan<byte> key)
    {
        foreach (Range range in text.Split((byte)'\n'))
        {
            ReadOnlySpan<byte> line = text[range];
            if (line.StartsWith(key)) return Number(line[key.Length..]);
        }

        return null;
    }

    public static ReadOnlySpan<byte> WordAt(ReadOnlySpan<byte> line, int index)
    {
        int at = 0;
        foreach (Range range in line.Split((byte)' '))
        {
            ReadOnlySpan<byte> word = line[range];
            if (!word.IsEmpty && at++ == index) return word;
        }

        return default;
    }

    public static int IndexOfWord(ReadOnlySpan<byte> line, ReadOnlySpan<byte> word)
    {
        int at = 0;
        foreach (Range range in line.Split((byte)' '))
        {
            if (line[range].IsEmpty) continue;
            if (line[range].SequenceEqual(word)) return at;

            at++;
        }

        return -1;
    }

    /// <summary>The numbers are separated by blanks.</summary>
    public static long? SumOfHexColumn(ReadOnlySpan<byte> text, int index)
    {
        long? sum = null;
        foreach (Range range in text.Split((byte)'\n'))
        {
            if (HexNumber(WordAt(text[range], index)) is { } number) sum = (sum ?? 0) + number;
        }

        return sum;
    }

    public static long? Number(ReadOnlySpan<byte> text) =>
        Utf8Parser.TryParse(text.TrimStart(" \t"u8), out long number, out _) ? number : null;

    /// <summary>Without a prefix, up to 32 bits; null for another word.</summary>
    public static long? HexNumber(ReadOnlySpan<byte> word) =>
        Utf8Parser.TryParse(word, out uint number, out int read, 'x') && read == word.Length ? number : null;

    public static ReadOnlySpan<byte> BeforeNul(ReadOnlySpan<byte> text) =>
        text.IndexOf((byte)0) is >= 0 and var end ? text[..end] : text;

    public static string Escape(string name) => Escape(Encoding.UTF8.GetBytes(name));

    /// <summary>As one line of printable ASCII: other bytes, blanks and backslashes become <c>\xNN</c>.</summary>
    public static string Escape(ReadOnlySpan<byte> name)
    {
        if (!name.ContainsAnyExceptInRange((byte)'!', (byte)'~') && !name.Contains((byte)'\\'))
        {
            return Encoding.ASCII.GetString(name);
        }

        var text = new StringBuilder();
        foreach (byte one in name)
        {
            if (one is >= (byte)'!' and <= (byte)'~' and not (byte)'\\') text.Append((char)one);
            else text.Append($"\\x{one:x2}");
        }

        return text.ToString();
    }

    /// <summary>Hexadecimal, as the kernel writes it: without a prefix.</summary>
    public static bool TryParseHex(ReadOnlySpan<char> text, out uint value) =>
        uint.TryParse(text, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out value);
}
