using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.Tests.Cli.Iperf.Iperf3.Wire;

public sealed class ControlStreamTests : IDisposable
{
    private const string Cookie = "abcdefghijklmnopqrstuvwxyz234567abcd";

    private static readonly TimeSpan Long = TimeSpan.FromSeconds(30);

    private readonly LookedAtTime _time = new();
    private readonly Socket _peer;
    private readonly ControlStream _stream;

    public ControlStreamTests()
    {
        using var listener = new Socket(AddressFamily.InterNetworkV6, SocketType.Stream, ProtocolType.Tcp);
        listener.DualMode = true;
        listener.Bind(new IPEndPoint(IPAddress.IPv6Any, 0));
        listener.Listen();
        _peer = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        _peer.Connect(IPAddress.Loopback, ((IPEndPoint)listener.LocalEndPoint!).Port);
        _peer.ReceiveTimeout = (int)Long.TotalMilliseconds;
        _stream = new ControlStream(listener.Accept(), _time);
    }

    public void Dispose()
    {
        _peer.Dispose();
        _stream.Dispose();
    }

    [Fact]
    public void EndPoints_MappedAddress_AreOfIpv4()
    {
        Assert.Equal(_peer.LocalEndPoint, _stream.Remote);
        Assert.Equal(_peer.RemoteEndPoint, _stream.Local);
        if (OperatingSystem.IsLinux()) Assert.InRange(_stream.ReadMaxSegmentBytes(), 500, 65_535);
    }

    [Fact]
    public void Send_EachMessage_IsThatOfTheProtocol()
    {
        _stream.SendCookie(Cookie);
        _stream.SendState(Iperf3State.ParameterExchange);
        _stream.SendState(Iperf3State.AccessDenied);
        _stream.SendError(27, -1);
        _stream.SendJson("{}"u8);

        Assert.Equal(
            Convert.ToHexString(Encoding.ASCII.GetBytes(Cookie)) + "00" + "09" + "FF" + "FE0000001BFFFFFFFF"
                + "000000027B7D",
            Convert.ToHexString(ReadPeer(37 + 1 + 1 + 9 + 6)));
    }

    [Theory]
    [InlineData("")]
    [InlineData("abcdefghijklmnopqrstuvwxyz234567abc")]
    [InlineData("abcdefghijklmnopqrstuvwxyz234567abc\u00e9")]
    public void SendCookie_OfAnotherForm_IsRefused(string cookie) =>
        Assert.Throws<ArgumentException>(() => _stream.SendCookie(cookie));

    [Fact]
    public void Read_EachMessage_IsTaken()
    {
        _peer.Send([.. Encoding.ASCII.GetBytes(Cookie), 0]);
        _peer.Send([0x04, 0xFE, 0, 0, 0, 0x1B, 0xFF, 0xFF, 0xFF, 0xFF, 0x80, 0, 0, 0, 2, (byte)'{', (byte)'}']);

        Assert.Equal(Cookie, _stream.ReadCookie(Long));
        Assert.Equal(Iperf3State.TestEnd, ReadState());
        Assert.Equal(Iperf3State.ServerError, ReadState());
        Assert.Equal((27, -1), _stream.ReadError());
        Assert.Equal((Iperf3State)sbyte.MinValue, ReadState());
        Assert.Equal("{}"u8.ToArray(), _stream.ReadJson(2, Long));
        Assert.False(_stream.TryReadState(TimeSpan.Zero, out _));
    }

    [Theory]
    [InlineData("GET / HTTP/1.1\r\nHost: localhost:5201\r\n", false)]
    [InlineData("abc\u001b[2Jghijklmnopqrstuvwxyz234567abcd\0", false)]
    [InlineData("host.1234.5678\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", true)]
    public void ReadCookie_OfOldVersionsAndOtherPrograms_TakesTheFormer(string sent, bool isTaken)
    {
        _peer.Send(Encoding.ASCII.GetBytes(sent));

        if (isTaken) Assert.Equal("host.1234.5678", _stream.ReadCookie(Long));
        else Assert.Contains("another program", Fault(() => _stream.ReadCookie(Long)), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0u)]
    [InlineData(8193u)]
    [InlineData(0x8000_0000u)]
    [InlineData(uint.MaxValue)]
    public void ReadJson_LengthOutOfRange_IsRefusedWithoutReading(uint length)
    {
        byte[] header = new byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(header, length);
        _peer.Send(header);

        Assert.Contains(
            $"announced {length} bytes of JSON, but 1 to 8192 are allowed",
            Fault(() => _stream.ReadJson(ParameterJson.MaxBytes, Long)),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task ReadJson_LongestAllowed_IsWhole()
    {
        byte[] json = new byte[ResultsJson.MaxBytes];
        new Random(1).NextBytes(json);
        byte[] header = new byte[sizeof(uint)];
        BinaryPrimitives.WriteInt32BigEndian(header, json.Length);
        Task sending = Task.Run(() => _peer.Send([.. header, .. json]), TestContext.Current.CancellationToken);

        Assert.Equal(json, _stream.ReadJson(ResultsJson.MaxBytes, Long));
        await sending.WaitAsync(Long, TestContext.Current.CancellationToken);
    }

    [Fact]
    public void ReadJson_ClaimedLengthThatDoesNotCome_TakesNoMemoryForIt()
    {
        _peer.Send([0, 0x10, 0, 0, (byte)'{']);
        _peer.Shutdown(SocketShutdown.Send);

        long before = GC.GetAllocatedBytesForCurrentThread();
        string fault = Fault(() => _stream.ReadJson(ResultsJson.MaxBytes, Long));

        Assert.Contains("the other end closed it", fault, StringComparison.Ordinal);
        Assert.True(GC.GetAllocatedBytesForCurrentThread() - before < ResultsJson.MaxBytes / 4);
    }

    [Fact]
    public void ReadJson_AByteNowAndThen_EndsWithTheMessagesTime()
    {
        _peer.Send([0, 0, 0x10, 0]);
        _time.OnLook = () => _peer.Send("{"u8);

        Assert.Contains(
            "did not send its JSON in time",
            Fault(() => _stream.ReadJson(ParameterJson.MaxBytes, ControlStream.MessageTime)),
            StringComparison.Ordinal);
    }

    [Fact]
    public void ReadCookie_SilentClient_EndsWithItsTime()
    {
        _time.OnLook = static () => { };

        Assert.Contains(
            "did not send its cookie in time",
            Fault(() => _stream.ReadCookie(ControlStream.MessageTime)),
            StringComparison.Ordinal);
    }

    [Fact]
    public void ReadError_HalfOfIt_EndsWithItsTime()
    {
        _peer.Send([0, 0, 0, 7]);
        _time.OnLook = static () => { };

        Assert.Contains(
            "did not send its error in time", Fault(() => _stream.ReadError()), StringComparison.Ordinal);
    }

    [Fact]
    public void SendJson_ToOneThatReadsNothing_EndsWithItsTime()
    {
        _time.OnLook = static () => { };

        Assert.Contains(
            "does not read its data",
            Fault(() => _stream.SendJson(new byte[64 << 20])),
            StringComparison.Ordinal);
    }

    [Fact]
    public void TryReadState_EndedByTheOtherSide_SaysSo()
    {
        _peer.Send([0x0C]);
        _peer.Shutdown(SocketShutdown.Send);

        Assert.Equal(Iperf3State.ClientTerminate, ReadState());
        Assert.Contains(
            $"the control connection with {_peer.LocalEndPoint} ended: the other end closed it",
            Fault(() => _stream.TryReadState(Long, out _)),
            StringComparison.Ordinal);
    }

    [Fact]
    public void TryReadState_ConnectionReset_SaysSo()
    {
        string client = _peer.LocalEndPoint!.ToString()!;
        _peer.LingerState = new LingerOption(enable: true, seconds: 0);
        _peer.Close();

        Assert.Contains(client, Fault(() => _stream.TryReadState(Long, out _)), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Abort_WhileAnotherThreadReads_EndsTheRead(bool isDisposed)
    {
        Task<string> reading = Start(() => _stream.TryReadState(Long, out _));

        if (isDisposed) _stream.Dispose();
        else _stream.Abort();

        Assert.Contains(
            "the control connection with", await reading.WaitAsync(Long, TestContext.Current.CancellationToken),
            StringComparison.Ordinal);
        _stream.Abort();
    }

    [Fact]
    public void Send_AfterTheEnd_SaysSo()
    {
        _stream.Abort();

        Assert.Contains("ended", Fault(() => _stream.SendState(Iperf3State.TestEnd)), StringComparison.Ordinal);
    }

    private static string Fault(Action action) => Assert.Throws<Iperf3Exception>(action).Message;

    private static Task<string> Start(Action action) =>
        Task.Run(() => Fault(action), TestContext.Current.CancellationToken);

    private Iperf3State ReadState()
    {
        Assert.True(_stream.TryReadState(Long, out Iperf3State state));
        return state;
    }

    private byte[] ReadPeer(int count)
    {
        byte[] bytes = new byte[count];
        for (int read = 0; read < count;)
        {
            int more = _peer.Receive(bytes.AsSpan(read));
            Assert.NotEqual(0, more);
            read += more;
        }

        return bytes;
    }

    // A clock that goes on with every look at it, once it is told what happens meanwhile.
    private sealed class LookedAtTime : TimeProvider
    {
        private long _seconds;

        public Action? OnLook { get; set; }

        public override long TimestampFrequency => 1;

        public override long GetTimestamp()
        {
            if (OnLook is null) return _seconds;

            OnLook();
            return ++_seconds;
        }
    }
}
