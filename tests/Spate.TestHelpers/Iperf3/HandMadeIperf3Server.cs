using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Spate.TestHelpers.Iperf3;

/// <summary>A server of plain sockets for one client, which does what a test wants it to do, right or wrong.</summary>
internal sealed class HandMadeIperf3Server : IDisposable
{
    private const int CookieBytes = 37;

    private Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private Socket _streams = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private readonly Task _run;
    private Socket? _control;

    /// <param name="talk">What is done once a client has connected; on a thread of its own.</param>
    public HandMadeIperf3Server(Action<HandMadeIperf3Server> talk)
    {
        Bind();
        _streams.ReceiveTimeout = (int)RunningIperf3Server.Patience.TotalMilliseconds;
        _run = Task.Factory.StartNew(
            () =>
            {
                _control = _listener.Accept();
                _control.ReceiveTimeout = _streams.ReceiveTimeout;
                try
                {
                    talk(this);
                }
                catch (SocketException)
                {
                    // The client has left meanwhile.
                }
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
    }

    public IPEndPoint EndPoint => (IPEndPoint)_listener.LocalEndPoint!;

    /// <summary>The requests for streams, in their order.</summary>
    public List<byte[]> Requests { get; } = [];

    /// <summary>The results of the client.</summary>
    public string? Results { get; private set; }

    public string? Parameters { get; private set; }

    public void Send(params byte[] bytes) => _control!.Send(bytes);

    public byte[] Read(int count)
    {
        byte[] bytes = new byte[count];
        for (int read = 0; read < count;)
        {
            int more = _control!.Receive(bytes.AsSpan(read));
            if (more == 0) throw new SocketException((int)SocketError.ConnectionReset);
            read += more;
        }

        return bytes;
    }

    public void Close() => _control!.Dispose();

    /// <summary>Waits until the client has closed the connection.</summary>
    public void AwaitEnd()
    {
        byte[] rest = new byte[4096];
        while (_control!.Receive(rest) > 0) { }
    }

    /// <summary>Takes the cookie and the parameters.</summary>
    public void Begin()
    {
        _ = Read(CookieBytes);
        Send(9);
        Parameters = ReadJson();
    }

    /// <summary>Asks for the streams, and answers the one that there is.</summary>
    /// <param name="ignored">So many requests are not answered.</param>
    /// <param name="answer">What is answered.</param>
    public void Join(int ignored = 0, string answer = "6789")
    {
        Begin();
        Send(10);
        EndPoint peer = new IPEndPoint(IPAddress.Any, 0);
        byte[] buffer = new byte[2048];
        for (int i = 0; i <= ignored; i++) Requests.Add(buffer[.._streams.ReceiveFrom(buffer, ref peer)]);
        _streams.SendTo(Encoding.Latin1.GetBytes(answer), peer);
        Peer = peer;
    }

    public EndPoint? Peer { get; private set; }

    public void SendDatagram(byte[] datagram) => _streams.SendTo(datagram, Peer!);

    /// <summary>Goes on until the client wants to exchange results, and has sent its own.</summary>
    public void RunData()
    {
        Join();
        Send(1, 2);
        Assert.Equal(4, Read(1)[0]);
        Send(13);
        Results = ReadJson();
    }

    public void SendJson(string json)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(json);
        Send([.. HandMadeIperf3Client.Length((uint)bytes.Length), .. bytes]);
    }

    public string ReadJson()
    {
        byte[] length = Read(sizeof(int));
        return Encoding.UTF8.GetString(Read((length[2] << 8) | length[3]));
    }

    public void Dispose()
    {
        _listener.Dispose();
        _control?.Dispose();
        _streams.Dispose();
        try
        {
            _run.Wait();
        }
        catch (AggregateException fault) when (fault.InnerException is SocketException or ObjectDisposedException)
        {
            // No client came, or it was left in the middle.
        }
    }

    // One port for both, which another socket may have.
    private void Bind()
    {
        while (true)
        {
            try
            {
                _streams.Bind(new IPEndPoint(IPAddress.Loopback, 0));
                _listener.Bind(_streams.LocalEndPoint!);
                _listener.Listen();
                return;
            }
            catch (SocketException fault) when (fault.SocketErrorCode == SocketError.AddressAlreadyInUse)
            {
                _listener.Dispose();
                _streams.Dispose();
                _listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                _streams = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            }
        }
    }
}
