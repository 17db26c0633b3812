using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>
/// A control connection: states, errors, cookies and JSON over a connected TCP socket. Every call blocks for a bounded
/// time. One thread may read while another writes; messages of several writers are not mixed.
/// </summary>
internal sealed class ControlStream : IDisposable
{
    /// <summary>Characters of a cookie; a zero follows them.</summary>
    public const int CookieLength = 36;

    private const int FirstBufferBytes = 4096;

    /// <summary>How long a whole message may take, in both directions.</summary>
    public static readonly TimeSpan MessageTime = TimeSpan.FromSeconds(10);

    private readonly Lock _writing = new();
    private readonly ControlSocket _socket;

    /// <summary>Owns the socket from now on.</summary>
    public ControlStream(Socket socket, TimeProvider? time = null) =>
        _socket = new ControlSocket(socket, time ?? TimeProvider.System);

    /// <summary>This end; it is an IPv4 address where it can be, as <see cref="Remote"/> is.</summary>
    public IPEndPoint Local => _socket.Local;

    public IPEndPoint Remote => _socket.Remote;

    public Socket Socket => _socket.Socket;

    public int AvailableBytes => _socket.AvailableBytes;

    /// <summary>The MSS of the connection; 0 where the system does not tell.</summary>
    public int MaxSegmentBytes => _socket.ReadMaxSegmentBytes();

    public void SendState(Iperf3State state) => Send([unchecked((byte)state)]);

    public void SendError(int code, int errno)
    {
        Span<byte> message = stackalloc byte[1 + Iperf3Error.PairBytes];
        message[0] = unchecked((byte)Iperf3State.ServerError);
        BinaryPrimitives.WriteInt32BigEndian(message[1..], code);
        BinaryPrimitives.WriteInt32BigEndian(message[(1 + sizeof(int))..], errno);
        Send(message);
    }

    /// <summary>The cookie has <see cref="CookieLength"/> characters of ASCII.</summary>
    public void SendCookie(string cookie)
    {
        if (cookie.Length != CookieLength || !Ascii.IsValid(cookie))
        {
            throw new ArgumentException($"a cookie has {CookieLength} characters of ASCII", nameof(cookie));
        }

        Span<byte> message = stackalloc byte[CookieLength + 1];
        Encoding.ASCII.GetBytes(cookie, message);
        message[CookieLength] = 0;
        Send(message);
    }

    /// <summary>Reads printable ASCII, up to <see cref="CookieLength"/> characters.</summary>
    public string ReadCookie(TimeSpan time)
    {
        Span<byte> message = stackalloc byte[CookieLength + 1];
        _socket.ReadWhole(message, _socket.DeadlineIn(time), "its cookie");
        if (message[CookieLength] == 0)
        {
            Span<byte> cookie = message[..message.IndexOf((byte)0)];
            if (!cookie.ContainsAnyExceptInRange((byte)' ', (byte)'~')) return Encoding.ASCII.GetString(cookie);
        }

        throw new Iperf3Exception($"{Remote} sent no cookie of iperf3: it is another program");
    }

    /// <summary>False where none came meanwhile. The state may be one that no version of iperf3 knows.</summary>
    public bool TryReadState(TimeSpan wait, out Iperf3State state)
    {
        Span<byte> message = stackalloc byte[1];
        bool isRead = _socket.ReadSome(message, _socket.DeadlineIn(wait)) > 0;
        state = isRead ? (Iperf3State)unchecked((sbyte)message[0]) : Iperf3State.None;
        return isRead;
    }

    /// <summary>Reads the two numbers behind <see cref="Iperf3State.ServerError"/>.</summary>
    public (int Code, int Errno) ReadError()
    {
        Span<byte> message = stackalloc byte[Iperf3Error.PairBytes];
        _socket.ReadWhole(message, _socket.DeadlineIn(MessageTime), "its error");
        return (BinaryPrimitives.ReadInt32BigEndian(message),
            BinaryPrimitives.ReadInt32BigEndian(message[sizeof(int)..]));
    }

    public void SendJson(ReadOnlySpan<byte> json)
    {
        byte[] message = new byte[sizeof(uint) + json.Length];
        BinaryPrimitives.WriteInt32BigEndian(message, json.Length);
        json.CopyTo(message.AsSpan(sizeof(uint)));
        Send(message);
    }

    /// <summary>Reads a length and so many bytes. Memory grows with what has come, not with what was claimed.</summary>
    public byte[] ReadJson(int maxBytes, TimeSpan time)
    {
        long deadline = _socket.DeadlineIn(time);
        Span<byte> header = stackalloc byte[sizeof(uint)];
        _socket.ReadWhole(header, deadline, "the length of its JSON");
        uint length = BinaryPrimitives.ReadUInt32BigEndian(header);
        if (length == 0 || length > maxBytes)
        {
            throw new Iperf3Exception($"{Remote} announced {length} bytes of JSON, and 1 to {maxBytes} are allowed");
        }

        byte[] json = new byte[Math.Min(length, FirstBufferBytes)];
        int read = 0;
        while (true)
        {
            _socket.ReadWhole(json.AsSpan(read), deadline, "its JSON");
            read = json.Length;
            if (read == length) return json;

            Array.Resize(ref json, (int)Math.Min(length, 2L * read));
        }
    }

    /// <summary>Ends the connection in both directions; calls of other threads then fail. On any thread.</summary>
    public void Abort() => _socket.Abort();

    public void Dispose() => _socket.Dispose();

    private void Send(ReadOnlySpan<byte> message)
    {
        lock (_writing) _socket.Send(message, _socket.DeadlineIn(MessageTime));
    }
}
