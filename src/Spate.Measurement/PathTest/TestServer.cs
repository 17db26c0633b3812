using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;
using Spate.Measurement.Pacing;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.PathTest;

/// <summary>
/// The end of tests that waits for clients, several at a time over one port. Before an address has proven that it
/// receives, it is sent nothing longer than came from it. <see cref="Run"/> blocks until its token ends it.
/// </summary>
internal sealed class TestServer : IDisposable
{
    private const int SlotBytes = 2048;

    private static readonly TimeSpan PollTime = TimeSpan.FromMilliseconds(100);

    private readonly TestServerOptions _options;
    private readonly UdpSocket _socket;
    private readonly AddressCookies _cookies;
    private readonly TestAdmission _admission;

    private TestServer(TestServerOptions options, UdpSocket socket, TimeProvider time)
    {
        _options = options;
        _socket = socket;
        _cookies = new AddressCookies(time);
        var facts = new AdmissionFacts(time, static () => CpuFacts.Read().UsableNumbers, TransmitTimeOffer.Fault);
        _admission = new TestAdmission(options, _cookies, socket.LocalEndPoint.Port, time, facts);
    }

    /// <summary>Where it listens; the port is the real one where the system chose it.</summary>
    public UdpEndPoint LocalEndPoint => _socket.LocalEndPoint;

    /// <summary>The socket that hears handshakes; those of the flows are opened with its backend.</summary>
    public UdpSocket Socket => _socket;

    public int ClientCount => _admission.Count;

    /// <summary>Throws where the backend is not to be had, or sockets cannot share a port.</summary>
    public static TestServer Open(TestServerOptions options, TimeProvider? timeProvider = null)
    {
        options.Validate();
        UdpSocketOptions socketOptions = PeerPort.ControlOptions(options.Transport.Backend, sharesPort: true) with
        {
            Metadata = IcmpSupport.IsPossible(options.Transport.Backend)
                ? UdpMetadata.LocalAddress
                : UdpMetadata.None,
        };

        // Its own flows share the port; another server at it would take a part of their handshakes.
        PeerPort.RequireFree(options.Local, socketOptions);
        return new TestServer(
            options, UdpSocket.Bind(options.Local, socketOptions), timeProvider ?? TimeProvider.System);
    }

    /// <summary>
    /// Until one test is over, where the options say so, or cancelled. Notices come on any thread; they may hold text
    /// of a client, unescaped.
    /// </summary>
    public void Run(Action<string>? onNotice = null, CancellationToken cancellationToken = default)
    {
        using ReceiveBatch batch = _socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotBytes = SlotBytes });
        using SendBatch replies = _socket.CreateSendBatch();
        _admission.Begin(onNotice);
        try
        {
            while (!cancellationToken.IsCancellationRequested && !(_options.EndsAfterOne && _admission.HasEndedOne))
            {
                ReceiveStatus status = _socket.Receive(batch, PollTime);
                if (status == ReceiveStatus.Closed) break;
                if (status == ReceiveStatus.Received) Handle(batch, replies);
            }
        }
        finally
        {
            _admission.End();
        }
    }

    public void Dispose()
    {
        _socket.Dispose();
        _admission.Dispose();
    }

    private void Handle(ReceiveBatch batch, SendBatch replies)
    {
        foreach (Datagram datagram in batch)
        {
            if (!MayBeAnswered(datagram) || !ControlMessage.TryRead(datagram.Payload, out ControlMessage message))
            {
                continue;
            }

            try
            {
                Answer(datagram, message, replies);
            }
            catch (Exception fault)
            {
                // Whatever one client has sent must not end the server for all of them.
                _admission.TellRefusal($"a message of {datagram.Peer} could not be answered: {fault.Message}");
            }
        }

        // What does not leave at once is dropped: the client asks again.
        if (replies.Count > 0) _ = _socket.Send(replies, TimeSpan.Zero);
        replies.Clear();
    }

    private void Answer(in Datagram datagram, in ControlMessage message, SendBatch replies)
    {
        switch (message.Kind)
        {
            case ControlKind.Hello when message.Body.Length >= HandshakeBodies.HelloBytes:
                Challenge(datagram, message, replies);
                break;
            case ControlKind.Request when message.Body.Length > HandshakeBodies.RequestBytes:
                string? refusal = _admission.Request(message.Body, datagram.Peer, datagram.LocalAddress);
                if (refusal is not null) Refuse(datagram, message, refusal, replies);
                break;
            case ControlKind.Join when message.Body.Length == HandshakeBodies.JoinBytes:
                _admission.Join(message, datagram.Peer, datagram.LocalAddress);
                break;
        }
    }

    // Nobody is at port 0, and an answer to many would be sent by many.
    private static bool MayBeAnswered(in Datagram datagram) =>
        datagram.Peer.Port != 0 && !datagram.Peer.Address.IsMulticast && !datagram.Peer.Address.IsBroadcast
        && !datagram.LocalAddress.IsMulticast && !datagram.LocalAddress.IsBroadcast;

    private static void Refuse(in Datagram datagram, in ControlMessage request, string text, SendBatch replies)
    {
        byte[] body = HandshakeBodies.Refusal(HandshakeBodies.NonceOf(request.Body), text);
        if (!replies.TryReserveReply(datagram, ControlMessage.HeaderBytes + body.Length, out Span<byte> payload))
        {
            return;
        }

        ControlMessage.WriteHeader(payload, ControlKind.Refuse, token: 0);
        body.CopyTo(payload[ControlMessage.HeaderBytes..]);
    }

    private void Challenge(in Datagram datagram, in ControlMessage hello, SendBatch replies)
    {
        const int length = ControlMessage.HeaderBytes + HandshakeBodies.ChallengeBytes;
        if (!replies.TryReserveReply(datagram, length, out Span<byte> payload)) return;

        ReadOnlySpan<byte> nonce = HandshakeBodies.NonceOf(hello.Body);
        ControlMessage.WriteHeader(payload, ControlKind.Challenge, hello.Token, hello.Number);
        nonce.CopyTo(payload[ControlMessage.HeaderBytes..]);
        _cookies.Issue(
            datagram.Peer, nonce, payload[(ControlMessage.HeaderBytes + HandshakeBodies.NonceBytes)..]);
    }
}

/// <summary>
/// What a <see cref="TestServer"/> offers, and to how many. CPUs and transport hold where the client names none.
/// </summary>
internal sealed record TestServerOptions : EndOptions
{
    public const int MaxMaxClients = 1024;

    /// <summary>Where to listen; control and data use this port. Default: port 9999 of any IPv4 address.</summary>
    public UdpEndPoint Local { get; init; } = UdpEndPoint.Any(9999);

    /// <summary>How many tests may run at the same time; more are refused. Default: 8.</summary>
    public int MaxClients { get; init; } = 8;

    /// <summary>The longest test, which is also the length of one that names none. Default: one hour.</summary>
    public TimeSpan MaxDuration { get; init; } = TimeSpan.FromHours(1);

    /// <summary>Of one test and direction; null (the default) for no limit.</summary>
    public double? MaxDatagramsPerSecond { get; init; }

    /// <summary>The key that every client must have; null (the default) for none.</summary>
    public TestKey? Key { get; init; }

    /// <summary>As with <c>--cpu auto</c>, for each test by itself; its CPUs are then not used.</summary>
    public bool AutomaticCpus { get; init; }

    /// <summary>Called with the plan of each test, on the server's thread, just before the test begins.</summary>
    public Action<CpuPlan>? OnPlan { get; init; }

    /// <summary>However it ends. One that ends before its data begins does not count. Default: false.</summary>
    public bool EndsAfterOne { get; init; }

    public override string ToString() => RecordText.Of(
        nameof(TestServerOptions), PrintMembers, (nameof(Cpus), Cpus));

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxClients, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxClients, MaxMaxClients);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxDuration, TimeSpan.FromMilliseconds(1));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxDuration.TotalSeconds, TestParameters.MaxSeconds);
        if (!(MaxDatagramsPerSecond is null or >= 1))
        {
            throw new ArgumentOutOfRangeException(nameof(MaxDatagramsPerSecond));
        }
    }
}
