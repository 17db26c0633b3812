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

    /// <summary>Takes the socket over, and disposes of it in the end.</summary>
    /// <exception cref="Iperf3Exception">The connection has gone already.</exception>
    public ControlStream(Socket socket, TimeProvider? time = null) =>
        _socket = new ControlSocket(socket, time ?? TimeProvider.System);

    /// <summary>This end; an IPv4 address where it is one.</summary>
    public IPEndPoint Local => _socket.Local;

    /// <summary>The other end; an IPv4 address where it is one.</summary>
    public IPEndPoint Remote => _socket.Remote;

    /// <inheritdoc cref="ControlSocket.Socket"/>
    public Socket Socket => _socket.Socket;

    /// <inheritdoc cref="ControlSocket.AvailableBytes"/>
    public int AvailableBytes => _socket.AvailableBytes;

    /// <summary>The maximum segment size of the connection in bytes; 0 where the system does not tell.</summary>
    public int MaxSegmentBytes => _socket.ReadMaxSegmentBytes();

    /// <exception cref="Iperf3Exception">The connection has ended, or the other end does not read.</exception>
    public void SendState(Iperf3State state) => Send([unchecked((byte)state)]);

    /// <summary>Tells a client of an error of the server.</summary>
    /// <exception cref="Iperf3Exception">The connection has ended, or the other end does not read.</exception>
    public void SendError(int code, int errno)
    {
        Span<byte> message = stackalloc byte[1 + Iperf3Error.PairBytes];
        message[0] = unchecked((byte)Iperf3State.ServerError);
        BinaryPrimitives.WriteInt32BigEndian(message[1..], code);
        BinaryPrimitives.WriteInt32BigEndian(message[(1 + sizeof(int))..], errno);
        Send(message);
    }

    /// <param name="cookie"><see cref="CookieLength"/> characters of ASCII.</param>
    /// <exception cref="Iperf3Exception">The connection has ended, or the other end does not read.</exception>
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

    /// <summary>Reads a client's cookie: printable ASCII, up to <see cref="CookieLength"/> characters.</summary>
    /// <exception cref="Iperf3Exception">No cookie came in time, or something else did.</exception>
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

    /// <summary>Reads the next state.</summary>
    /// <param name="wait">How long to wait for one; zero to take only what has come.</param>
    /// <param name="state">What was sent, also what no version of iperf3 knows.</param>
    /// <returns>False where none came meanwhile.</returns>
    /// <exception cref="Iperf3Exception">The connection has ended.</exception>
    public bool TryReadState(TimeSpan wait, out Iperf3State state)
    {
        Span<byte> message = stackalloc byte[1];
        bool isRead = _socket.ReadSome(message, _socket.DeadlineIn(wait)) > 0;
        state = isRead ? (Iperf3State)unchecked((sbyte)message[0]) : Iperf3State.None;
        return isRead;
    }

    /// <summary>Reads the two numbers behind <see cref="Iperf3State.ServerError"/>.</summary>
    /// <exception cref="Iperf3Exception">The connection has ended, or they did not come in time.</exception>
    public (int Code, int Errno) ReadError()
    {
        Span<byte> message = stackalloc byte[Iperf3Error.PairBytes];
        _socket.ReadWhole(message, _socket.DeadlineIn(MessageTime), "its error");
        return (BinaryPrimitives.ReadInt32BigEndian(message),
            BinaryPrimitives.ReadInt32BigEndian(message[sizeof(int)..]));
    }

    /// <exception cref="Iperf3Exception">The connection has ended, or the other end does not read.</exception>
    public void SendJson(ReadOnlySpan<byte> json)
    {
        byte[] message = new byte[sizeof(uint) + json.Length];
        BinaryPrimitives.WriteInt32BigEndian(message, json.Length);
        json.CopyTo(message.AsSpan(sizeof(uint)));
        Send(message);
    }

    /// <summary>Reads a length and so many bytes. Memory grows with what has come, not with what was claimed.</summary>
    /// <exception cref="Iperf3Exception">The length is out of range, or the message did not come in time.</exception>
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

    /// <summary>Closes the socket.</summary>
    public void Dispose() => _socket.Dispose();

    private void Send(ReadOnlySpan<byte> message)
    {
        lock (_writing) _socket.Send(message, _socket.DeadlineIn(MessageTime));
    }
}
