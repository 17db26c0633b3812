using System.Net;
using Spate.Gateway.Pipelines;

namespace Spate.Gateway.Publishing;

/// <summary>
/// The connection between a pipeline and the broker that stores its messages: one connection with one channel at a
/// time. One caller at a time; the listener is called from any thread.
/// </summary>
internal interface ILink : IAsyncDisposable
{
    /// <summary>
    /// Connects, to the next host after one that has failed, and checks or declares the queues. Ends what an earlier
    /// call had opened. The next pack published has tag 1. After a failure nothing is called on the listener.
    /// </summary>
    /// <param name="listener">Gets the events of this connection, until it is lost.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <exception cref="GatewayException">
    /// One line that says why. <see cref="GatewayException.IsRefusal"/> is set where a host answered and refused:
    /// credentials, virtual host, queue, certificate.
    /// </exception>
    Task ConnectAsync(ILinkListener listener, CancellationToken cancellationToken);

    /// <summary>
    /// Publishes <see cref="PackBuffer.Message"/> to the queue of <see cref="PackBuffer.Partition"/>: persistent,
    /// mandatory, with the next tag. The confirm may come before the call has returned. The bytes stay as they are
    /// until then; they are not read after the call has returned.
    /// </summary>
    /// <exception cref="Exception">The connection is lost, whether or not the listener has been told.</exception>
    ValueTask PublishAsync(PackBuffer pack, CancellationToken cancellationToken);
}

/// <summary>Confirms everything at once and keeps nothing, for measuring what receiving and packing cost.</summary>
internal sealed class NullLink : ILink
{
    private ILinkListener? _listener;
    private ulong _tag;

    public Task ConnectAsync(ILinkListener listener, CancellationToken cancellationToken)
    {
        _listener = listener;
        _tag = 0;
        return Task.CompletedTask;
    }

    public ValueTask PublishAsync(PackBuffer pack, CancellationToken cancellationToken)
    {
        _listener!.OnConfirmed(++_tag, multiple: false);
        return ValueTask.CompletedTask;
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}

/// <summary>How long to wait before the next attempt: twice as long each time, with jitter.</summary>
internal static class BackOff
{
    private const int MinMilliseconds = 100;

    /// <summary>After that many the pause is at its longest whatever the bound is, and no shift overflows.</summary>
    private const int MaxDoublings = 16;

    /// <summary>The longest pause between two attempts to connect.</summary>
    public static readonly TimeSpan MaxConnectPause = TimeSpan.FromSeconds(5);

    /// <summary>The longest pause before a refused pack is published again.</summary>
    public static readonly TimeSpan MaxRefusalPause = TimeSpan.FromSeconds(2);

    /// <inheritdoc cref="Pause(int, TimeSpan, double)"/>
    public static TimeSpan Pause(int failureCount, TimeSpan max) =>
        Pause(failureCount, max, Random.Shared.NextDouble());

    /// <summary>
    /// The pause after a number of failures, from 1: 100 ms, 200 ms and so on up to <paramref name="max"/>, less up to
    /// half of it at random, so that gateways that lost the same broker do not come back together.
    /// </summary>
    public static TimeSpan Pause(int failureCount, TimeSpan max, double random)
    {
        int doublings = Math.Clamp(failureCount - 1, 0, MaxDoublings);
        double milliseconds = Math.Min((double)MinMilliseconds * (1 << doublings), max.TotalMilliseconds);
        return TimeSpan.FromMilliseconds(milliseconds * (1 - (random / 2)));
    }
}

/// <summary>
/// The hosts of a target in turn; the pauses between attempts are those of <see cref="BackOff"/>. One thread at a time.
/// </summary>
/// <param name="hosts">The hosts, at least one.</param>
/// <param name="firstIndex">The first one to try, taken modulo their number: pipelines spread over the hosts.</param>
internal sealed class HostList(IReadOnlyList<DnsEndPoint> hosts, int firstIndex)
{
    private int _index = firstIndex % hosts.Count;

    /// <summary>The host to try now.</summary>
    public DnsEndPoint Current => hosts[_index];

    /// <summary>Goes on to the next host, after a failed attempt or a lost connection.</summary>
    public void Next() => _index = (_index + 1) % hosts.Count;
}
