using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Spate.TestHelpers.Iperf3;

/// <summary>A client of plain sockets, which does what a test wants it to do, right or wrong.</summary>
internal sealed class HandMadeIperf3Client : IDisposable
{
    public const string Cookie = "abcdefghijklmnopqrstuvwxyz234567abcd";
    public const int LengthBytes = 64;

    /// <summary>What <see cref="ReadState"/> returns for a connection that has ended.</summary>
    public const int Ended = int.MinValue;

    public const int ServerError = -2;

    private const int CounterOffset = 8;

    // The system gives the port of a stream that is gone to another one, and what that sends reaches the first one's
    // test where the server has not closed it yet: streams of tests that vanish have no port twice.
    private static readonly ConcurrentDictionary<EndPoint, bool> UsedEnds = new();

    private readonly IPEndPoint _server;

    public HandMadeIperf3Client(IPEndPoint server)
    {
        _server = server;
        Control = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            NoDelay = true,
            ReceiveTimeout = (int)RunningIperf3Server.Patience.TotalMilliseconds,
        };
        Control.Connect(server);
    }

    public static byte[] CookieBytes => [.. Encoding.ASCII.GetBytes(Cookie), 0];

    public Socket Control { get; }

    public List<Socket> Streams { get; } = [];

    public static byte[] Message(string json) => [.. Length((uint)json.Length), .. Encoding.ASCII.GetBytes(json)];

    public static byte[] Length(uint length)
    {
        byte[] bytes = new byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(bytes, length);
        return bytes;
    }

    public static string Parameters(int streams = 1, string more = "") => string.Create(
        CultureInfo.InvariantCulture,
        $$"""{"udp":true,"omit":0,"time":10,"parallel":{{streams}},"len":{{LengthBytes}}{{more}}}""");

    public static byte[] Datagram(uint counter)
    {
        byte[] datagram = new byte[LengthBytes];
        BinaryPrimitives.WriteUInt32BigEndian(datagram.AsSpan(CounterOffset), counter);
        return datagram;
    }

    public static string Results(int packets, int streams = 1) =>
        """{"cpu_util_total":1,"cpu_util_user":1,"cpu_util_system":0,"sender_has_retransmits":-1,"streams":["""
        + string.Join(',', Enumerable.Range(0, streams).Select(i => string.Create(
            CultureInfo.InvariantCulture,
            $$$"""{"id":{{{(i == 0 ? 1 : i + 2)}}},"bytes":{{{packets * LengthBytes}}},"retransmits":-1,"jitter":0,"""
            + $$$""" "errors":0,"packets":{{{packets}}},"start_time":0,"end_time":1}""")))
        + "]}";

    public void Send(params byte[] bytes) => Control.Send(bytes);

    /// <summary>The next byte of the server; <see cref="Ended"/> where it has closed the connection.</summary>
    public int ReadState()
    {
        byte[] state = new byte[1];
        try
        {
            return Control.Receive(state) == 0 ? Ended : (sbyte)state[0];
        }
        catch (SocketException fault) when (fault.SocketErrorCode == SocketError.ConnectionReset)
        {
            return Ended;
        }
    }

    /// <summary>What the server sends until it closes the connection.</summary>
    public int[] ReadToEnd()
    {
        var states = new List<int>();
        while (ReadState() is var state && state != Ended) states.Add(state);
        return [.. states];
    }

    public int ReadNumber()
    {
        byte[] bytes = ReadExactly(sizeof(int));
        return BinaryPrimitives.ReadInt32BigEndian(bytes);
    }

    public byte[] ReadExactly(int count)
    {
        byte[] bytes = new byte[count];
        for (int read = 0; read < count;)
        {
            int more = Control.Receive(bytes.AsSpan(read));
            Assert.NotEqual(0, more);
            read += more;
        }

        return bytes;
    }

    public string ReadJson() => Encoding.UTF8.GetString(ReadExactly(ReadNumber()));

    /// <summary>Begins: cookie and parameters, until the server wants the streams.</summary>
    public void Begin(string parameters)
    {
        Ask(parameters);
        Assert.Equal(10, ReadState());
    }

    /// <summary>As <see cref="Begin"/>, but does not wait for the server's word about the streams.</summary>
    public void Ask(string parameters)
    {
        Send(CookieBytes);
        Assert.Equal(9, ReadState());
        Send(Message(parameters));
    }

    /// <summary>A socket of a stream that has asked for nothing yet.</summary>
    public Socket NewStream(IPAddress? from = null)
    {
        Socket socket;
        while (true)
        {
            socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
            {
                ReceiveTimeout = (int)RunningIperf3Server.Patience.TotalMilliseconds,
            };
            socket.Bind(new IPEndPoint(from ?? IPAddress.Loopback, 0));
            if (UsedEnds.TryAdd(socket.LocalEndPoint!, true)) break;
            socket.Dispose();
        }

        socket.Connect(_server);
        Streams.Add(socket);
        return socket;
    }

    /// <summary>Opens a stream, as iperf3 does; returns the answer.</summary>
    public byte[] OpenStream(string request = "9876")
    {
        Socket socket = NewStream();
        socket.Send(Encoding.Latin1.GetBytes(request));
        return Read(socket);
    }

    public static byte[] Read(Socket socket)
    {
        byte[] answer = new byte[2048];
        return answer[..socket.Receive(answer)];
    }

    /// <summary>Goes on until the data runs.</summary>
    public void Run(int streams = 1, string more = "")
    {
        Begin(Parameters(streams, more));
        for (int i = 0; i < streams; i++) Assert.Equal("6789"u8.ToArray(), OpenStream());
        Assert.Equal(1, ReadState());
        Assert.Equal(2, ReadState());
    }

    /// <summary>Says the end of the data, and waits until the server wants the results.</summary>
    public void EndData()
    {
        Send(4);
        Assert.Equal(13, ReadState());
    }

    /// <summary>Ends without a word, as a killed process does.</summary>
    public void Vanish(bool resets)
    {
        if (resets) Control.LingerState = new LingerOption(enable: true, seconds: 0);
        Dispose();
    }

    public void Dispose()
    {
        Streams.ForEach(static one => one.Dispose());
        Control.Dispose();
    }
}
