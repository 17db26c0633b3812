using System.Net.Sockets;
using System.Security.Cryptography;
using Spate.Measurement.Counting;
using Spate.Measurement.PathTest;

namespace Spate.TestHelpers.PathTest;

/// <summary>A client of a plain socket that sends what it likes, one message at a time.</summary>
internal sealed class HandMadeClient : IDisposable
{
    private const int WaitMilliseconds = 2000;
    private const int MaxTries = 5;

    private readonly byte[] _buffer = new byte[65_536];

    public HandMadeClient(UdpEndPoint server, string address = "127.0.0.1")
    {
        Server = server;
        Socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
        {
            ReceiveTimeout = WaitMilliseconds,
        };
        Socket.Bind(new UdpEndPoint(System.Net.IPAddress.Parse(address), 0).ToIPEndPoint());
    }

    public Socket Socket { get; }

    public UdpEndPoint Server { get; }

    public byte[] Nonce { get; } = RandomNumberGenerator.GetBytes(HandshakeBodies.NonceBytes);

    public void Send(ReadOnlySpan<byte> payload) => Socket.SendTo(payload, Server.ToIPEndPoint());

    /// <summary>The next datagram; null where none comes.</summary>
    public byte[]? TryReceive()
    {
        try
        {
            return _buffer[..Socket.Receive(_buffer)];
        }
        catch (SocketException fault) when (fault.SocketErrorCode is SocketError.TimedOut or SocketError.WouldBlock)
        {
            return null;
        }
    }

    /// <summary>
    /// Sends a message until it is answered, as a client does: the moment in which another client's socket opens or
    /// closes may take a datagram.
    /// </summary>
    public byte[]? Ask(byte[] message)
    {
        for (int i = 0; i < MaxTries; i++)
        {
            Send(message);
            if (TryReceive() is { } answer) return answer;
        }

        return null;
    }

    public byte[] Hello(ulong token = 0, long number = 0)
    {
        byte[] body = new byte[HandshakeBodies.HelloBytes];
        Nonce.CopyTo(body, 0);
        return ControlMessage.Create(ControlKind.Hello, token, body, number);
    }

    /// <summary>Asks for a cookie.</summary>
    public byte[] Cookie()
    {
        Assert.True(ControlMessage.TryRead(Ask(Hello()), out ControlMessage message));
        Assert.Equal(ControlKind.Challenge, message.Kind);
        return HandshakeBodies.CookieOf(message.Body).ToArray();
    }

    public byte[] Request(
        byte[] cookie, TestParameters parameters, TestKey? key = null, byte version = TestDatagram.MaxVersion) =>
        ControlMessage.Create(
            ControlKind.Request, 0, HandshakeBodies.Request(Nonce, cookie, parameters.ToJson(), key, version));

    public byte[] Join(byte[] cookie, ulong token, long index, ulong stream = 1, TestKey? key = null) =>
        ControlMessage.Create(
            ControlKind.Join, token, HandshakeBodies.Join(Nonce, cookie, token, index, stream, key), index);

    /// <summary>Asks for a test and is granted it.</summary>
    public ulong Begin(TestParameters? parameters = null)
    {
        Send(Request(Cookie(), parameters ?? new TestParameters()));
        Assert.True(ControlMessage.TryRead(TryReceive(), out ControlMessage message));
        Assert.Equal(ControlKind.Accept, message.Kind);
        return message.Token;
    }

    /// <summary>Asks for a test of one flow, joins it and has its data begin.</summary>
    public ulong Start(HandMadeClient flow, TestParameters parameters)
    {
        ulong token = Begin(parameters);
        flow.Send(flow.Join(flow.Cookie(), token, 0));
        Assert.NotNull(flow.TryReceive());
        Send(ControlMessage.Create(ControlKind.Start, token, []));
        return token;
    }

    public void Dispose() => Socket.Dispose();
}
