using System.Net;
using System.Net.Sockets;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>
/// A connected TCP socket with deadlines for whole messages. The socket does not block, since the time-outs of a
/// blocking one begin anew with every byte.
/// </summary>
internal sealed class ControlSocket : IDisposable
{
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

    private readonly Socket _socket;
    private readonly TimeProvider _time;

    public ControlSocket(Socket socket, TimeProvider time)
    {
        (_socket, _time) = (socket, time);
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
            throw new Iperf3Exception($"the control connection has gone: {fault.Message}", fault);
        }
    }

    public IPEndPoint Local { get; }

    public IPEndPoint Remote { get; }

    public Socket Socket => _socket;

    /// <summary>Bytes that have come and are not read; 0 also where the connection has ended.</summary>
    public int AvailableBytes
    {
        get
        {
            try
            {
                return _socket.Available;
            }
            catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
            {
                return 0;
            }
        }
    }

    public long DeadlineIn(TimeSpan time) =>
        _time.GetTimestamp() + (long)(time.TotalSeconds * _time.TimestampFrequency);

    public int ReadMaxSegmentBytes()
    {
        if (!OperatingSystem.IsLinux()) return 0;

        try
        {
            Span<byte> value = stackalloc byte[sizeof(int)];
            int length = _socket.GetRawSocketOption(TcpLevel, TcpMaxSegment, value);
            return length == sizeof(int) ? BitConverter.ToInt32(value) : 0;
        }
        catch (SocketException)
        {
            return 0;
        }
    }

    public void ReadWhole(Span<byte> buffer, long deadline, string what)
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
    public int ReadSome(Span<byte> buffer, long deadline)
    {
        while (true)
        {
            SocketError error;
            int read;
            try
            {
                read = _socket.Receive(buffer, SocketFlags.None, out error);
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

    public void Send(ReadOnlySpan<byte> message, long deadline)
    {
        while (!message.IsEmpty)
        {
            SocketError error;
            int sent;
            try
            {
                sent = _socket.Send(message, SocketFlags.None, out error);
            }
            catch (ObjectDisposedException fault)
            {
                throw Ended(fault.Message, fault);
            }

            if (error == SocketError.Success) message = message[sent..];
            else if (!IsTemporary(error)) throw Ended(new SocketException((int)error));

            if (message.IsEmpty) return;

            bool isLate = !Wait(SelectMode.SelectWrite, deadline) || _time.GetTimestamp() >= deadline;
            if (isLate) throw new Iperf3Exception($"{Remote} does not read what it is sent");
        }
    }

    public void Abort()
    {
        try
        {
            _socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            // It has ended already.
        }
    }

    public void Dispose() => _socket.Dispose();

    // Without the option, the system's own times hold. Windows has TCP_KEEPCNT since Windows 10 1703, the other two
    // since 1709.
    private void TrySet(SocketOptionName name, int value)
    {
        try
        {
            _socket.SetSocketOption(SocketOptionLevel.Tcp, name, value);
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
                if (_socket.Poll(wait * MicrosecondsPerMillisecond, mode)) return true;
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
