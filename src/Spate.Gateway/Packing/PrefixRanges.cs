using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;

namespace Spate.Gateway.Packing;

/// <summary>
/// A set of address prefixes of both families, as sorted ranges that do not touch, so that a look-up costs the
/// logarithm of their number. Immutable.
/// </summary>
internal sealed class PrefixRanges
{
    private const int IPv4Bytes = 4;
    private const int MaxAddressBytes = 16;

    private readonly UInt128[] _ipv4Starts;
    private readonly UInt128[] _ipv4Ends;
    private readonly UInt128[] _ipv6Starts;
    private readonly UInt128[] _ipv6Ends;

    public PrefixRanges(IReadOnlyList<IPNetwork> prefixes)
    {
        (_ipv4Starts, _ipv4Ends) = Merge(prefixes.Where(prefix => !IsIPv6(prefix)).Select(RangeOf));
        (_ipv6Starts, _ipv6Ends) = Merge(prefixes.Where(IsIPv6).Select(RangeOf));
    }

    public bool Contains(in UdpEndPoint peer)
    {
        Span<byte> address = stackalloc byte[MaxAddressBytes];
        if (!peer.Address.TryWriteBytes(address, out int addressBytes)) return false;
        return addressBytes == IPv4Bytes
            ? Contains(_ipv4Starts, _ipv4Ends, BinaryPrimitives.ReadUInt32BigEndian(address))
            : Contains(_ipv6Starts, _ipv6Ends, BinaryPrimitives.ReadUInt128BigEndian(address));
    }

    private static bool Contains(UInt128[] starts, UInt128[] ends, UInt128 address)
    {
        int at = Array.BinarySearch(starts, address);
        if (at >= 0) return true;
        int before = ~at - 1;
        return before >= 0 && address <= ends[before];
    }

    private static bool IsIPv6(IPNetwork prefix) => prefix.BaseAddress.AddressFamily == AddressFamily.InterNetworkV6;

    private static (UInt128 Start, UInt128 End) RangeOf(IPNetwork prefix)
    {
        byte[] bytes = prefix.BaseAddress.GetAddressBytes();
        UInt128 start = 0;
        foreach (byte each in bytes) start = (start << 8) | each;
        int hostBits = (bytes.Length * 8) - prefix.PrefixLength;

        // A shift by 128 would shift by nothing.
        UInt128 hosts = hostBits == 128 ? UInt128.MaxValue : (UInt128.One << hostBits) - 1;
        return (start, start | hosts);
    }

    private static (UInt128[] Starts, UInt128[] Ends) Merge(IEnumerable<(UInt128 Start, UInt128 End)> ranges)
    {
        List<UInt128> starts = [], ends = [];
        foreach ((UInt128 start, UInt128 end) in ranges.OrderBy(range => range.Start))
        {
            if (ends.Count > 0 && start <= ends[^1])
            {
                ends[^1] = UInt128.Max(ends[^1], end);
                continue;
            }

            starts.Add(start);
            ends.Add(end);
        }

        return ([.. starts], [.. ends]);
    }
}
