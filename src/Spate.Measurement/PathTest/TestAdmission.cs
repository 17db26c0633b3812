using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Net.Sockets;
using Spate.HostTuning.Reading.Cpus;
using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.PathTest;

/// <summary>Which tests a server runs. Used on the thread of the listening socket.</summary>
internal sealed class TestAdmission(
    TestServerOptions options,
    AddressCookies cookies,
    int port,
    TimeProvider time,
    AdmissionFacts facts)
    : IDisposable
{
    private readonly ConcurrentDictionary<ulong, ServerSession> _tests = new();
    private readonly RecentNonces _recent = new(time);
    private readonly CancellationTokenSource _stop = new();
    private readonly RefusalNotices _refusals = new(time);
    private Action<string>? _onNotice;
    private volatile bool _hasEndedOne;

    public int Count => _tests.Count;

    public bool HasEndedOne => _hasEndedOne;

    public void Begin(Action<string>? onNotice) => _onNotice = _refusals.OnNotice = onNotice;

    /// <summary>Gives up the tests under way, and waits until their sockets are closed.</summary>
    public void End()
    {
        _stop.Cancel();
        SpinWait.SpinUntil(() => _tests.IsEmpty, TestSession.Patience);
    }

    public void Dispose() => _stop.Dispose();

    /// <summary>Without a valid cookie nothing is answered. Returns a refusal's text; null for none.</summary>
    public string? Request(ReadOnlySpan<byte> body, in UdpEndPoint peer, in UdpAddress local)
    {
        ReadOnlySpan<byte> nonce = HandshakeBodies.NonceOf(body);
        ReadOnlySpan<byte> cookie = HandshakeBodies.CookieOf(body);
        if (!cookies.IsValid(peer, nonce, cookie) || _recent.Contains(cookie)) return null;

        string? refusal = Judge(body, peer, out TestParameters? granted);
        if (refusal is null)
        {
            try
            {
                _ = _recent.TryAdd(cookie);
                byte version = Math.Min(HandshakeBodies.VersionOfRequest(body), TestDatagram.MaxVersion);
                Open(nonce, version, granted!, peer, LocalOf(peer, local));
            }
            catch (SocketException fault)
            {
                refusal = $"the server could not open a socket: {fault.Message}";
            }
        }

        if (refusal is not null) TellRefusal($"refused {peer}: {refusal}");
        return refusal;
    }

    /// <summary>Takes the join of anybody. Without a valid cookie, a token and a tag nothing happens.</summary>
    public void Join(in ControlMessage message, in UdpEndPoint peer, in UdpAddress local)
    {
        ReadOnlySpan<byte> body = message.Body;
        if (!_tests.TryGetValue(message.Token, out ServerSession? test)
            || !cookies.IsValid(peer, HandshakeBodies.NonceOf(body), HandshakeBodies.CookieOf(body))
            || !HandshakeBodies.IsJoinRight(body, message.Token, message.Number, options.Key))
        {
            return;
        }

        if (test.Parameters.SendsTimed(isClient: false) && PaceFault(peer) is { } pace)
        {
            TellRefusal($"refused a flow of {peer}: {pace}");
            test.GiveUp(pace);
            return;
        }

        try
        {
            test.Join(message.Number, body, peer, LocalOf(peer, local));
        }
        catch (Exception fault) when (fault is SocketException or PlatformNotSupportedException)
        {
            TellRefusal($"a flow of {peer} could not be opened: {fault.Message}");
        }
    }

    /// <summary>Tells of what was not granted, in a line every so often. Any thread may.</summary>
    public void TellRefusal(string text) => _refusals.Tell(text);

    /// <summary>Why a request is refused, in one line; null where it is granted.</summary>
    private string? Judge(ReadOnlySpan<byte> body, in UdpEndPoint peer, out TestParameters? granted)
    {
        granted = null;
        if (!HandshakeBodies.IsRequestRight(body, options.Key))
        {
            return "the server needs a key, and the client's is missing or different (check --key-file)";
        }

        if (_tests.Count >= options.MaxClients || _recent.IsFull)
        {
            return $"the server already runs {_tests.Count} test(s), or ran too many just now: try again later";
        }

        if (!TestParameters.TryRead(body[HandshakeBodies.RequestBytes..], out TestParameters? asked))
        {
            return "the request cannot be read";
        }

        if (asked.FindFault() is { } fault) return fault;

        byte version = HandshakeBodies.VersionOfRequest(body);
        if (version < TestDatagram.VersionOf(asked.SizeBytes))
        {
            return $"datagrams of {asked.SizeBytes} bytes have version {TestDatagram.VersionOf(asked.SizeBytes)}, and "
                + $"the client knows version {version}: request {TestDatagram.HeaderBytes} to "
                + $"{TestDatagram.TimedHeaderBytes - 1} bytes";
        }

        if (asked.Cpus.Length > 0 && asked.Cpus.Except(facts.UsableCpus()).Any())
        {
            return $"the server has no such CPU: usable are {CpuList.Format(facts.UsableCpus())}";
        }

        if (asked.SendsTimed(isClient: false) && PaceFault(peer) is { } pace) return pace;

        granted = asked.LimitedTo(options.MaxDuration.TotalSeconds, options.MaxDatagramsPerSecond);
        return HandshakeBodies.AcceptBytes + granted.ToJson().Length > ControlMessage.MaxBodyBytes
            ? "the answer does not fit a datagram: give fewer CPUs, or a shorter label"
            : null;
    }

    private string? PaceFault(in UdpEndPoint peer) =>
        facts.PaceFault(peer) is { } fault ? $"at the server, {fault}" : null;

    private void Open(
        ReadOnlySpan<byte> nonce, byte version, TestParameters granted, in UdpEndPoint peer, in UdpEndPoint local)
    {
        UdpSocketOptions control = PeerPort.ControlOptions(options.Transport.Backend, sharesPort: true);
        var link = new ControlLink(UdpSocket.Connect(peer, local, control), time);
        try
        {
            Start(link, nonce, version, granted);
        }
        catch
        {
            _ = _tests.TryRemove(link.Token, out _);
            link.Dispose();
            throw;
        }
    }

    private void Start(ControlLink link, ReadOnlySpan<byte> nonce, byte version, TestParameters granted)
    {
        link.Token = SystemRandom.NextUInt64() | 1;
        string label = granted.Label.Length > 0 ? $" ({granted.Label})" : "";
        UdpEndPoint peer = link.Socket.Peer;
        var test = new ServerSession(
            link, nonce, version, granted, options, () => _onNotice?.Invoke($"test of {peer}{label} begins"), time);
        _tests[test.Token] = test;
        test.SendAccept();
        var thread = new Thread(() => Main(test, label)) { IsBackground = true, Name = "spate test" };
        thread.Start();
    }

    private void Main(ServerSession test, string label)
    {
        string? failure = null;
        try
        {
            test.Run(_stop.Token);
        }
        catch (Exception fault)
        {
            // The fault of one test must not end the server.
            failure = fault.Message;
        }

        string end = (test.Report, failure) switch
        {
            (null, null) => "its client ended it",
            (null, _) => $"failed: {failure}",
            ({ } report, null) => LineOf(report),
            ({ } report, _) => $"{LineOf(report)}; its client may not have received the report: {failure}",
        };
        UdpEndPoint peer = test.Peer;
        bool hasBegun = test.HasBegun;
        test.Dispose();
        _ = _tests.TryRemove(test.Token, out _);

        // A client that only shakes hands can do so all day.
        if (hasBegun) _onNotice?.Invoke($"test of {peer}{label} is over: {end}");
        else TellRefusal($"test of {peer}{label} ended before any data: {end}");

        // Tests end on many threads: none may write back a false that it read before another one's true.
        if (hasBegun) _hasEndedOne = true;
    }

    private static string LineOf(TestEndReport report)
    {
        var parts = new List<string>();
        if (report.Received is { } received)
        {
            parts.Add($"received {received.Datagrams} datagrams in {received.Seconds:0.00} s, "
                + $"lost {received.Lost}");
        }

        if (report.Sent is { } sent) parts.Add($"sent {sent.Datagrams} datagrams in {sent.Seconds:0.00} s");
        return string.Join(", ", parts);
    }

    // Without the address to which the client sent, the system chooses the one to answer from.
    private UdpEndPoint LocalOf(in UdpEndPoint peer, in UdpAddress local) =>
        !local.IsDefault ? new UdpEndPoint(local, port)
        : peer.IsIPv4 ? UdpEndPoint.Any(port) : UdpEndPoint.IPv6Any(port);
}

/// <summary>
/// What a server asks its host before it grants a test. Each answer is kept for a second, since copies of a refused
/// request can be sent all day, and each must be cheap. One thread uses an object, that of the listening socket.
/// </summary>
internal sealed class AdmissionFacts(
    TimeProvider time, Func<IReadOnlyList<int>> readUsableCpus, Func<UdpAddress, string?> findPaceFault)
{
    /// <summary>The most addresses to which the way is looked up within a second.</summary>
    public const int MaxWays = 64;

    private static readonly TimeSpan MaxAge = TimeSpan.FromSeconds(1);

    private readonly Dictionary<UdpAddress, string?> _paceFaults = [];
    private IReadOnlyList<int>? _usableCpus;
    private long? _readTicks;

    public IReadOnlyList<int> UsableCpus()
    {
        ForgetWhenOld();
        return _usableCpus ??= readUsableCpus();
    }

    /// <summary>Why datagrams to an address cannot be given a time to leave; null where they can.</summary>
    public string? PaceFault(in UdpEndPoint peer)
    {
        ForgetWhenOld();
        UdpAddress address = peer.Address;
        if (_paceFaults.TryGetValue(address, out string? known)) return known;

        if (_paceFaults.Count == MaxWays)
        {
            return "too many clients request --pace txtime at once; try again later, or use --pace sleep or spin";
        }

        return _paceFaults[address] = findPaceFault(address);
    }

    private void ForgetWhenOld()
    {
        if (_readTicks is { } last && time.GetElapsedTime(last) <= MaxAge) return;

        (_usableCpus, _readTicks) = (null, time.GetTimestamp());
        _paceFaults.Clear();
    }
}
