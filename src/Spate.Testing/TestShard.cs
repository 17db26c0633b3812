using System.Runtime.ExceptionServices;
using Microsoft.Extensions.Time.Testing;
using Spate.Serving;
using Spate.Serving.Lifetime;
using Spate.Serving.Shards;
using Spate.Sockets;
using Spate.Testing.Memory;
using Spate.Waiting;

namespace Spate.Testing;

/// <summary>
/// Runs a <see cref="UdpHandler"/> for a unit test, without a socket and without a second thread. The handler runs in
/// the loop of a <see cref="UdpServer"/>'s shard, on the thread that calls the methods of this class, and in virtual
/// time. A call returns when the shard has nothing left to do. Then <see cref="Sent"/> and <see cref="GetStatistics"/>
/// show the result.
/// </summary>
/// <remarks>
/// <para>
/// As in a server: exceptions of the handler are counted and reported, and the unsent replies are then dropped; the
/// datagrams of <see cref="UdpShard.TryEnqueue(ReadOnlySpan{byte}, in UdpEndPoint, int)"/> are sent; a full send buffer
/// delays and drops replies; when the shard ends, <see cref="UdpHandler.OnStop"/> is called, the sessions end, and the
/// handler is disposed.
/// </para>
/// <para>
/// Unlike in a server: no kernel loses, delays or steers a datagram. Datagrams leave in the order in which the handler
/// composed them; a socket keeps this order only for each peer. Metadata is reported without being requested.
/// </para>
/// <para>
/// One thread at a time may use the object. Other threads may use <see cref="Shard"/> as in a server. The class works
/// on every system.
/// </para>
/// </remarks>
/// <example><code>
/// using TestShard shard = new(_ => new EchoHandler());
/// shard.Receive(peer, "hello"u8);
/// Assert.Equal(new SentDatagram(peer, "hello"u8), Assert.Single(shard.Sent));
/// </code></example>
public sealed class TestShard : IDisposable
{
    private readonly MemoryNetwork _network;
    private readonly MemoryReceiver[] _receivers;
    private readonly ShardThread _thread;
    private readonly List<Exception> _faults = [];
    private readonly bool _throwOnFault;
    private int _thrownCount;
    private bool _isRunning;
    private bool _isStopped;

    /// <summary>Makes the handler, as the thread of a shard does when it starts.</summary>
    /// <param name="handlerFactory">Makes the handler. An exception of it ends the constructor.</param>
    /// <param name="options">The options; null for the defaults.</param>
    /// <exception cref="ArgumentException">An option has an invalid value.</exception>
    /// <exception cref="InvalidOperationException"><paramref name="handlerFactory"/> returned null.</exception>
    public TestShard(Func<UdpShard, UdpHandler> handlerFactory, TestShardOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handlerFactory);
        options ??= new TestShardOptions();
        OptionChecks.RequireRange(options.ShardIndex, 0, int.MaxValue, nameof(options.ShardIndex));
        _network = new MemoryNetwork { Time = options.TimeProvider ?? new FakeTimeProvider() };
        _throwOnFault = options.ThrowOnFault;
        ResolvedServerOptions plan = Resolve(options, _network.Time, handlerFactory);
        plan.Faults.Observer = _faults.Add;
        _receivers = new MemoryReceiver[options.LocalEndPoints.Count];
        UdpSocket[] sockets = [.. options.LocalEndPoints.Select((local, index) =>
            MemorySocket.Open(local, plan.Options.Socket, _network, index, out _receivers[index]))];
        _thread = new ShardThread(
            plan, options.ShardIndex, sockets, MakeSource, () => Array.ForEach(sockets, socket => socket.Dispose()));
        try
        {
            _thread.PrepareHere();
        }
        catch
        {
            _isStopped = true;
            _thread.EndHere();
            throw;
        }

        SocketSource MakeSource() => new(
            sockets,
            new ReceivedBatch(sockets[0].CreateReceiveBatch(plan.ReceiveBatch)),
            new ThreadWaiter(new SilentEventSet()),
            spinner: null,
            active: null);
    }

    /// <summary>The shard, as the handler gets it. Any thread may enqueue datagrams.</summary>
    public UdpShard Shard => _thread.Shard;

    /// <summary>
    /// The virtual time of the shard: of its ticks, of its session tables (unless their options name another clock),
    /// and of its waits for room in the send buffer. It stands still until <see cref="Advance"/>, except for these
    /// waits.
    /// </summary>
    public FakeTimeProvider TimeProvider => _network.Time;

    /// <summary>
    /// All datagrams that the shard has sent since it was made or since the last <see cref="TakeSent"/>, in order:
    /// replies and enqueued datagrams, from all local end points. The list changes as more are sent.
    /// </summary>
    public IReadOnlyList<SentDatagram> Sent => _network.Sent;

    /// <summary>
    /// All datagrams that were not sent because every system refuses them, in order, each with the reason. The list
    /// changes as more are refused. <see cref="UdpThreadStatistics.RepliesRefused"/> is their number.
    /// </summary>
    public IReadOnlyList<RefusedDatagram> Refused => _network.Refused;

    /// <summary>All exceptions that the handler has thrown, in order. The list changes as more are thrown.</summary>
    public IReadOnlyList<Exception> Faults => _faults;

    /// <summary>
    /// The counts of the shard, as <see cref="UdpServer.GetStatistics"/> reports them for each thread. Also after
    /// <see cref="Stop"/>.
    /// </summary>
    public UdpThreadStatistics GetStatistics() => _thread.Read();

    /// <summary>
    /// The number of datagrams that can be sent before the send buffers of the shard's sockets are full: 0 if they are
    /// full now, null if they are never full. Default null. Each sent datagram takes one from the number. A shard with
    /// replies that find no room waits for room in virtual time, and drops them after
    /// <see cref="TestShardOptions.ReplyTimeout"/>. A timer of <see cref="TimeProvider"/> can set the property
    /// meanwhile. A wait can make a tick due. If there is still no room then, datagrams that this tick enqueues are
    /// left to the next call.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The number is negative.</exception>
    public int? SendBufferRoom
    {
        get => _network.Room;
        set
        {
            OptionChecks.RequireRange(value, 0, int.MaxValue, nameof(SendBufferRoom), ", or null for no limit");
            _network.Room = value;
        }
    }

    /// <summary>Receives one datagram, and runs the shard until it has nothing left to do.</summary>
    /// <param name="peer">The peer that sends the datagram.</param>
    /// <param name="payload">The payload, 0 to 65,527 bytes, which is copied.</param>
    /// <param name="localEndPointIndex">
    /// The index, in <see cref="UdpShard.LocalEndPoints"/>, of the local end point that receives the datagram.
    /// </param>
    /// <exception cref="ArgumentException">
    /// The peer is <c>default</c>, or is of IPv6 and the local end point is of IPv4.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException">The index is out of range, or the payload is too
    /// long.</exception>
    /// <exception cref="InvalidOperationException">The handler called the method.</exception>
    /// <exception cref="ObjectDisposedException">The shard is stopped.</exception>
    /// <exception cref="Exception">
    /// The handler has thrown this exception (<see cref="TestShardOptions.ThrowOnFault"/>).
    /// </exception>
    public void Receive(UdpEndPoint peer, ReadOnlySpan<byte> payload, int localEndPointIndex = 0) =>
        ReceiveBatch(new IncomingDatagram(peer, payload) { LocalEndPointIndex = localEndPointIndex });

    /// <summary>
    /// Receives datagrams in one batch, and runs the shard until it has nothing left to do. The datagrams come in
    /// several batches if there are more than slots (<see cref="TestShardOptions.ReceiveBatch"/>), and wherever
    /// <see cref="IncomingDatagram.LocalEndPointIndex"/> changes.
    /// </summary>
    /// <param name="datagrams">The datagrams, in order.</param>
    /// <exception cref="ArgumentException">A peer is of IPv6 and the local end point is of IPv4.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The local end point index of a datagram is out of
    /// range.</exception>
    /// <exception cref="InvalidOperationException">The handler called the method.</exception>
    /// <exception cref="ObjectDisposedException">The shard is stopped.</exception>
    /// <exception cref="Exception">
    /// The handler has thrown this exception (<see cref="TestShardOptions.ThrowOnFault"/>). All datagrams were received
    /// before it is thrown.
    /// </exception>
    public void ReceiveBatch(params ReadOnlySpan<IncomingDatagram> datagrams)
    {
        RequireUsable();
        foreach (IncomingDatagram datagram in datagrams)
        {
            ArgumentNullException.ThrowIfNull(datagram, nameof(datagrams));
            RequireReceivable(datagram, nameof(datagrams));
        }

        IncomingDatagram[] all = datagrams.ToArray();
        Drive(() =>
        {
            for (int i = 0; i < all.Length; i++)
            {
                _receivers[all[i].LocalEndPointIndex].Add(all[i]);
                if (i + 1 == all.Length || all[i + 1].LocalEndPointIndex != all[i].LocalEndPointIndex) RunPasses();
            }
        });
    }

    /// <summary>
    /// Runs the shard until it has nothing left to do. Enqueued datagrams are sent. If
    /// <see cref="TimeProvider"/> was moved past a tick, the tick is run. As in a server that was busy, missed ticks
    /// become one.
    /// </summary>
    /// <exception cref="InvalidOperationException">The handler called the method.</exception>
    /// <exception cref="ObjectDisposedException">The shard is stopped.</exception>
    /// <exception cref="Exception">
    /// The handler has thrown this exception (<see cref="TestShardOptions.ThrowOnFault"/>).
    /// </exception>
    public void Run()
    {
        RequireUsable();
        Drive(RunPasses);
    }

    /// <summary>
    /// Moves the virtual time forward, and runs each tick at the moment when it is due. Without ticks the time moves in
    /// one step.
    /// </summary>
    /// <param name="time">The duration, 0 or more. The time moves farther if replies have to wait for room.</param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The duration is negative, or ends after the last <see cref="DateTimeOffset"/>.
    /// </exception>
    /// <exception cref="InvalidOperationException">The handler called the method.</exception>
    /// <exception cref="ObjectDisposedException">The shard is stopped.</exception>
    /// <exception cref="Exception">
    /// The handler has thrown this exception (<see cref="TestShardOptions.ThrowOnFault"/>).
    /// </exception>
    public void Advance(TimeSpan time)
    {
        TimeSpan max = DateTimeOffset.MaxValue - TimeProvider.GetUtcNow();
        OptionChecks.RequireRange(time, TimeSpan.Zero, max, nameof(time), ", the end of the virtual time");
        RequireUsable();
        Drive(() =>
        {
            long start = TimeProvider.GetTimestamp();
            RunPasses();
            while (time - TimeProvider.GetElapsedTime(start) is var left && left > TimeSpan.Zero)
            {
                TimeProvider.Advance(_thread.TimeToTick is { } tick && tick < left ? Max(tick, TimeSpan.Zero) : left);
                RunPasses();
            }
        });
    }

    /// <summary>
    /// Returns the datagrams of <see cref="Sent"/> and empties that list, so that a test can look at one step after the
    /// other.
    /// </summary>
    public IReadOnlyList<SentDatagram> TakeSent()
    {
        SentDatagram[] sent = [.. _network.Sent];
        _network.Sent.Clear();
        return sent;
    }

    /// <summary>
    /// Ends the shard as a server that stops does: enqueued datagrams are sent, <see cref="UdpHandler.OnStop"/> is
    /// called, the sessions end, the last replies are sent, and the handler is disposed. A second call does nothing.
    /// </summary>
    /// <exception cref="InvalidOperationException">The handler called the method.</exception>
    /// <exception cref="Exception">
    /// The handler has thrown this exception (<see cref="TestShardOptions.ThrowOnFault"/>).
    /// </exception>
    public void Stop()
    {
        RequireNotRunning();
        if (_isStopped) return;
        _isStopped = true;
        Drive(_thread.EndHere);
    }

    /// <summary>
    /// Ends the shard as <see cref="Stop"/> does, but never throws. To see faults of <see cref="UdpHandler.OnStop"/>,
    /// call <see cref="Stop"/>, or look at <see cref="Faults"/> afterwards.
    /// </summary>
    public void Dispose()
    {
        if (_isRunning || _isStopped) return;
        _isStopped = true;
        try
        {
            _thread.EndHere();
        }
        catch (Exception)
        {
            // Dispose is usually called by a using statement, and an exception would hide that of an assertion.
        }
    }

    private static ResolvedServerOptions Resolve(
        TestShardOptions options, TimeProvider time, Func<UdpShard, UdpHandler> handlerFactory)
    {
        UdpServerOptions server = new()
        {
            LocalEndPoints = options.LocalEndPoints,
            TickInterval = options.TickInterval,
            ReplyTimeout = options.ReplyTimeout,
            ReceiveBatch = options.ReceiveBatch,
            ReplyBatch = options.ReplyBatch,
            OnFault = options.OnFault,
            Socket = new UdpSocketOptions { TimeProvider = time },

            // Two threads at one socket do not keep peers; one thread always does.
            Design = options.KeepsPeers ? UdpServerDesign.Sharded : UdpServerDesign.Adaptive,
            ThreadCount = options.KeepsPeers ? 1 : 2,
        };
        return new ResolvedServerOptions(server, handlerFactory, ShardSockets.ReusePort);
    }

    private static TimeSpan Max(TimeSpan one, TimeSpan other) => one > other ? one : other;

    // Each pass takes one batch. If a wait for room has made a tick due, and the tick has enqueued datagrams that would
    // have to wait again, these are left to the next call: the call would never end.
    private void RunPasses()
    {
        bool mayGoOn = true;
        while (mayGoOn)
        {
            long start = TimeProvider.GetTimestamp();
            bool arrived = _thread.PassHere();
            bool hasWaited = SendBufferRoom == 0 && TimeProvider.GetTimestamp() != start;
            mayGoOn = arrived || (_thread.HasPosted && !hasWaited);
        }
    }

    private void Drive(Action work)
    {
        _isRunning = true;
        try
        {
            work();
        }
        finally
        {
            _isRunning = false;
        }

        if (_faults.Count == _thrownCount) return;
        Exception first = _faults[_thrownCount];
        _thrownCount = _faults.Count;
        if (_throwOnFault) ExceptionDispatchInfo.Throw(first);
    }

    private void RequireReceivable(IncomingDatagram datagram, string name)
    {
        IReadOnlyList<UdpEndPoint> locals = Shard.LocalEndPoints;
        if ((uint)datagram.LocalEndPointIndex >= (uint)locals.Count)
        {
            throw new ArgumentOutOfRangeException(
                name, datagram.LocalEndPointIndex, $"The shard has {locals.Count} local end points, counted from 0.");
        }

        if (!datagram.Peer.IsIPv4 && locals[datagram.LocalEndPointIndex].IsIPv4)
        {
            throw new ArgumentException(
                $"The peer {datagram.Peer} cannot send to {locals[datagram.LocalEndPointIndex]}: give the shard a "
                + "local end point of IPv6, and its index to the datagram.",
                name);
        }
    }

    private void RequireUsable()
    {
        RequireNotRunning();
        ObjectDisposedException.ThrowIf(_isStopped, this);
    }

    private void RequireNotRunning()
    {
        if (!_isRunning) return;
        throw new InvalidOperationException(
            "The shard is running this handler: call the method in the test, and not in the handler.");
    }
}
