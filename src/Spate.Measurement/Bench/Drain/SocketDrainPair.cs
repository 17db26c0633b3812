using System.Net;
using System.Net.Sockets;
using Spate.Measurement.Bench.Baselines;

namespace Spate.Measurement.Bench.Drain;

/// <summary>System.Net.Sockets, one blocking call per datagram.</summary>
internal sealed class SocketDrainPair : DrainPair
{
    // Only a datagram that was lost lets a receive wait at all; the round is then worth nothing.
    private const int LostAfterMilliseconds = 200;

    private readonly Socket _receiver;
    private readonly Socket _sender;
    private readonly SocketAddress _peer;
    private readonly byte[] _payload;
    private readonly byte[] _buffer = BaselineSocket.NewReceiveBuffer();
    private readonly SocketAddress _address = new(AddressFamily.InterNetwork);
    private readonly PeerLookup _peers = new();
    private ulong _sequence;

    public SocketDrainPair(int sizeBytes, int bufferBytes)
    {
        _receiver = BaselineSocket.Open(bufferBytes);
        _receiver.ReceiveTimeout = LostAfterMilliseconds;
        _sender = BaselineSocket.Open(BenchOptions.DefaultBufferBytes);
        _peer = _receiver.LocalEndPoint!.Serialize();
        _payload = GC.AllocateArray<byte>(sizeBytes, pinned: true);
    }

    public override int BufferGrantedBytes => BaselineSocket.GrantedReceiveBytes(_receiver);

    public override int Fill(int count)
    {
        for (int i = 0; i < count; i++)
        {
            BaselineSocket.Write(_payload, _sequence++);
            _ = _sender.SendTo(_payload, SocketFlags.None, _peer);
        }
        return count;
    }

    public override int Drain(int count)
    {
        int drained = 0;
        try
        {
            while (drained < count)
            {
                int length = _receiver.ReceiveFrom(_buffer, SocketFlags.None, _address);
                Checksum += BaselineSocket.Visit(_peers.Find(_address).Port, _buffer.AsSpan(0, length));
                drained++;
            }
        }
        catch (SocketException e) when (e.SocketErrorCode is SocketError.TimedOut or SocketError.WouldBlock)
        {
            // The queue held less than was sent; the caller sees it by the count.
        }
        return drained;
    }

    protected override void Close()
    {
        _receiver.Dispose();
        _sender.Dispose();
    }
}
