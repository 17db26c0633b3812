using Spate.Measurement.Bench.Batched;
using Spate.Measurement.Bench.Rounds;

namespace Spate.Measurement.Bench.Sockets;

/// <summary>Many receiving sockets and one that fills them.</summary>
internal sealed class FilledSockets : IDisposable
{
    // Loopback hands over datagrams in the kernel's own time: on a busy machine some come after their send returned.
    private const int QuietMilliseconds = 10;
    private const int QuietPasses = 3;
    private const int MaxPasses = 100;

    private readonly List<UdpSocket> _sockets;
    private readonly UdpSocket _sender;
    private readonly SendBatch _outgoing;
    private ulong _sequence;

    /// <summary>Opens them on 127.0.0.1 at free ports.</summary>
    /// <param name="count">How many receive.</param>
    /// <param name="until">When the sockets' rounds must end: opening them may take half of the time.</param>
    /// <param name="budget">The time.</param>
    /// <param name="cancellationToken">Ends the opening.</param>
    /// <exception cref="BenchException">Opening them took too long.</exception>
    public FilledSockets(int count, TimeSpan until, BenchBudget budget, CancellationToken cancellationToken)
    {
        TimeSpan opening = (until - budget.Elapsed) / 2;
        TimeSpan latest = budget.Elapsed + opening;
        // Single datagrams, and the system's buffers, as the C program: ten thousand times 4 MiB is not to be had.
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
                cancellationToken.ThrowIfCancellationRequested();
                if (budget.Elapsed > latest)
                {
                    throw new BenchException(
                        $"In {opening.TotalSeconds:0.#} s only {_sockets.Count} of {count} sockets were open; "
                        + "allow a longer time, or name fewer");
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

    /// <summary>A batch whose slots hold the size.</summary>
    public ReceiveBatch CreateBatch(int sizeBytes) => _sockets[0].CreateReceiveBatch(new ReceiveBatchOptions
    {
        SlotCount = 16,
        SlotBytes = Math.Max(2048, sizeBytes),
    });

    /// <summary>Queues datagrams in every socket; how many the system accepted.</summary>
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

    /// <summary>Takes what is still in the sockets, or on its way to them, and counts it for nobody.</summary>
    public void Discard()
    {
        using ReceiveBatch batch = CreateBatch(BenchOptions.MaxSizeBytes);
        for (int pass = 0, quiet = 0; quiet < QuietPasses && pass < MaxPasses; pass++, quiet++)
        {
            Thread.Sleep(QuietMilliseconds);
            foreach (UdpSocket socket in _sockets)
            {
                while (socket.TryReceive(batch) == ReceiveStatus.Received) quiet = -1;
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _sockets.ForEach(static socket => socket.Dispose());
        _sender.Dispose();
        _outgoing.Dispose();
    }
}
