using Spate.Measurement.Counting;
using Spate.Measurement.Pacing;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.PathTest;

/// <summary>Asks for a test and brings together what both ends have measured. One test per object.</summary>
internal sealed class TestClient : IDisposable
{
    private static readonly TimeSpan JoinStep = TimeSpan.FromMilliseconds(5);

    private readonly TestClientOptions _options;
    private readonly TimeProvider _time;
    private readonly ControlLink _link;
    private readonly List<TestFlow> _flows = [];

    private TestClient(TestClientOptions options, ControlLink link, TimeProvider time)
    {
        _options = options;
        _link = link;
        _time = time;
    }

    public UdpSocket FirstSocket => _flows[0].Socket;

    /// <summary>The test as the server allows it.</summary>
    public TestParameters Granted { get; private set; } = new();

    /// <summary>Agrees on the test and opens its sockets. Throws <see cref="TrafficException"/>.</summary>
    public static TestClient Connect(
        TestClientOptions options, TimeProvider? timeProvider = null, CancellationToken cancellationToken = default)
    {
        options.Validate();
        TimeProvider time = timeProvider ?? TimeProvider.System;
        if (options.FindPaceFault(TransmitTimeOffer.Fault) is { } fault) throw new TrafficException(fault);

        UdpEndPoint server = options.Servers[0];
        UdpSocketOptions control = PeerPort.ControlOptions(options.Transport.Backend, sharesPort: false);
        var link = new ControlLink(UdpSocket.Connect(server, LocalFor(options, server), control), time);
        var client = new TestClient(options, link, time);
        try
        {
            client.Ask(cancellationToken);
            client.Join(cancellationToken);
            return client;
        }
        catch
        {
            client.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Cancelling ends the sending early at both ends, with the report. Intervals come on any thread, one at a time;
    /// true for what this end receives. Throws <see cref="TrafficException"/>.
    /// </summary>
    public TestReport Run(
        Action<TrafficInterval, bool>? onInterval = null, CancellationToken cancellationToken = default)
    {
        using var test = new ClientSession(_link, Granted, _flows, _options, _time);
        (TestEndReport local, TestEndReport remote) = test.Run(onInterval, cancellationToken);
        var directions = new List<TestDirectionReport>();
        if (local.Sent is not null && remote.Received is not null)
        {
            directions.Add(TestDirectionReport.Between(TestDirectionReport.ClientName, local, remote));
        }

        if (remote.Sent is not null && local.Received is not null)
        {
            directions.Add(TestDirectionReport.Between(TestDirectionReport.ServerName, remote, local));
        }

        return new TestReport
        {
            Kind = TestReport.KindName,
            Label = Granted.Label,
            Servers = [.. _flows.Select(static flow => flow.Socket.Peer).Distinct().Select(
                static server => server.ToString())],
            Flows = _flows.Count,
            SizeBytes = Granted.SizeBytes,
            Directions = [.. directions],
            RoundTrip = RoundTripReport.From(test.RoundTrips),
            Local = local,
            Remote = remote,
        };
    }

    /// <summary>Closes the sockets. A server that waits for this client's data is told.</summary>
    public void Dispose()
    {
        if (_link.Token != 0) ClientSession.SayBye(_link);
        foreach (TestFlow flow in _flows)
        {
            flow.Socket.Dispose();
        }

        _link.Dispose();
    }

    /// <summary>Closes the sockets without a word, as the end of a killed process does; for tests.</summary>
    internal void Abandon()
    {
        _link.Dispose();
        foreach (TestFlow flow in _flows.ToArray())
        {
            flow.Socket.Dispose();
        }
    }

    private static UdpEndPoint LocalFor(TestClientOptions options, in UdpEndPoint server) =>
        !options.LocalAddress.IsDefault && options.LocalAddress.IsIPv4 == server.IsIPv4
            ? new UdpEndPoint(options.LocalAddress, 0)
            : default;

    private void Ask(CancellationToken cancellationToken)
    {
        TestParameters asked = _options.Parameters;
        byte[] parameters = asked.ToJson();
        if (HandshakeBodies.RequestBytes + parameters.Length > ControlMessage.MaxBodyBytes)
        {
            throw new TrafficException("the test does not fit a datagram: give fewer CPUs, or a shorter label");
        }

        using var handshake = new ClientHandshake(
            _link.Socket,
            token: 0,
            number: 0,
            (nonce, cookie) => HandshakeBodies.Request(nonce, cookie, parameters, _options.Key),
            _time);
        while (handshake.Answer is null)
        {
            cancellationToken.ThrowIfCancellationRequested();
            handshake.Step(JoinStep * 4);
        }

        if (!HandshakeBodies.IsAcceptRight(handshake.Answer, handshake.Token, _options.Key))
        {
            throw new TrafficException($"{_link.Socket.Peer} does not have this key (check --key-file at both ends)");
        }

        if (!TestParameters.TryRead(handshake.Answer.AsSpan(HandshakeBodies.AcceptBytes), out TestParameters? granted)
            || granted.FindFault() is not null
            || handshake.Token == 0)
        {
            throw new TrafficException($"the answer of {_link.Socket.Peer} cannot be read");
        }

        byte version = HandshakeBodies.VersionOfAccept(handshake.Answer);
        if (version > TestDatagram.MaxVersion || version < TestDatagram.VersionOf(asked.SizeBytes))
        {
            throw new TrafficException(
                $"{_link.Socket.Peer} answered with version {version} of the datagrams: those of "
                + $"{asked.SizeBytes} bytes have version {TestDatagram.VersionOf(asked.SizeBytes)}, and "
                + $"{TestDatagram.MaxVersion} is the newest one here; use the same release of spate at both ends");
        }

        // A server may grant less time and a lower rate, and never more; the rest is as it was asked for.
        Granted = asked.LimitedTo(granted.Seconds ?? TestParameters.MaxSeconds, granted.DatagramsPerSecond);
        _link.Token = handshake.Token;
    }

    private void ThrowIfRefused()
    {
        if (_link.TryReceive(TimeSpan.Zero, out ControlMessage message) && message.Kind == ControlKind.Refuse)
        {
            throw ClientSession.GaveUp(_link, message);
        }
    }

    private void Join(CancellationToken cancellationToken)
    {
        UdpSocketOptions socketOptions = Granted.SocketOptions(_options.Transport, isClient: true);
        var handshakes = new List<ClientHandshake>();
        try
        {
            for (int i = 0; i < Granted.Flows; i++)
            {
                UdpEndPoint server = _options.Servers[i % _options.Servers.Count];
                var socket = UdpSocket.Connect(server, LocalFor(_options, server), socketOptions);
                int index = i;
                ulong stream = TestDatagram.NewStreamId();
                _flows.Add(new TestFlow(socket, stream, ReverseStream: 0));
                handshakes.Add(new ClientHandshake(
                    socket,
                    _link.Token,
                    index,
                    (nonce, cookie) =>
                        HandshakeBodies.Join(nonce, cookie, _link.Token, index, stream, _options.Key),
                    _time));
            }

            while (handshakes.Exists(static handshake => handshake.Answer is null))
            {
                cancellationToken.ThrowIfCancellationRequested();
                ThrowIfRefused();
                ClientHandshake first = handshakes.First(static handshake => handshake.Answer is null);
                handshakes.ForEach(other => other.Step(other == first ? JoinStep : TimeSpan.Zero));
            }

            for (int i = 0; i < handshakes.Count; i++)
            {
                _flows[i] = _flows[i] with { ReverseStream = HandshakeBodies.StreamOfJoined(handshakes[i].Answer) };
            }
        }
        finally
        {
            handshakes.ForEach(static handshake => handshake.Dispose());
        }
    }
}

/// <summary>The test that a <see cref="TestClient"/> asks for, and how it moves the data itself.</summary>
internal sealed record TestClientOptions : EndOptions
{
    /// <summary>Of one server, at least one. Control goes to the first; the flows go to all of them in turn.</summary>
    public required IReadOnlyList<UdpEndPoint> Servers { get; init => field = RecordList.Copy(value); }

    /// <summary>The local address to send from. Default: the system chooses.</summary>
    public UdpAddress LocalAddress { get; init; }

    /// <summary>The test, of 10 s by default.</summary>
    public TestParameters Parameters { get; init; } = new() { Seconds = 10 };

    /// <summary>The key that the server must have too; null (the default) for none.</summary>
    public TestKey? Key { get; init; }

    public override string ToString() => RecordText.Of(
        nameof(TestClientOptions), PrintMembers, (nameof(Servers), Servers), (nameof(Cpus), Cpus));

    /// <summary>Why the client cannot pace as asked, or null; the function tells of the way to an address.</summary>
    internal string? FindPaceFault(Func<UdpAddress, string?> faultOf) => Parameters.SendsTimed(isClient: true)
        ? Servers.Take(Parameters.Flows)
            .Select(server => faultOf(server.Address))
            .FirstOrDefault(static fault => fault is not null)
        : null;

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfZero(Servers.Count, nameof(Servers));
        if (Parameters.FindFault() is { } fault) throw new ArgumentException($"The test is invalid: {fault}.");
    }
}
