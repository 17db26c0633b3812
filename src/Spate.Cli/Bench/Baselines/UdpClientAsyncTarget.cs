using System.Net;
using System.Net.Sockets;

namespace Spate.Cli.Bench.Baselines;

/// <summary>The async calls of UdpClient, which allocate an array and an endpoint object per datagram.</summary>
internal sealed class UdpClientAsyncTarget : BenchTarget
{
    public override string Name => "udpclient-async";

    public override bool ReceivesElsewhere => true;

    public override BenchReceiver CreateReceiver(BenchSetup setup) => new Receiver(OpenClient(setup));

    public override BenchSender CreateSender(BenchSetup setup, IPEndPoint peer) =>
        new Sender(OpenClient(setup), setup, peer);

    private static UdpClient OpenClient(BenchSetup setup) =>
        new(AddressFamily.InterNetwork) { Client = BaselineSocket.Open(setup.BufferBytes) };

    private sealed class Receiver(UdpClient client) : AsyncReceiver(client.Client)
    {
        protected override async Task ReceiveForEverAsync()
        {
            while (true)
            {
                UdpReceiveResult result = await client.ReceiveAsync().ConfigureAwait(false);
                long visited = BaselineSocket.Visit(result.RemoteEndPoint.Port, result.Buffer);
                Counters.Add(1, result.Buffer.Length, visited);
            }
        }

        protected override void Close() => client.Dispose();
    }

    private sealed class Sender(UdpClient client, BenchSetup setup, IPEndPoint peer) : AsyncSender
    {
        private readonly byte[] _payload = new byte[setup.SizeBytes];
        private ulong _sequence;

        protected override async ValueTask<int> SendBurstAsync()
        {
            int sent = 0;
            for (int i = 0; i < SinglesPerBurst; i++)
            {
                BaselineSocket.Write(_payload, _sequence++);
                _ = await client.SendAsync(_payload.AsMemory(), peer).ConfigureAwait(false);
                sent++;
            }
            return sent;
        }

        protected override void Close() => client.Dispose();
    }
}
