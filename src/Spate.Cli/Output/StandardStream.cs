using System.Globalization;
using Microsoft.Win32.SafeHandles;

namespace Spate.Cli.Output;

/// <summary>
/// stdout or stderr. A write that fails does not throw. The first fault is kept, and later writes do nothing, so that a
/// command comes to its end and writes its report to a file before the fault is told.
/// </summary>
internal sealed class StandardStream : Stream
{
    // Flags of Linux (fcntl.h), which /proc/self/fdinfo shows.
    private const int NonBlocking = 0x800;
    private const int CloseOnExec = 0x8_0000;

    private readonly CancellationTokenSource _failed = new();
    private readonly Stream? _stream;

    /// <param name="open">Opens the stream that is written to.</param>
    public StandardStream(Func<Stream> open)
    {
        try
        {
            _stream = open();
        }
        catch (Exception fault)
        {
            Keep(fault);
        }
    }

    /// <summary>The first fault; null while there is none.</summary>
    public Exception? Fault { get; private set; }

    /// <summary>Cancelled by the first fault.</summary>
    public CancellationToken Failed => _failed.Token;

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public static StandardStream OpenOutput() => new(static () => Open(1, Console.OpenStandardOutput));

    public static StandardStream OpenError() => new(static () => Open(2, Console.OpenStandardError));

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        if (Fault is not null) return;

        try
        {
            _stream!.Write(buffer);
        }
        catch (Exception fault)
        {
            // The type of the exception depends on the errno: EBADF is no IOException.
            Keep(fault);
        }
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _stream?.Dispose();
            _failed.Dispose();
        }

        base.Dispose(disposing);
    }

    private static Stream Open(int descriptor, Func<Stream> openConsole)
    {
        if (OperatingSystem.IsWindows()) return openConsole();

        int flags = ReadFlags(descriptor);
        if ((flags & CloseOnExec) != 0)
        {
            // A descriptor with this flag was not passed to the tool. The tool was started with it closed, and the
            // runtime has opened a file of its own under the free number, which must not be written to.
            throw new IOException("it is closed");
        }

        // The stream of the console hides that nobody reads a pipe (EPIPE), so a run would go on for nothing. A
        // FileStream reports it. A FileStream cannot be used where stdout and stderr share a file, since it keeps a
        // position of its own, nor with a descriptor that does not block.
        var file = new FileStream(
            new SafeFileHandle(descriptor, ownsHandle: false), FileAccess.Write, bufferSize: 0);
        return file.CanSeek || (flags & NonBlocking) != 0 ? openConsole() : file;
    }

    // 0 where the system does not tell, as on macOS. The first write then finds a closed descriptor.
    private static int ReadFlags(int descriptor)
    {
        string path = string.Create(CultureInfo.InvariantCulture, $"/proc/self/fdinfo/{descriptor}");
        string? line = File.Exists(path)
            ? Array.Find(File.ReadAllLines(path), static line => line.StartsWith("flags:", StringComparison.Ordinal))
            : null;
        return line is null ? 0 : Convert.ToInt32(line["flags:".Length..].Trim(), fromBase: 8);
    }

    private void Keep(Exception fault)
    {
        Fault = fault;
        _failed.Cancel();
    }
}
