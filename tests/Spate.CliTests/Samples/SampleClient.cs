using System.Net;
using System.Net.Sockets;

namespace Spate.CliTests.Samples;

/// <summary>A peer of a sample. Datagrams may be lost, so what is asked is asked again.</summary>
internal sealed class SampleClient : IDisposable
{
    private const int MaxAttempts = 60;

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private readonly byte[] _buffer = new byte[65_535];

    public SampleClient(IPEndPoint server)
    {
        _socket.ReceiveBufferSize = 1 << 20;
        _socket.Connect(server);
    }

    public async Task SendAsync(byte[] payload) =>
        await _socket.SendAsync(payload, TestContext.Current.CancellationToken);

    /// <summary>Waits for the next datagram.</summary>
    public async Task<byte[]> ReceiveAsync(CancellationToken cancellationToken)
    {
        int length = await _socket.ReceiveAsync(_buffer, cancellationToken);
        return _buffer[..length];
    }

    /// <summary>Sends a request, again and again, until an answer comes that is the expected one.</summary>
    public async Task<byte[]> AskAsync(byte[] request, Func<byte[], bool> isExpected)
    {
        for (int i = 0; i < MaxAttempts; i++)
        {
            await SendAsync(request);
            using var second = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
            second.CancelAfter(TimeSpan.FromSeconds(1));
            try
            {
                while (true)
                {
                    byte[] answer = await ReceiveAsync(second.Token);
                    if (isExpected(answer)) return answer;
                }
            }
            catch (OperationCanceledException) when (!TestContext.Current.CancellationToken.IsCancellationRequested)
            {
                // The request or its answer was lost, or the sample has not come to it yet.
            }
        }

        throw new TimeoutException("The sample gave no answer that was expected.");
    }

    public void Dispose() => _socket.Dispose();
}
