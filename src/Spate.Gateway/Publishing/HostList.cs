using System.Net;

namespace Spate.Gateway.Publishing;

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
