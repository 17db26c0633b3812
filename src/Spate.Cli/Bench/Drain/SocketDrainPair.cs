using System.Net;
using System.Net.Sockets;
using Spate.Cli.Bench.Baselines;

namespace Spate.Cli.Bench.Drain;

/// <summary>One blocking call of System.Net.Sockets per datagram.</summary>
internal sealed class SocketDrainPair : DrainPair
{
    // A receive waits only if a datagram was lost, and then the round is refused.
    private const int MaxWaitMilliseconds = 200;

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
        _receiver.ReceiveTimeout = MaxWaitMilliseconds;
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
            // The queue held fewer datagrams than were sent. The caller compares the counts.
        }
        return drained;
    }

    protected override void Close()
    {
        _receiver.Dispose();
        _sender.Dispose();
    }
}
