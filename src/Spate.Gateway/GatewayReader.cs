using System.Text;
using Spate.Gateway.Format;
using Spate.Gateway.Reading;

namespace Spate.Gateway;

/// <summary>
/// Reads the streams that gateways fill, and proves what is missing: every key (<see cref="GatewayKey"/>) is checked to
/// be without gaps by its own sequence numbers. Streams only: reading a queue would take its messages away.
/// </summary>
public static class GatewayReader
{
    /// <summary>The most partitions: 64.</summary>
    public const int MaxPartitionCount = 64;

    /// <summary>The highest <see cref="GatewayReaderOptions.PrefetchCount"/>: 1000.</summary>
    public const int MaxPrefetchCount = 1000;

    /// <summary>The highest <see cref="GatewayReaderOptions.MaxKeyCount"/>: 65536.</summary>
    public const int MaxKeyCount = 65_536;

    /// <summary>
    /// Reads streams to their ends, or with <see cref="GatewayReaderOptions.Follow"/> until cancelled. After a lost
    /// connection, reading goes on where it was, at the next host.
    /// </summary>
    /// <param name="options">What to read, and how.</param>
    /// <param name="visit">
    /// Called for each datagram, one call at a time, on threads of the pool; null to verify only. What it throws ends
    /// the reading and reaches the caller.
    /// </param>
    /// <param name="cancellationToken">
    /// Ends the reading; the findings so far are returned, without an exception. Without
    /// <see cref="GatewayReaderOptions.Follow"/> that is never complete (<see cref="GatewayFindings.IsInterrupted"/>).
    /// </param>
    /// <returns>What was read and what is missing.</returns>
    /// <exception cref="ArgumentException">An option is out of its bounds.</exception>
    /// <exception cref="GatewayException">
    /// No host answered in time, the broker refused, or there is no such stream. One line that says which.
    /// </exception>
    public static async Task<GatewayFindings> ReadAsync(
        GatewayReaderOptions options,
        GatewayRecordCallback? visit = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        Check(options);
        var verifier = new Verifier(options.PartitionCount, options.MaxKeyCount, options.VisitDuplicates, visit);
        bool isInterrupted = false;
        StreamSource? source = null;
        try
        {
            // Aside, since the file with the authorities may be a pipe that nobody writes to.
            source = await Task.Run(() => new StreamSource(options, verifier), cancellationToken)
                .WaitAsync(cancellationToken).ConfigureAwait(false);
            await source.RunAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // Asked for: with Follow there is no other end.
            isInterrupted = !options.Follow || source is not { HasConnected: true };
        }

        return verifier.Findings() with { IsInterrupted = isInterrupted };
    }

    private static void Check(GatewayReaderOptions options)
    {
        if (options.Target.IsDiscard)
        {
            throw Wrong(nameof(options.Target), "null: holds nothing to read: expected amqp://...");
        }
        int nameBytes = Encoding.UTF8.GetByteCount(options.StreamName);
        if (nameBytes is 0 or > PartitionNames.MaxBytes)
        {
            throw Wrong(nameof(options.StreamName), $"{nameBytes} bytes: expected 1 to {PartitionNames.MaxBytes}");
        }

        CheckRange(nameof(options.PartitionCount), options.PartitionCount, 1, MaxPartitionCount);
        CheckRange(nameof(options.PrefetchCount), options.PrefetchCount, 1, MaxPrefetchCount);
        CheckRange(nameof(options.MaxKeyCount), options.MaxKeyCount, 1, MaxKeyCount);
        CheckTime(nameof(options.ConnectTimeout), options.ConnectTimeout);
        CheckTime(nameof(options.QuietTime), options.QuietTime);
    }

    private static void CheckRange(string name, int value, int min, int max)
    {
        if (value < min || value > max) throw Wrong(name, $"{value}: expected {min} to {max}");
    }

    private static void CheckTime(string name, TimeSpan value)
    {
        bool isInside = value > TimeSpan.Zero && value <= TimeSpan.FromHours(1);
        if (!isInside) throw Wrong(name, $"{value}: expected more than 0 and at most an hour");
    }

    private static ArgumentException Wrong(string name, string what) => new($"{name}: {what}.", name);
}
