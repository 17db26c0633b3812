using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Sockets;

/// <summary>Many receiving sockets, and one socket that fills their queues.</summary>
internal sealed class FilledSockets : ISocketSet
{
    // A datagram over loopback can arrive after its send has returned, since a busy kernel delivers it later.
    private const int QuietMilliseconds = 10;
    private const int QuietPasses = 3;
    private const int MaxPasses = 100;

    private readonly List<UdpSocket> _sockets;
    private readonly UdpSocket _sender;
    private readonly SendBatch _outgoing;
    private ulong _sequence;

    /// <summary>Opening may take half of the time until <paramref name="until"/>; an interruption ends it.</summary>
    public FilledSockets(int count, TimeSpan until, BenchCourse course)
    {
        BenchBudget budget = course.Budget;
        TimeSpan opening = (until - budget.Elapsed) / 2;
        TimeSpan latest = budget.Elapsed + opening;

        // Single datagrams and the system's default buffers, as in the C program: 10,000 times 4 MiB is too much
        // memory.
        var options = new UdpSocketOptions
        {
            CoalescedReceive = false,
            SegmentedSend = false,
            ReceiveBufferBytes = null,
            SendBufferBytes = null,
        };
        _sockets = new List<UdpSocket>(count);
        _sender = UdpSocket.Bind(UdpEndPoint.Loopback(0), options);
        _outgoing = _sender.CreateSendBatch();
        try
        {
            while (_sockets.Count < count)
            {
                course.CancellationToken.ThrowIfCancellationRequested();
                if (budget.Elapsed > latest)
                {
                    throw new BenchException(
                        $"Only {_sockets.Count} of {count} sockets could be opened in {opening.TotalSeconds:0.#} s; "
                        + "allow more time, or use fewer");
                }

                _sockets.Add(UdpSocket.Bind(UdpEndPoint.Loopback(0), options));
            }
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    public IReadOnlyList<UdpSocket> Sockets => _sockets;

    public int Count => _sockets.Count;

    public ReceiveBatch CreateBatch() =>
        _sockets[0].CreateReceiveBatch(new ReceiveBatchOptions { SlotCount = 16 });

    public IReadOnlyList<SocketsMode> CreateModes(int sizeBytes) =>
        [new PollerMode(this), new AwaitableMode(this, sizeBytes), new SequentialMode(this)];

    public long Fill(int queuedCount, int sizeBytes)
    {
        long sent = 0;
        foreach (UdpSocket socket in _sockets)
        {
            SpateRow.Fill(_outgoing, socket.LocalEndPoint, sizeBytes, queuedCount, ref _sequence);
            sent += _sender.Send(_outgoing).Sent;
        }

        return sent;
    }

    public void Discard()
    {
        using ReceiveBatch batch = CreateBatch();
        for (int pass = 0, quiet = 0; quiet < QuietPasses && pass < MaxPasses; pass++, quiet++)
        {
            Thread.Sleep(QuietMilliseconds);
            foreach (UdpSocket socket in _sockets)
            {
                while (socket.TryReceive(batch) == ReceiveStatus.Received) quiet = -1;
            }
        }
    }

    public void Dispose()
    {
        _sockets.ForEach(static socket => socket.Dispose());
        _sender.Dispose();
        _outgoing.Dispose();
    }
}

/// <summary>Many receiving sockets, and the ways to empty them. Tests have one without sockets.</summary>
internal interface ISocketSet : IDisposable
{
    int Count { get; }

    /// <summary>In the order of the table.</summary>
    IReadOnlyList<SocketsMode> CreateModes(int sizeBytes);

    /// <summary>Returns the number of datagrams that the system accepted.</summary>
    long Fill(int queuedCount, int sizeBytes);

    /// <summary>Receives what is still in the sockets, or on its way to them, without counting it.</summary>
    void Discard();
}
