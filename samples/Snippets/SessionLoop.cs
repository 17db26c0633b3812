using Spate;
using Spate.Serving;

namespace Snippets;

/// <summary>The code of docs/build/sessions.md.</summary>
internal static class SessionLoop
{
    public static void Run(UdpSocket socket, ReceiveBatch batch)
    {
        // docs: loop
        var sessions = new SessionTable<Client>(
            new SessionTableOptions { MaxSessions = 200_000, IdleTimeout = TimeSpan.FromMinutes(5) },
            (in UdpEndPoint peer, ref Client client, SessionEndReason reason) => client.Close());

        while (socket.Receive(batch, TimeSpan.FromMilliseconds(100)) != ReceiveStatus.Closed)
        {
            sessions.Prefetch(batch);                                       // pays with many thousand sessions
            foreach (Datagram datagram in batch)
            {
                if (sessions.TryGet(datagram.Peer, out SessionRef<Client> session))
                {
                    session.Value.Handle(datagram.Payload);                 // in place: nothing is copied
                }
                else if (ProvesItsAddress(datagram)                         // your code: a cookie, a signature, a list
                    && sessions.GetOrAdmit(datagram.Peer, out session) == SessionAdmission.Admitted)
                {
                    session.Value = new Client(datagram.Peer);
                }
            }

            sessions.RemoveExpired();                         // ends a few idle sessions, if it is time
        }

        sessions.Clear();                                                   // ends the sessions that are left
        // end
    }

    private static bool ProvesItsAddress(in Datagram datagram) => datagram.Payload.Length >= 32;

    private struct Client(UdpEndPoint peer)
    {
        private long _bytes;

        public void Handle(ReadOnlySpan<byte> payload) => _bytes += payload.Length;

        public readonly void Close() => Console.WriteLine($"{peer}: {_bytes} bytes");
    }
}
