using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using Spate.Measurement.Counting;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;

namespace Spate.TestHelpers.PathTest;

/// <summary>
/// A server of a plain socket on a thread of its own. It answers one client at a time, and only the kinds of messages
/// that a test wants answered.
/// </summary>
internal sealed class HandMadeServer : IDisposable
{
    /// <summary>The time that every heartbeat names.</summary>
    public const long HeartbeatStamp = 1;

    private const ulong Token = 7;
    private const int ControlBytes = 56;
    private const int PollMilliseconds = 20;

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
    {
        ReceiveTimeout = PollMilliseconds,
    };

    private readonly ControlKind[] _silentOn;
    private readonly Thread _thread;
    private readonly byte[] _buffer = new byte[65_536];
    private volatile bool _isEnding;
    private EndPoint? _control;
    private long _beats;
    private bool _isStarted;

    /// <param name="silentOn">The kinds that are not answered; heartbeats are sent all the same.</param>
    public HandMadeServer(params ControlKind[] silentOn)
    {
        _silentOn = silentOn;
        _socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        EndPoint = UdpEndPoint.FromIPEndPoint((IPEndPoint)_socket.LocalEndPoint!);
        _thread = new Thread(Run) { IsBackground = true, Name = "hand-made server" };
        _thread.Start();
    }

    public UdpEndPoint EndPoint { get; }

    /// <summary>What a request is refused with; null accepts it.</summary>
    public string? Refusal { get; init; }

    /// <summary>The version of the datagrams that it answers with.</summary>
    public byte Version { get; init; } = TestDatagram.MaxVersion;

    /// <summary>After how many heartbeats to the control of its client it falls silent.</summary>
    public int MaxHeartbeats { get; init; } = int.MaxValue;

    /// <summary>The report that the client is sent.</summary>
    public byte[] Report { get; init; } = "{}"u8.ToArray();

    /// <summary>Told of every datagram of the client, on the server's thread; null for nothing.</summary>
    public Action<byte[]>? OnDatagram { get; init; }

    public void Dispose()
    {
        if (_isEnding) return;

        _isEnding = true;
        _thread.Join();
        _socket.Dispose();
    }

    private void Run()
    {
        while (!_isEnding)
        {
            EndPoint peer = new IPEndPoint(IPAddress.Any, 0);
            try
            {
                int length = _socket.ReceiveFrom(_buffer, ref peer);
                OnDatagram?.Invoke(_buffer[..length]);
                if (ControlMessage.TryRead(_buffer.AsSpan(0, length), out ControlMessage message)) Take(message, peer);
            }
            catch (SocketException fault) when (fault.SocketErrorCode is SocketError.TimedOut or SocketError.WouldBlock)
            {
                // A pause, in which a heartbeat is due.
            }

            if (_isStarted && _beats < MaxHeartbeats)
            {
                byte[] beat = ControlMessage.Create(
                    ControlKind.Heartbeat, Token, new byte[Heartbeat.Bytes], _beats++, HeartbeatStamp);
                _socket.SendTo(beat, _control!);
            }
        }
    }

    private void Take(in ControlMessage message, EndPoint peer)
    {
        if (message.Kind is ControlKind.Start) (_control, _isStarted) = (peer, true);
        if (message.Kind is ControlKind.Bye) _isStarted = false;
        if (Array.IndexOf(_silentOn, message.Kind) >= 0) return;

        ReadOnlySpan<byte> nonce = message.Body.Length < HandshakeBodies.NonceBytes
            ? []
            : HandshakeBodies.NonceOf(message.Body);
        byte[]? answer = message.Kind switch
        {
            ControlKind.Hello => ControlMessage.Create(
                ControlKind.Challenge, message.Token, message.Body[..ControlBytes], message.Number),
            ControlKind.Request when Refusal is { } text => ControlMessage.Create(
                ControlKind.Refuse, 0, HandshakeBodies.Refusal(nonce, text)),
            ControlKind.Request => Accept(message, nonce),
            ControlKind.Join => ControlMessage.Create(
                ControlKind.Joined,
                Token,
                HandshakeBodies.Joined(nonce, TestDatagram.NewStreamId()),
                message.Number),
            ControlKind.Start => ControlMessage.Create(ControlKind.Started, Token, []),
            ControlKind.Finish => ControlMessage.Create(ControlKind.FinishAcknowledged, Token, []),
            _ => null,
        };
        if (message.Kind is ControlKind.Fetch) SendParts((int)message.Number, peer);
        if (answer is not null) _socket.SendTo(answer, peer);
    }

    private byte[] Accept(in ControlMessage request, ReadOnlySpan<byte> nonce) => ControlMessage.Create(
        ControlKind.Accept,
        Token,
        HandshakeBodies.Accept(nonce, Token, Version, request.Body[HandshakeBodies.RequestBytes..], key: null));

    private void SendParts(int first, EndPoint peer)
    {
        int end = Math.Min(first + ReportParts.MaxPartsPerFetch, ReportParts.CountOf(Report.Length));
        byte[] length = new byte[sizeof(int)];
        BinaryPrimitives.WriteInt32BigEndian(length, Report.Length);
        for (int i = first; i < end; i++)
        {
            byte[] body = [.. length, .. ReportParts.Cut(Report, i)];
            _socket.SendTo(ControlMessage.Create(ControlKind.Part, Token, body, i), peer);
        }
    }
}
