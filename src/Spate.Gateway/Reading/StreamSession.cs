using System.Diagnostics;
using RabbitMQ.Client;
using Spate.Gateway.Escaping;
using Spate.Gateway.Publishing.Rabbit;

namespace Spate.Gateway.Reading;

/// <summary>
/// Reads the streams of a reader over one connection, until it is lost or all is read. One channel for all streams, so
/// the client calls for one message at a time; a second channel finds the ends.
/// </summary>
internal sealed class StreamSession(
    GatewayReaderOptions options, string[] names, ReadPosition[] positions, Verifier verifier)
{
    // A broker that knows of more messages and delivers none for that long is taken for lost.
    private static readonly TimeSpan MaxSilence = TimeSpan.FromSeconds(30);

    private readonly Lock _gate = new();
    private readonly TaskCompletionSource<bool> _outcome = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly long[] _arrivals = new long[names.Length];
    private readonly bool[] _isAwaited = [.. positions.Select(static position => position.Last is not null)];

    // Half of what may be under way, so that the broker never has to wait for it.
    private readonly int _ackInterval = Math.Max(1, options.PrefetchCount / 2);

    private IConnection? _connection;
    private TaskCompletionSource<ulong>? _probe;
    private int _unacknowledged;
    private bool _isOver;

    /// <summary>Whether a message was read over this connection.</summary>
    public bool HasRead { get; private set; }

    /// <summary>Why the connection was lost; null where it was not.</summary>
    public string? LossReason { get; private set; }

    /// <summary>Reads until the end, or until the connection is lost.</summary>
    /// <returns>True at the end; false if the connection was lost (<see cref="LossReason"/>).</returns>
    /// <exception cref="GatewayException">A stream cannot be consumed, or is a queue.</exception>
    public async Task<bool> RunAsync(IConnection connection, CancellationToken cancellationToken)
    {
        _connection = connection;
        try
        {
            try
            {
                await ConsumeAsync(connection, cancellationToken).ConfigureAwait(false);
            }
            catch (GatewayException fault) when (!fault.IsRefusal)
            {
                // A stream whose leader is being elected cannot be consumed for some seconds.
                Lose(fault.Message);
            }

            // Asking for many streams takes some time, in which the first ones may have been silent.
            lock (_gate) Array.Fill(_arrivals, Stopwatch.GetTimestamp());

            TimeSpan step = options.QuietTime / 4;
            while (!_outcome.Task.IsCompleted)
            {
                await Task.WhenAny(_outcome.Task, Task.Delay(step, cancellationToken)).ConfigureAwait(false);
                if (_outcome.Task.IsCompleted) break;
                cancellationToken.ThrowIfCancellationRequested();
                CheckSilence();
            }

            return await _outcome.Task.ConfigureAwait(false);
        }
        finally
        {
            // A visit that is under way ends first; no other begins.
            lock (_gate) _isOver = true;
            _outcome.TrySetResult(false);
        }
    }

    /// <summary>Whether offsets are left out before a message.</summary>
    public bool IsBeforeJump(int stream, ulong offset)
    {
        lock (_gate) return !_isOver && positions[stream].IsBeforeJump(offset);
    }

    /// <summary>
    /// Finds out whether retention has removed what is left out before a message: only if it has removed the last one
    /// that was read too, since it removes from the old end. Returns false if the session ended meanwhile.
    /// </summary>
    public async Task<bool> TryCrossJumpAsync(int stream, ulong offset)
    {
        ulong last = positions[stream].Last!.Value;
        var probe = new TaskCompletionSource<ulong>(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate) _probe = probe;
        try
        {
            IChannel channel = await OpenAsync(_connection!, 1, CancellationToken.None).ConfigureAwait(false);
            await using (channel.ConfigureAwait(false))
            {
                await ConsumeAsync(channel, stream, StreamRole.Probe, (long)last, CancellationToken.None)
                    .ConfigureAwait(false);
                await Task.WhenAny(probe.Task, _outcome.Task).WaitAsync(MaxSilence).ConfigureAwait(false);
            }
        }
        catch (Exception fault)
        {
            // Nothing behind the message may be taken before it.
            lock (_gate) _isOver = true;
            Lose(RabbitFaults.ReasonOf(fault));
        }

        lock (_gate)
        {
            _probe = null;
            if (_isOver || !probe.Task.IsCompletedSuccessfully) return false;
            if (probe.Task.Result > last) verifier.Cut(stream);
            else return true;
        }

        options.OnNotice?.Invoke($"head cut: retention removed offsets after {last} of stream "
            + $"'{OneLine.Of(names[stream])}' before they were read; reading continues at {offset}");
        return true;
    }

    /// <summary>Takes the answer to a probe.</summary>
    public void AnswerProbe(ulong offset)
    {
        lock (_gate) _probe?.TrySetResult(offset);
    }

    /// <summary>Takes a message. What the visit throws goes to the caller.</summary>
    public void Take(int stream, ulong offset, string? contentType, ReadOnlySpan<byte> body)
    {
        lock (_gate)
        {
            if (_isOver) return;
            _isAwaited[stream] = false;

            // What was read over an earlier connection is left out.
            if (positions[stream].TryAdvance(offset))
            {
                HasRead = true;
                verifier.Take(stream, offset, contentType, body);
                EndIfRead();
            }

            // All streams waited for the visit, which may take long: a pipe to a pager for instance.
            Array.Fill(_arrivals, Stopwatch.GetTimestamp());
        }
    }

    /// <summary>Takes what shows where a stream ends.</summary>
    public void FindEnd(int stream, StreamRole role, ulong offset)
    {
        lock (_gate)
        {
            if (role == StreamRole.LastChunk) positions[stream].FindChunk(offset);
            else positions[stream].FindLater(offset);
            EndIfRead();
        }
    }

    /// <summary>Whether the messages so far are to be acknowledged now. Those that find the ends never are.</summary>
    public bool IsAckDue(StreamRole role)
    {
        lock (_gate)
        {
            if (_isOver || role != StreamRole.Records || ++_unacknowledged < _ackInterval) return false;
            _unacknowledged = 0;
            return true;
        }
    }

    /// <summary>A message without an offset came. It is not acknowledged, so that the queue keeps it.</summary>
    public void RefuseQueue(int stream) => Fail(new GatewayException(
        $"'{OneLine.Of(names[stream])}' is not a stream: only streams can be read without consuming "
        + "the messages")
    { IsRefusal = true });

    public void Lose(string reason)
    {
        LossReason ??= reason;
        _outcome.TrySetResult(false);
    }

    public void Fail(Exception fault)
    {
        lock (_gate) _isOver = true;
        _outcome.TrySetException(fault);
    }

    private async Task ConsumeAsync(IConnection connection, CancellationToken cancellationToken)
    {
        string current = names[0];
        try
        {
            IChannel records = await OpenAsync(connection, options.PrefetchCount, cancellationToken)
                .ConfigureAwait(false);
            IChannel? ends = options.Follow
                ? null
                : await OpenAsync(connection, 1, cancellationToken).ConfigureAwait(false);
            for (int i = 0; i < names.Length; i++)
            {
                current = names[i];

                // The ends first: what is published after they were asked for need not be read.
                if (ends is not null)
                {
                    await ConsumeAsync(ends, i, StreamRole.Later, "next", cancellationToken).ConfigureAwait(false);
                    await ConsumeAsync(ends, i, StreamRole.LastChunk, "last", cancellationToken).ConfigureAwait(false);
                }

                object resume = positions[i].Resume.ToArgument();
                await ConsumeAsync(records, i, StreamRole.Records, resume, cancellationToken).ConfigureAwait(false);
            }
        }
        catch (Exception fault)
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw RabbitFaults.OfQueue(fault, current, GatewayQueueKind.Stream, isDeclared: false);
        }
    }

    // The prefetch count is what bounds the memory: the client keeps all that it is sent.
    private static async Task<IChannel> OpenAsync(
        IConnection connection, int prefetchCount, CancellationToken cancellationToken)
    {
        IChannel channel = await connection.CreateChannelAsync(options: null, cancellationToken).ConfigureAwait(false);
        await channel.BasicQosAsync(0, (ushort)prefetchCount, global: false, cancellationToken).ConfigureAwait(false);
        return channel;
    }

    private Task<string> ConsumeAsync(
        IChannel channel, int stream, StreamRole role, object offset, CancellationToken cancellationToken) =>
        channel.BasicConsumeAsync(
            names[stream],
            autoAck: false,
            consumerTag: "",
            noLocal: false,
            exclusive: false,
            new Dictionary<string, object?>(StringComparer.Ordinal) { ["x-stream-offset"] = offset },
            new StreamConsumer(channel, this, stream, role),
            cancellationToken);

    private void EndIfRead()
    {
        if (!options.Follow && Array.TrueForAll(positions, static position => position.IsAtEnd))
        {
            _outcome.TrySetResult(true);
        }
    }

    private void CheckSilence()
    {
        lock (_gate)
        {
            // The client calls for nothing else while a probe is under way.
            if (_probe is not null) return;
            bool isEnd = !options.Follow;
            for (int i = 0; i < positions.Length; i++)
            {
                TimeSpan silence = Stopwatch.GetElapsedTime(_arrivals[i]);
                if (_isAwaited[i] && silence >= options.ConnectTimeout) Fail(Gone(i));
                if (options.Follow) continue;
                if (positions[i].IsAtEnd || positions[i].IsSilentAtEnd(silence, options.QuietTime)) continue;
                isEnd = false;
                if (silence >= MaxSilence) Lose("the broker stopped delivering before the end of the stream");
            }

            if (isEnd) _outcome.TrySetResult(true);
        }
    }

    // Asked for what was read last, a broker delivers it, or what comes after it. A stream that is shorter is silent.
    private GatewayException Gone(int stream) => new(
        $"stream '{OneLine.Of(names[stream])}' no longer reaches offset {positions[stream].Last}, which was read: it "
        + "was deleted and declared again, or has lost its end; read it from the start")
    { IsRefusal = true };
}
