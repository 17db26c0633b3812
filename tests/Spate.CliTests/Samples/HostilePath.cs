using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Spate.CliTests.Samples;

/// <summary>
/// A path on loopback between one client and a server. Rules say which datagrams arrive in place of a sent one: none
/// if it is lost, several if it is repeated or others are forged.
/// </summary>
internal sealed class HostilePath : IAsyncDisposable
{
    // Longer than the timeouts of all tries.
    private static readonly TimeSpan Hour = TimeSpan.FromHours(1);

    private readonly Socket _towardsClient = Bound();
    private readonly Socket _towardsServer = Bound();
    private readonly Socket _stranger = Bound();
    private readonly CancellationTokenSource _end = new();
    private readonly SkippingTime _time = new();
    private readonly Task _relays;
    private volatile EndPoint? _client;

    /// <summary>Relays to a server; without one, everything is for the first rule.</summary>
    public HostilePath(
        IPEndPoint? server,
        Func<byte[], IEnumerable<byte[]>> toServer,
        Func<byte[], IEnumerable<byte[]>>? toClient = null)
    {
        if (server is not null) _towardsServer.Connect(server);
        _relays = Task.WhenAll(
            RelayAsync(_towardsClient, toServer, SendToServerAsync),
            server is null ? Task.CompletedTask : RelayAsync(_towardsServer, toClient ?? Pass, SendToClientAsync));
    }

    public UdpEndPoint EndPoint => UdpEndPoint.FromIPEndPoint((IPEndPoint)_towardsClient.LocalEndPoint!);

    /// <summary>The client's clock.</summary>
    public TimeProvider Time => _time;

    /// <summary>The timeout of the first try. A datagram that a busy host drops is sent again after it.</summary>
    public static TimeSpan FirstTimeout => TimeSpan.FromSeconds(10);

    public static IEnumerable<byte[]> Pass(byte[] payload) => [payload];

    /// <summary>Lets the timeout of every try end, and wakes the client with a datagram without meaning.</summary>
    public void EndTimeouts()
    {
        _time.Skip(Hour);
        _towardsClient.SendTo("?"u8, _client!);
    }

    /// <summary>Sends a datagram to the client as the server.</summary>
    public void SendToClient(byte[] payload) => _towardsClient.SendTo(payload, _client!);

    /// <summary>Sends a datagram to the client from another end point than the server's.</summary>
    public void SendByStranger(byte[] payload) => _stranger.SendTo(payload, _client!);

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _relays;
        _towardsClient.Dispose();
        _towardsServer.Dispose();
        _stranger.Dispose();
        _end.Dispose();
    }

    private static Socket Bound()
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    private async Task RelayAsync(
        Socket from, Func<byte[], IEnumerable<byte[]>> rule, Func<byte[], ValueTask<int>> sendAsync)
    {
        byte[] buffer = new byte[65_535];
        var any = new IPEndPoint(IPAddress.Any, 0);
        try
        {
            while (true)
            {
                SocketReceiveFromResult received = await from.ReceiveFromAsync(buffer, any, _end.Token);
                if (from == _towardsClient) _client = received.RemoteEndPoint;
                foreach (byte[] payload in rule(buffer[..received.ReceivedBytes])) await sendAsync(payload);
            }
        }
        catch (OperationCanceledException)
        {
            // The test is over.
        }
    }

    private ValueTask<int> SendToServerAsync(byte[] payload) => _towardsServer.SendAsync(payload, _end.Token);

    private ValueTask<int> SendToClientAsync(byte[] payload) =>
        _towardsClient.SendToAsync(payload, _client!, _end.Token);

    /// <summary>The system's time stamps, and the time that a test has skipped.</summary>
    private sealed class SkippingTime : TimeProvider
    {
        private long _skipped;

        public override long GetTimestamp() => Stopwatch.GetTimestamp() + Interlocked.Read(ref _skipped);

        public void Skip(TimeSpan time) =>
            Interlocked.Add(ref _skipped, (long)(time.TotalSeconds * TimestampFrequency));
    }
}
