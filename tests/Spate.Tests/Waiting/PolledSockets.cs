using System.Buffers.Binary;
using Spate.Waiting;

namespace Spate.Tests.Waiting;

/// <summary>
/// Some sockets in a poller, one that sends numbered datagrams to them, and a handler that keeps account.
/// </summary>
internal sealed class PolledSockets : IDisposable
{
    private readonly UdpSocket _sender = UdpSocket.Bind(UdpEndPoint.Loopback(0));
    private long _handledCount;

    public PolledSockets(int count, UdpBackend backend, PollSource source)
    {
        UdpCapability mmsg = UdpCapabilities.Current.Mmsg;
        Assert.SkipUnless(backend != UdpBackend.Mmsg || mmsg.IsAvailable, mmsg.Reason);
        UdpCapability winsock = UdpCapabilities.Current.Winsock;
        Assert.SkipUnless(backend != UdpBackend.Winsock || winsock.IsAvailable, winsock.Reason);
        Poller = new UdpPoller<Account>(source);
        var options = new UdpSocketOptions { Backend = backend, CoalescedReceive = false };
        for (int i = 0; i < count; i++)
        {
            UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0), options);
            Sockets.Add(socket);
            Accounts.Add(new Account());
            Poller.Add(socket, Accounts[i]);
        }
    }

    public UdpPoller<Account> Poller { get; }

    public List<UdpSocket> Sockets { get; } = [];

    public List<Account> Accounts { get; } = [];

    public long HandledCount => Interlocked.Read(ref _handledCount);

    public void Send(int index, int count)
    {
        Span<byte> payload = stackalloc byte[sizeof(long)];
        for (int i = 0; i < count; i++)
        {
            BinaryPrimitives.WriteInt64LittleEndian(payload, Accounts[index].Sent++);
            Assert.Equal(1, _sender.SendTo(payload, Sockets[index].LocalEndPoint).Sent);
        }
    }

    public ReceiveBatch CreateBatch() => Sockets[0].CreateReceiveBatch(new ReceiveBatchOptions { SlotCount = 4 });

    public void Handle(UdpSocket socket, ReceiveBatch batch, Account account)
    {
        if (Interlocked.Exchange(ref account.Inside, 1) != 0) account.OverlapCount++;
        int handled = 0;
        foreach (Datagram datagram in batch)
        {
            // Others can send to a port of the loopback, such as a test whose receiver had it before.
            if (datagram.Peer != _sender.LocalEndPoint) continue;
            handled++;
            if (BinaryPrimitives.ReadInt64LittleEndian(datagram.Payload) != account.Handled) account.DisorderCount++;
            account.Handled++;
        }

        Volatile.Write(ref account.Inside, 0);
        Interlocked.Add(ref _handledCount, handled);
    }

    public void Dispose()
    {
        Poller.Dispose();
        Sockets.ForEach(static socket => socket.Dispose());
        _sender.Dispose();
    }

    /// <summary>What became of one socket's datagrams.</summary>
    internal sealed class Account
    {
        public int Inside;

        public long Sent { get; set; }

        public long Handled { get; set; }

        public int OverlapCount { get; set; }

        public int DisorderCount { get; set; }
    }
}
