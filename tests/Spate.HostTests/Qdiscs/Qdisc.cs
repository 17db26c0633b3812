using System.Text.Json.Nodes;
using Spate.HostTests.Namespaces;

namespace Spate.HostTests.Qdiscs;

/// <summary>A queueing discipline that the data of a test passes, and the counters that <c>tc</c> prints.</summary>
internal sealed class Qdisc
{
    private const string Device = "veth0";
    private const string Handle = "30:";
    private const string DataBand = "1:3";

    // The length field of the IPv4 header (RFC 791), 2 bytes from its begin.
    private const int LengthOffset = 2;

    private readonly NetworkNamespace _network;

    /// <param name="network">The namespace; the qdisc is that of <c>veth0</c>.</param>
    /// <param name="kind">Its kind and options, as tc takes them.</param>
    /// <param name="isForDataOnly">Whether control messages of the test go past it.</param>
    /// <param name="above">The kind of a discipline above it, which data passes too.</param>
    public Qdisc(NetworkNamespace network, string kind, bool isForDataOnly = true, string? above = null)
    {
        Programs.Require("tc", "iproute2");
        _network = network;
        Exception? fault = Record.Exception(() => Add(kind, isForDataOnly, above));
        Assert.SkipUnless(
            fault is null,
            $"this kernel has not all of {kind.Split(' ')[0]}, prio and u32, or not these options: {fault?.Message}");
    }

    /// <summary>A number of the discipline, by the name that <c>tc -s -j</c> gives it.</summary>
    public long Count(string name)
    {
        JsonArray all = JsonNode.Parse(_network.Execute($"tc -s -j qdisc show dev {Device}"))!.AsArray();
        return (long)all.Single(static one => Handle.Equals((string?)one!["handle"], StringComparison.Ordinal))![name]!;
    }

    // Only data has this length, no control message.
    private void Add(string kind, bool isForDataOnly, string? above)
    {
        if (!isForDataOnly)
        {
            _network.Execute($"tc qdisc add dev {Device} root handle {Handle} {kind}");
            return;
        }

        const int dataBytes = TestPair.SizeBytes + TestPair.HeaderBytes;
        _network.Execute($"tc qdisc add dev {Device} root handle 1: prio priomap {string.Join(' ', new int[16])}");
        if (above is not null) _network.Execute($"tc qdisc add dev {Device} parent {DataBand} handle 20: {above}");
        string parent = above is null ? DataBand : "20:1";
        _network.Execute($"tc qdisc add dev {Device} parent {parent} handle {Handle} {kind}");
        _network.Execute($"tc filter add dev {Device} parent 1: protocol ip u32 "
            + $"match u16 {dataBytes} 0xffff at {LengthOffset} flowid {DataBand}");
    }
}
