using System.Globalization;
using Microsoft.Win32.SafeHandles;

namespace Spate.Cli.Output;

/// <summary>
/// stdout or stderr. A write that fails does not throw: the first fault is kept and what is written after it goes
/// nowhere, so that a command comes to its end, writes the report that it was asked for, and only then tells the fault.
/// </summary>
internal sealed class StandardStream : Stream
{
    // fcntl.h of Linux, as /proc/self/fdinfo shows them.
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
        if (Fault is not null)
        {
            return;
        }

        try
        {
            _stream!.Write(buffer);
        }
        catch (Exception fault)
        {
            // Which type it is depends on the errno: EBADF is no IOException.
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
        if (OperatingSystem.IsWindows())
        {
            return openConsole();
        }

        int flags = ReadFlags(descriptor);
        if ((flags & CloseOnExec) != 0)
        {
            // What has the flag was not passed on by whoever started the tool: the runtime has opened something of its
            // own under a number that it found free, and must not be written into.
            throw new IOException("it is closed");
        }

        // The console's stream takes a pipe that nobody reads (EPIPE) for success, so a run would go on unseen. A
        // file's says it. But it would keep a place of its own in a file that stdout and stderr share, and cannot wait
        // for a descriptor that does not block.
        var file = new FileStream(
            new SafeFileHandle(descriptor, ownsHandle: false), FileAccess.Write, bufferSize: 0);
        return file.CanSeek || (flags & NonBlocking) != 0 ? openConsole() : file;
    }

    // 0 where the system does not tell, as macOS; a closed descriptor then shows at the first write.
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
