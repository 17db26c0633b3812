using System.IO.MemoryMappedFiles;
using System.Net;
using System.Net.Sockets;
using Spate;
using Spate.Gateway;

// Runs gateways, each with a sender of its own, until it is killed. What each gateway has committed goes into a file
// that outlives the process, as soon as it is known: that must be in the stream afterwards. Arguments: TARGET STREAM
// FIRST-ID COUNT FILE
(string target, string stream) = (args[0], args[1]);
int firstId = int.Parse(args[2]);
int count = int.Parse(args[3]);
using var file = MemoryMappedFile.CreateFromFile(args[4], FileMode.Open);
using MemoryMappedViewAccessor committed = file.CreateViewAccessor();

var gateways = new UdpGateway[count];
for (int i = 0; i < count; i++)
{
    gateways[i] = await UdpGateway.StartAsync(new UdpGatewayOptions
    {
        LocalEndPoints = [UdpEndPoint.FromIPEndPoint(new IPEndPoint(IPAddress.Loopback, 0))],
        Target = GatewayTarget.Parse(target),
        QueueName = stream,
        Id = $"victim-{firstId + i}",
        ThreadCount = 1,
        MemoryBytes = 4 << 20,
        PackBytes = 16 * 1024,
        PackWait = TimeSpan.FromMilliseconds(2),

        // Twenty begin at once, also where other programs take the CPUs.
        ConnectTimeout = TimeSpan.FromMinutes(1),
    });
}

using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
SocketAddress[] ends = [.. gateways.Select(static one => one.LocalEndPoints[0].ToIPEndPoint().Serialize())];
byte[] payload = new byte[200];
using var ticks = new PeriodicTimer(TimeSpan.FromMilliseconds(1));
Console.WriteLine("ready");
while (await ticks.WaitForNextTickAsync())
{
    for (int i = 0; i < 5 * count; i++) socket.SendTo(payload, SocketFlags.None, ends[i % count]);
    for (int i = 0; i < count; i++) committed.Write(8L * i, gateways[i].GetStatistics().Committed);
}
