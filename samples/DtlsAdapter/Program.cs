using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using Spate;
using Spate.Serving;

// A place for DTLS on top of a server: dotnet run -c Release --project samples/DtlsAdapter [PORT]
//
// A DTLS library such as BouncyCastle's wants a blocking transport for each connection. SessionTransport is one, over a
// session of a server: it has the methods of the interface DatagramTransport, and with the package it is one by adding
// ": DatagramTransport". No package is used here: a loop that sends datagrams back stands for the protocol.

int port = args.Length > 0 ? int.Parse(args[0]) : 4433;
await using UdpServer server = UdpServer.Start(
    new UdpServerOptions
    {
        LocalEndPoints = [UdpEndPoint.Loopback(port)],
        ThreadCount = 1,
        TickInterval = TimeSpan.FromSeconds(1),
    },
    shard => new DtlsHandler(shard));
using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
Console.WriteLine($"Taking records on {server.LocalEndPoints[0]}; Ctrl-C ends it.");
await server.Completion;
UdpServerStatistics statistics = server.GetStatistics();
Console.WriteLine($"{statistics.Handled} handled, {statistics.Threads.Sum(static one => one.RepliesSent)} answered");

void Stop(PosixSignalContext signal)
{
    signal.Cancel = true;   // the program ends by itself, with exit code 0
    _ = server.StopAsync();   // closes the transports
}

internal sealed class DtlsHandler(UdpShard shard) : UdpHandler
{
    private const int MaxConnections = 64;
    private const byte Alert = 21;       // here it ends the connection, as close_notify does
    private const byte Handshake = 22;   // begins a record; the version follows, 1.0 or 1.2 (RFC 6347, 4.1)

    private readonly SessionTable<SessionTransport> _sessions = shard.CreateSessionTable<SessionTransport>(
        new SessionTableOptions { MaxSessions = MaxConnections, IdleTimeout = TimeSpan.FromMinutes(1) },
        static (in UdpEndPoint _, ref SessionTransport transport, SessionEndReason _) => transport.Close());

    // The connections that have ended by themselves: their threads may not touch the table.
    private readonly ConcurrentQueue<SessionTransport> _ended = new();

    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        FreePlaces();
        foreach (Datagram datagram in batch)
        {
            if (!_sessions.TryGet(datagram.Peer, out SessionRef<SessionTransport> session))
            {
                // Here a library's DtlsVerifier answers with a cookie until the peer has proved its address. Without
                // that, anybody can take all places by forged addresses.
                if (datagram.Payload is not [Handshake, 0xFE, 0xFF or 0xFD, ..]) continue;
                if (_sessions.GetOrAdmit(datagram.Peer, out session) != SessionAdmission.Admitted) continue;
                SessionTransport transport = new(shard, datagram.Peer);
                session.Value = transport;

                // Transports of this shape block, so a connection takes a thread: MaxConnections bounds their number.
                _ = Task.Factory.StartNew(
                    () => Serve(transport), default, TaskCreationOptions.LongRunning, TaskScheduler.Default);
            }

            session.Value.Put(datagram.Payload);
        }
    }

    public override void OnTick(TimeSpan elapsed, SendBatch replies) => _sessions.RemoveExpired();

    // A peer may have a new session in the place of the one that ended.
    private void FreePlaces()
    {
        while (_ended.TryDequeue(out SessionTransport? transport))
        {
            if (_sessions.TryGet(transport.Peer, out SessionRef<SessionTransport> session)
                && session.Value == transport)
            {
                _sessions.Remove(transport.Peer);
            }
        }
    }

    // With a library: new DtlsServerProtocol().Accept(yourServer, transport), then this loop on what it returns.
    private void Serve(SessionTransport transport)
    {
        byte[] buffer = new byte[transport.GetReceiveLimit()];
        try
        {
            while (true)
            {
                int length = transport.Receive(buffer, waitMillis: 1000);
                if (length > 0 && buffer[0] == Alert) break;
                if (length >= 0) transport.Send(buffer.AsSpan(0, length));
            }
        }
        catch (IOException)
        {
            // The session has ended: the peer fell silent, or the server stops.
        }
        catch (Exception fault)
        {
            // A fault of one connection must not end the others. A peer may have chosen the words of its message.
            Console.Error.WriteLine($"A connection ended by {fault.GetType().Name}.");
        }
        finally
        {
            transport.Close();
            _ended.Enqueue(transport);
        }
    }
}
