using System.Globalization;
using Microsoft.Win32.SafeHandles;

namespace Spate.Cli.Shell.Output;

/// <summary>
/// stdout or stderr. A write that fails does not throw: the stream keeps the first fault and ignores later writes. The
/// command can thus end as usual and write its report to a file before the user reads of the fault.
/// </summary>
internal sealed class StandardStream : Stream
{
    // Flags of Linux (fcntl.h) in /proc/self/fdinfo.
    private const int NonBlocking = 0x800;
    private const int CloseOnExec = 0x8_0000;

    private readonly CancellationTokenSource _failed = new();
    private readonly Stream? _stream;

    /// <summary>Opens the stream; a fault of opening is kept like a fault of writing.</summary>
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

    public Exception? Fault { get; private set; }

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
            // The type of the exception depends on the errno: EBADF is not an IOException.
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
            // The tool was started with this descriptor closed. The runtime has opened a file of its own under the free
            // number, with this flag, and that file must not be written to.
            throw new IOException("it is closed");
        }

        // A FileStream reports EPIPE, which a pipe without a reader gives. The stream of the console hides EPIPE, so a
        // run would go on for nothing. A FileStream cannot write to a file that stdout and stderr share, since it keeps
        // a position of its own, nor to a descriptor that does not block.
        var file = new FileStream(
            new SafeFileHandle(descriptor, ownsHandle: false), FileAccess.Write, bufferSize: 0);
        return file.CanSeek || (flags & NonBlocking) != 0 ? openConsole() : file;
    }

    // 0 where the system does not tell, as on macOS. There, the first write reports a closed descriptor. The file is
    // read without Spate.HostTuning: every command opens its streams, and loading the assembly would delay its start.
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
