using System.Globalization;
using System.Net.Sockets;
using FsCheck;
using FsCheck.Fluent;
using Microsoft.FSharp.Core;
using Spate.Buffers;

namespace Spate.Tests;

/// <summary>
/// Any sequence of calls, legal and illegal, leaves a batch as a simple model says, and what is sent arrives byte by
/// byte.
/// </summary>
public sealed class SendBatchPropertyTests : IDisposable
{
    private const int PeerCount = 3;

    /// <summary>A datagram without a peer, which a socket that is not connected refuses.</summary>
    private const int NoPeer = PeerCount;

    /// <summary>Which way of reserving leaves the peer away, and how many there are.</summary>
    private const int WithoutPeer = 3;

    private const int FormCount = 6;
    private const int Capacity = 24;
    private const int RequestCount = 2 * PeerCount;
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);
    private static readonly int[] SizesBytes = [0, 1, 50, 100, 100, 100, 101, 1380, 20_000, 65_507];
    private static readonly int[] IllegalBytes = [-1, -2, -100, int.MinValue, 65_528, int.MaxValue];

    // The framework's own integers are small, and would name few calls.
    private static readonly Arbitrary<int[]> AnyCalls =
        Arb.From(Gen.Choose(int.MinValue, int.MaxValue).ArrayOf(), Shorter);

    private readonly UdpSocket[] _peers = new UdpSocket[PeerCount];
    private readonly byte[] _received = new byte[ushort.MaxValue];
    private UdpSocket? _socket;
    private ReceiveBatch? _requests;
    private SendBatch? _batch;
    private readonly SendBatchModel _model = new(Capacity, SendBatch.MaxPayloadBytes);
    private int _nextContent;

    [Theory]
    [InlineData(UdpBackend.Mmsg)]
    [InlineData(UdpBackend.Portable)]
    public void AnyCalls_LegalAndIllegal_FollowTheModel(UdpBackend backend)
    {
        UdpCapability mmsg = UdpCapabilities.Current.Mmsg;
        Assert.SkipUnless(backend == UdpBackend.Portable || mmsg.IsAvailable, $"no Mmsg backend: {mmsg.Reason}");
        Open(backend);
        string? given = Environment.GetEnvironmentVariable("SPATE_SEED");
        int seed = given is null ? Random.Shared.Next() : int.Parse(given, CultureInfo.InvariantCulture);
        TestContext.Current.TestOutputHelper?.WriteLine($"SPATE_SEED={seed}");
        FsCheck.Check.One(
            Config.QuickThrowOnFailure
                .WithMaxTest(TestWidth.Of(400, full: 10_000))
                .WithEndSize(150)
                .WithQuietOnSuccess(true)
                .WithReplay(new Replay(new Rnd((ulong)seed, 1), FSharpOption<int>.None)),
            Prop.ForAll(AnyCalls, CheckCalls));
    }

    public void Dispose()
    {
        _batch?.Dispose();
        _requests?.Dispose();
        _socket?.Dispose();
        foreach (UdpSocket peer in _peers) peer?.Dispose();
    }

    private void Open(UdpBackend backend)
    {
        UdpSocketOptions options = new() { Backend = backend, ReceiveBufferBytes = 1 << 20 };
        _socket = UdpSocket.Bind(UdpEndPoint.Loopback(0), options);
        _batch = _socket.CreateSendBatch(new() { Capacity = Capacity, BufferBytes = SendBatch.MaxPayloadBytes });
        for (int i = 0; i < PeerCount; i++) _peers[i] = UdpSocket.Bind(UdpEndPoint.Loopback(0), options);

        // As if the peers had asked; answers name the address that they leave from where the backend can.
        ReceiveSlots slots = new(RequestCount, slotBytes: 100, bufferBytes: 100);
        _requests = new ReceiveBatch(backend, slots);
        slots.HasInfo = backend == UdpBackend.Mmsg;
        for (int i = 0; i < RequestCount; i++)
        {
            byte[] content = NewContent(100 - (i / 2));
            content.CopyTo(slots.ArrayOf(i), 0);
            slots.All[i].LengthBytes = content.Length;
            slots.All[i].Peer = _peers[i % PeerCount].LocalEndPoint;
            slots.InfoForWriting[i].ReplyAddress = UdpEndPoint.Loopback(0);
        }

        slots.Complete(RequestCount);
    }

    private static IEnumerable<int[]> Shorter(int[] codes) =>
        codes.Select((_, index) => (int[])[.. codes[..index], .. codes[(index + 1)..]]);

    private void CheckCalls(int[] codes)
    {
        _model.Clear();
        _batch!.Clear();
        foreach (int code in codes) Call((uint)code);
        SendAndCheck();
    }

    private void Call(uint bits)
    {
        int peerIndex = (int)((bits >> 8) % PeerCount);
        int lengthBytes = SizesBytes[(bits >> 12) % (uint)SizesBytes.Length];
        int illegalBytes = IllegalBytes[(bits >> 16) % (uint)IllegalBytes.Length];
        int form = (int)((bits >> 20) % FormCount);
        switch (bits >> 27)
        {
            case < 14:
                Reserve(form, peerIndex, lengthBytes);
                break;
            case < 18:
                ReserveIllegally(form, peerIndex, illegalBytes);
                break;
            case < 22:
                Trim(lengthBytes);
                break;
            case < 24:
                Trim(illegalBytes);
                break;
            case < 28:
                Forward(peerIndex, (int)((bits >> 12) % RequestCount));
                break;
            case < 29:
                _batch!.Clear();
                _model.Clear();
                break;
            case < 31:
                SendAndCheck();
                break;
            default:
                // Many alike take the short way.
                for (int i = 0; i < 5; i++) Reserve(FormCount, peerIndex, 100);
                break;
        }

        Assert.Equal(_model.Count, _batch!.Count);
    }

    private void Reserve(int form, int peerIndex, int lengthBytes)
    {
        byte[] content = NewContent(lengthBytes);
        bool reserved = TryReserve(form, peerIndex, lengthBytes, content);
        Assert.Equal(_model.HasRoomFor(lengthBytes), reserved);
        if (reserved) _model.Reserve(form == WithoutPeer ? NoPeer : peerIndex, content);
    }

    private void ReserveIllegally(int form, int peerIndex, int lengthBytes)
    {
        byte[] content = new byte[SendBatch.MaxPayloadBytes + 1];
        ArgumentOutOfRangeException fault = Assert.Throws<ArgumentOutOfRangeException>(
            () => TryReserve(form, peerIndex, lengthBytes, content));
        Assert.Equal("length", fault.ParamName);
    }

    private bool TryReserve(int form, int peerIndex, int lengthBytes, byte[] content)
    {
        UdpEndPoint peer = _peers[peerIndex].LocalEndPoint;
        SendControl control = _socket!.Backend == UdpBackend.Portable
            ? default
            : new SendControl { TrafficClass = 4 * (lengthBytes & 1) };
        Span<byte> payload;
        bool reserved;
        switch (form)
        {
            case 0:
                return _batch!.TryAdd(content, peer);
            case 1:
                reserved = _batch!.TryReserve(peer, control, lengthBytes, out payload);
                break;
            case 2:
                reserved = _batch!.TryReserveReply(_requests![peerIndex], lengthBytes, out payload);
                break;
            case WithoutPeer:
                reserved = _batch!.TryReserve(lengthBytes, out payload);
                break;
            default:
                reserved = _batch!.TryReserve(peer, lengthBytes, out payload);
                break;
        }

        Assert.Equal(reserved ? lengthBytes : 0, payload.Length);
        if (reserved) content.CopyTo(payload);
        return reserved;
    }

    private void Trim(int lengthBytes)
    {
        int reservedBytes = _model.ReservedBytes;
        if (reservedBytes < 0)
        {
            Assert.Throws<InvalidOperationException>(() => _batch!.Trim(lengthBytes));
        }
        else if ((uint)lengthBytes > (uint)reservedBytes)
        {
            Assert.Throws<ArgumentOutOfRangeException>(() => _batch!.Trim(lengthBytes));
        }
        else
        {
            _batch!.Trim(lengthBytes);
            _model.Trim(lengthBytes);
        }
    }

    private void Forward(int peerIndex, int requestIndex)
    {
        Datagram datagram = _requests![requestIndex];
        Assert.Equal(_model.CanForward, _batch!.TryForward(datagram, _peers[peerIndex].LocalEndPoint));
        if (_model.CanForward) _model.Forward(peerIndex, datagram.Payload.ToArray());
    }

    private void SendAndCheck()
    {
        int refusedCount = _model.PayloadsOf(NoPeer).Length;
        SendResult result = _socket!.Send(_batch!);
        Assert.Equal((_model.Count - refusedCount, refusedCount, 0), (result.Sent, result.Refused, result.Remaining));
        Assert.Equal(refusedCount > 0, result.FirstError != SocketError.Success);
        Assert.Equal(0, _batch!.Count);
        for (int i = 0; i < PeerCount; i++)
        {
            foreach (byte[] payload in _model.PayloadsOf(i))
            {
                Assert.Equal(
                    ReceiveStatus.Received, _peers[i].ReceiveFrom(_received, Patience, out ReceivedDatagram datagram));
                Assert.True(payload.AsSpan().SequenceEqual(_received.AsSpan(0, datagram.Length)));
            }

            Assert.Equal(ReceiveStatus.Empty, _peers[i].TryReceiveFrom(_received, out _));
        }

        _model.Clear();
        for (int i = 0; i < RequestCount; i++) Assert.False(_requests!.Slots.BufferOf(i).IsShared);
    }

    /// <summary>No two alike, so that bytes of another datagram are seen.</summary>
    private byte[] NewContent(int lengthBytes)
    {
        byte[] content = new byte[lengthBytes];
        int first = _nextContent++;
        for (int i = 0; i < content.Length; i++) content[i] = (byte)((first * 31) + (i * 7) + (i >> 8));
        return content;
    }
}
