using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>
/// A control connection: states, errors, cookies and JSON over a connected TCP socket. Every call blocks for a bounded
/// time. The socket itself does not block, since the time-outs of a blocking one begin anew with every byte. One thread
/// may read while another writes; messages of several writers are not mixed.
/// </summary>
internal sealed class ControlStream : IDisposable
{
    /// <summary>Characters of a cookie; a zero follows them.</summary>
    public const int CookieLength = 36;

    private const int FirstBufferBytes = 4096;

    // A host that went away without a word is noticed after some ten seconds.
    private const int KeepAliveSeconds = 4;
    private const int KeepAliveIntervalSeconds = 2;
    private const int KeepAliveProbes = 3;

    // From <linux/in.h> and <linux/tcp.h>.
    private const int TcpLevel = 6;
    private const int TcpMaxSegment = 2;

    // A wait looks at the clock this often, which need not be the system's.
    private const int MaxPollMilliseconds = 100;
    private const int MicrosecondsPerMillisecond = 1000;

    /// <summary>How long a whole message may take, in both directions.</summary>
    public static readonly TimeSpan MessageTime = TimeSpan.FromSeconds(10);

    private readonly Lock _writing = new();
    private readonly TimeProvider _time;

    /// <summary>Owns the socket from now on.</summary>
    public ControlStream(Socket socket, TimeProvider? time = null)
    {
        (Socket, _time) = (socket, time ?? TimeProvider.System);
        try
        {
            Local = Unmapped(socket.LocalEndPoint);
            Remote = Unmapped(socket.RemoteEndPoint);
            socket.Blocking = false;
            socket.NoDelay = true;
            socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive, optionValue: true);
            TrySet(SocketOptionName.TcpKeepAliveTime, KeepAliveSeconds);
            TrySet(SocketOptionName.TcpKeepAliveInterval, KeepAliveIntervalSeconds);
            TrySet(SocketOptionName.TcpKeepAliveRetryCount, KeepAliveProbes);
        }
        catch (SocketException fault)
        {
            // Nobody else knows it yet, and who connects and leaves at once must cost no descriptor.
            socket.Dispose();
            throw new Iperf3Exception($"the control connection is lost: {fault.Message}", fault);
        }
    }

    /// <summary>This end; it is an IPv4 address where it can be, as <see cref="Remote"/> is.</summary>
    public IPEndPoint Local { get; }

    public IPEndPoint Remote { get; }

    public Socket Socket { get; }

    /// <summary>Bytes that have come and are not read; 0 also where the connection has ended.</summary>
    public int AvailableBytes
    {
        get
        {
            try
            {
                return Socket.Available;
            }
            catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
            {
                return 0;
            }
        }
    }

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
        ReadWhole(message, DeadlineIn(time), "its cookie");
        if (message[CookieLength] == 0)
        {
            Span<byte> cookie = message[..message.IndexOf((byte)0)];
            if (!cookie.ContainsAnyExceptInRange((byte)' ', (byte)'~')) return Encoding.ASCII.GetString(cookie);
        }

        throw new Iperf3Exception($"{Remote} sent no iperf3 cookie: it is another program");
    }

    /// <summary>False where none came meanwhile. The state may be one that no version of iperf3 knows.</summary>
    public bool TryReadState(TimeSpan wait, out Iperf3State state)
    {
        Span<byte> message = stackalloc byte[1];
        bool isRead = ReadSome(message, DeadlineIn(wait)) > 0;
        state = isRead ? (Iperf3State)unchecked((sbyte)message[0]) : Iperf3State.None;
        return isRead;
    }

    /// <summary>Reads the two numbers behind <see cref="Iperf3State.ServerError"/>.</summary>
    public (int Code, int Errno) ReadError()
    {
        Span<byte> message = stackalloc byte[Iperf3Error.PairBytes];
        ReadWhole(message, DeadlineIn(MessageTime), "its error");
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
        long deadline = DeadlineIn(time);
        Span<byte> header = stackalloc byte[sizeof(uint)];
        ReadWhole(header, deadline, "the length of its JSON");
        uint length = BinaryPrimitives.ReadUInt32BigEndian(header);
        if (length == 0 || length > maxBytes)
        {
            throw new Iperf3Exception($"{Remote} announced {length} bytes of JSON, but 1 to {maxBytes} are allowed");
        }

        byte[] json = new byte[Math.Min(length, FirstBufferBytes)];
        int read = 0;
        while (true)
        {
            ReadWhole(json.AsSpan(read), deadline, "its JSON");
            read = json.Length;
            if (read == length) return json;

            Array.Resize(ref json, (int)Math.Min(length, 2L * read));
        }
    }

    /// <summary>The MSS of the connection; 0 where the system does not tell.</summary>
    public int ReadMaxSegmentBytes()
    {
        if (!OperatingSystem.IsLinux()) return 0;

        try
        {
            Span<byte> value = stackalloc byte[sizeof(int)];
            int length = Socket.GetRawSocketOption(TcpLevel, TcpMaxSegment, value);
            return length == sizeof(int) ? BitConverter.ToInt32(value) : 0;
        }
        catch (SocketException)
        {
            return 0;
        }
    }

    /// <summary>Ends the connection in both directions; calls of other threads then fail. On any thread.</summary>
    public void Abort()
    {
        try
        {
            Socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            // It has ended already.
        }
    }

    public void Dispose() => Socket.Dispose();

    private void Send(ReadOnlySpan<byte> message)
    {
        lock (_writing) Send(message, DeadlineIn(MessageTime));
    }

    private long DeadlineIn(TimeSpan time) =>
        _time.GetTimestamp() + (long)(time.TotalSeconds * _time.TimestampFrequency);

    private void ReadWhole(Span<byte> buffer, long deadline, string what)
    {
        while (!buffer.IsEmpty)
        {
            int read = ReadSome(buffer, deadline);
            buffer = buffer[read..];

            // Also where something came: a byte now and then is no reason to go on.
            bool isLate = read == 0 || (!buffer.IsEmpty && _time.GetTimestamp() >= deadline);
            if (isLate) throw new Iperf3Exception($"{Remote} did not send {what} in time");
        }
    }

    /// <summary>Reads what has come, and waits until the deadline where nothing has; 0 for nothing even then.</summary>
    private int ReadSome(Span<byte> buffer, long deadline)
    {
        while (true)
        {
            SocketError error;
            int read;
            try
            {
                read = Socket.Receive(buffer, SocketFlags.None, out error);
            }
            catch (ObjectDisposedException fault)
            {
                throw Ended(fault.Message, fault);
            }

            if (error == SocketError.Success && read > 0) return read;
            if (error == SocketError.Success) throw Ended("the other end closed it");
            if (!IsTemporary(error)) throw Ended(new SocketException((int)error));
            if (!Wait(SelectMode.SelectRead, deadline)) return 0;
        }
    }

    private void Send(ReadOnlySpan<byte> message, long deadline)
    {
        while (!message.IsEmpty)
        {
            SocketError error;
            int sent;
            try
            {
                sent = Socket.Send(message, SocketFlags.None, out error);
            }
            catch (ObjectDisposedException fault)
            {
                throw Ended(fault.Message, fault);
            }

            if (error == SocketError.Success) message = message[sent..];
            else if (!IsTemporary(error)) throw Ended(new SocketException((int)error));

            if (message.IsEmpty) return;

            bool isLate = !Wait(SelectMode.SelectWrite, deadline) || _time.GetTimestamp() >= deadline;
            if (isLate) throw new Iperf3Exception($"{Remote} does not read its data");
        }
    }

    // Without the option, the system's own times hold. Windows has TCP_KEEPCNT since Windows 10 1703, the other two
    // since 1709.
    private void TrySet(SocketOptionName name, int value)
    {
        try
        {
            Socket.SetSocketOption(SocketOptionLevel.Tcp, name, value);
        }
        catch (SocketException fault) when (fault.SocketErrorCode == SocketError.ProtocolOption)
        {
            return;
        }
    }

    private static bool IsTemporary(SocketError error) => error is SocketError.WouldBlock or SocketError.Interrupted;

    private static IPEndPoint Unmapped(EndPoint? endPoint)
    {
        // A socket that has lost its peer may have no end to tell of.
        var address = endPoint as IPEndPoint ?? throw new SocketException((int)SocketError.NotConnected);
        return address.Address.IsIPv4MappedToIPv6
            ? new IPEndPoint(address.Address.MapToIPv4(), address.Port)
            : address;
    }

    // False once the deadline is over. It looks at the socket at least once.
    private bool Wait(SelectMode mode, long deadline)
    {
        while (true)
        {
            // Rounded up: the runtime cuts the rest off, since poll(2) has milliseconds, and the last part of each wait
            // would be spent in calls that return at once, beside a receiver that needs the CPU.
            double milliseconds = Math.Ceiling(1e3 * (deadline - _time.GetTimestamp()) / _time.TimestampFrequency);
            int wait = (int)Math.Clamp(milliseconds, 0, MaxPollMilliseconds);
            try
            {
                if (Socket.Poll(wait * MicrosecondsPerMillisecond, mode)) return true;
            }
            catch (SocketException fault)
            {
                throw Ended(fault);
            }
            catch (ObjectDisposedException fault)
            {
                throw Ended(fault.Message, fault);
            }

            if (milliseconds <= 0) return false;
        }
    }

    private Iperf3Exception Ended(SocketException fault) => Ended(fault.Message, fault);

    private Iperf3Exception Ended(string reason, Exception? fault = null) =>
        new($"the control connection with {Remote} ended: {reason}", fault);
}

/// <summary>Says for people why a TCP socket could not be bound, as the sockets of UDP do.</summary>
internal static class BindFault
{
    public static SocketException Of(IPEndPoint local, SocketException fault) =>
        new((int)fault.SocketErrorCode, TextOf(local, fault));

    private static string TextOf(IPEndPoint local, SocketException fault) => fault.SocketErrorCode switch
    {
        SocketError.AddressAlreadyInUse when local.Port != 0 =>
            $"port {local.Port} is in use at {local}: end the other server, or choose another port",
        SocketError.AddressNotAvailable =>
            $"{local.Address} is not an address of this machine: use one that is, or leave -B out",
        SocketError.AccessDenied => $"no permission for port {local.Port} at {local.Address}: choose another port",
        _ => $"{local} cannot be bound to: {fault.Message}",
    };
}
