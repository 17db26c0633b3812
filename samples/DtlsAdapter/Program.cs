using System.Runtime.InteropServices;
using Spate;
using Spate.Serving;

// A place for DTLS on top of a server: dotnet run -c Release --project samples/DtlsAdapter [PORT]
//
// A DTLS library such as BouncyCastle's wants a blocking transport for each connection. SessionTransport is one, over a
// session of a server: it has the methods of the interface DatagramTransport, and with the package it is one by adding
// ": DatagramTransport". No package is used here: a loop that sends whole records back stands for the protocol.

int port = args.Length > 0 ? int.Parse(args[0]) : 4433;
TaskCompletionSource stopped = new();
using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);

await using UdpServer server = UdpServer.Start(
    new UdpServerOptions
    {
        LocalEndPoints = [UdpEndPoint.Loopback(port)],
        ThreadCount = 1,
        TickInterval = TimeSpan.FromSeconds(1),
    },
    shard => new DtlsHandler(shard, Serve));
Console.WriteLine($"Taking records on {server.LocalEndPoints[0]}; Ctrl-C ends it.");
await Task.WhenAny(stopped.Task, server.Completion);
UdpServerStatistics statistics = await server.StopAsync(TimeSpan.FromSeconds(2));   // closes the transports
Console.WriteLine($"{statistics.Handled} handled, {statistics.Threads.Sum(static one => one.RepliesSent)} answered");

// With a library: new DtlsServerProtocol().Accept(yourServer, transport), and then the same loop on what it returns.
static void Serve(SessionTransport transport)
{
    byte[] record = new byte[transport.GetReceiveLimit()];
    try
    {
        while (true)
        {
            int length = transport.Receive(record, waitMillis: 1000);
            if (length >= 0 && DtlsHandler.IsRecord(record.AsSpan(0, length))) transport.Send(record.AsSpan(0, length));
        }
    }
    catch (IOException)
    {
        // The session has ended: the peer fell silent, or the server stops.
    }
}

void Stop(PosixSignalContext signal)
{
    signal.Cancel = true;   // the program ends by itself, with exit code 0
    stopped.TrySetResult();
}

internal sealed class DtlsHandler : UdpHandler
{
    private const int HeaderBytes = 13;
    private const int MaxConnections = 64;
    private const byte Handshake = 22;

    private readonly UdpShard _shard;
    private readonly Action<SessionTransport> _serve;
    private readonly SessionTable<SessionTransport> _sessions;

    public DtlsHandler(UdpShard shard, Action<SessionTransport> serve)
    {
        _shard = shard;
        _serve = serve;
        _sessions = shard.CreateSessionTable<SessionTransport>(
            new SessionTableOptions { MaxSessions = MaxConnections, IdleLimit = TimeSpan.FromMinutes(1) },
            static (in UdpEndPoint _, ref SessionTransport transport, SessionEnd _) => transport.Close());
    }

    /// <summary>Whether a datagram begins with a whole record of DTLS 1.0 or 1.2 (RFC 6347, 4.1).</summary>
    public static bool IsRecord(ReadOnlySpan<byte> payload) =>
        payload.Length >= HeaderBytes
        && payload[0] is >= 20 and <= 23
        && payload[1] == 0xFE && payload[2] is 0xFF or 0xFD
        && HeaderBytes + ((payload[11] << 8) | payload[12]) <= payload.Length;

    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        foreach (Datagram datagram in batch)
        {
            if (_sessions.TryGet(datagram.Peer, out SessionRef<SessionTransport> session))
            {
                session.Value.Put(datagram.Payload);
                continue;
            }

            // Here a library's DtlsVerifier answers with a cookie until the peer has proved its address. Without that,
            // anybody can take all places by forged addresses.
            if (!IsRecord(datagram.Payload) || datagram.Payload[0] != Handshake) continue;
            if (_sessions.TryAdmit(datagram.Peer, out session) != SessionAdmission.Admitted) continue;
            SessionTransport transport = new(_shard, datagram.Peer, _shard.LocalIndex);
            session.Value = transport;
            transport.Put(datagram.Payload);

            // Transports of this shape block, so a connection takes a thread: MaxConnections bounds their number.
            _ = Task.Factory.StartNew(
                () => _serve(transport),
                CancellationToken.None,
                TaskCreationOptions.LongRunning,
                TaskScheduler.Default);
        }
    }

    public override void OnTick(TimeSpan now, SendBatch replies) => _sessions.Age();
}
