using System.Text;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Counters;

/// <summary>
/// Reads the counters of one network namespace again and again: the one that the making thread is in. Made for
/// sampling: a reading opens no file. With a few interfaces it costs some 0.1 ms of CPU time, and 0.35 ms with cold
/// caches, so that ten a second take 0.35 % of a core. Any thread may read, one at a time. Linux only; elsewhere
/// everything is null. What the kernel does not offer when the reader is made stays null, so connection tracking that
/// is loaded later is seen by later readers only. A reader keeps its namespace in being until it is disposed.
/// </summary>
internal sealed class NetworkCounterReader : IDisposable
{
    /// <summary>How many interfaces a reading has at most; the oldest ones come first.</summary>
    public const int MaxInterfaces = 256;

    /// <summary>How many queueing disciplines a reading has at most: cards have one for each of their queues.</summary>
    public const int MaxQueues = 1024;

    private const int UsualFileBytes = 16 * 1024;

    // /proc/net/softnet_stat has some 135 characters per CPU, of which there may be 8192.
    private const int MaxFileBytes = 2 * 1024 * 1024;

    // The folder of this thread: that of the process is in the namespace of its first thread.
    private const string Net = "proc/thread-self/net/";
    private const string Netfilter = "proc/sys/net/netfilter/";

    private readonly byte[][] _interfaceNames;
    private readonly string _namespaceId;
    private readonly HostFile _snmp;
    private readonly HostFile _netstat;
    private readonly HostFile _snmp6;
    private readonly HostFile _softnet;
    private readonly HostFile _conntrack;
    private readonly HostFile _conntrackCount;
    private readonly HostFile _conntrackLimit;
    private readonly RouteReplies _routes;
    private byte[] _buffer = new byte[UsualFileBytes];

    /// <summary>
    /// Opens what is to be read. <c>interfaceNames</c>: the interfaces to read, of which those that do not exist are
    /// left out; null for all. Where there are more than a hundred, name those of interest: reading all costs some 5
    /// microseconds each, and some 0.5 each beside these.
    /// </summary>
    public NetworkCounterReader(IReadOnlyList<string>? interfaceNames = null, string rootPath = "/")
    {
        _interfaceNames = interfaceNames is null
            ? [[]]
            : [.. interfaceNames.Where(IsName).Take(MaxInterfaces).Select(Encoding.UTF8.GetBytes)];
        var files = new HostFiles(rootPath);
        _namespaceId = ReadNamespaceId(files);
        _snmp = files.Open(Net + "snmp");
        _netstat = files.Open(Net + "netstat");
        _snmp6 = files.Open(Net + "snmp6");
        _softnet = files.Open(Net + "softnet_stat");
        _conntrack = files.Open(Net + "stat/nf_conntrack");
        _conntrackCount = files.Open(Netfilter + "nf_conntrack_count");
        _conntrackLimit = files.Open(Netfilter + "nf_conntrack_max");
        _routes = new RouteReplies(rootPath);
    }

    /// <summary>Reads all counters. They are read one after another, while they go on counting.</summary>
    public NetworkCounters Read()
    {
        List<InterfaceCounters> interfaces = ReadInterfaces();
        List<QueueCounters> queues = interfaces.Count > 0
            ? QueueParser.Parse(_routes.ReadQueues(), interfaces, MaxQueues)
            : [];
        ReadOnlySpan<byte> snmp = ReadWhole(_snmp);
        UdpProtocolCounters udp4 = ProtocolParser.ParseUdp4(snmp);
        IpCounters ip4 = ProtocolParser.AddNetstat(ProtocolParser.ParseIp4(snmp), ReadWhole(_netstat));
        ReadOnlySpan<byte> snmp6 = ReadWhole(_snmp6);
        UdpProtocolCounters udp6 = ProtocolParser.ParseUdp6(snmp6);
        IpCounters ip6 = ProtocolParser.ParseIp6(snmp6);
        long? count = FileText.Number(_conntrackCount.Read(_buffer));
        long? max = FileText.Number(_conntrackLimit.Read(_buffer));
        ReadOnlySpan<byte> softnet = ReadWhole(_softnet);
        return new NetworkCounters
        {
            Udp4 = udp4,
            Udp6 = udp6,
            Ip4 = ip4,
            Ip6 = ip6,
            Softnet = SoftnetCounters.Parse(softnet),
            SoftnetCpus = SoftnetCounters.ParseCpus(softnet),
            Interfaces = interfaces,
            Queues = queues,
            Conntrack = ConntrackCounters.Parse(ReadWhole(_conntrack), count, max),
            NamespaceId = _namespaceId,
        };
    }

    /// <summary>Closes the files; further readings are null.</summary>
    public void Dispose()
    {
        _snmp.Dispose();
        _netstat.Dispose();
        _snmp6.Dispose();
        _softnet.Dispose();
        _conntrack.Dispose();
        _conntrackCount.Dispose();
        _conntrackLimit.Dispose();
        _routes.Dispose();
    }

    private static bool IsName(string name) => name.Length > 0;

    private static string ReadNamespaceId(HostFiles files) =>
        files.ReadLink("proc/thread-self/ns/net") is { } link
        && files.ReadLine("proc/sys/kernel/random/boot_id") is { } start
            ? $"{link}@{start}"
            : "";

    private List<InterfaceCounters> ReadInterfaces()
    {
        var interfaces = new List<InterfaceCounters>();
        foreach (byte[] name in _interfaceNames)
        {
            LinkParser.Add(_routes.ReadLinks(name), name, MaxInterfaces, interfaces);
        }

        return interfaces;
    }

    private ReadOnlySpan<byte> ReadWhole(HostFile file) => file.ReadAll(ref _buffer, MaxFileBytes);
}

/// <summary>Reads the counters of IP and UDP from <c>snmp</c>, <c>netstat</c> and <c>snmp6</c>: pure.</summary>
internal static class ProtocolParser
{
    public static UdpProtocolCounters ParseUdp4(ReadOnlySpan<byte> snmp)
    {
        UdpProtocolCounters udp = default;
        var table = new ProtocolTable(snmp, "Udp:"u8);
        foreach (Counter<UdpProtocolCounters> row in CounterTable.Udp) row.Set(ref udp, table[row.Word]);
        return udp;
    }

    /// <summary><see cref="AddNetstat"/> adds the rest.</summary>
    public static IpCounters ParseIp4(ReadOnlySpan<byte> snmp)
    {
        IpCounters ip = default;
        var table = new ProtocolTable(snmp, "Ip:"u8);
        foreach (Counter<IpCounters> row in CounterTable.Ip)
        {
            if (row.Section.Length == 0) row.Set(ref ip, table[row.Word]);
        }

        return ip;
    }

    public static IpCounters AddNetstat(IpCounters ip, ReadOnlySpan<byte> netstat)
    {
        var extension = new ProtocolTable(netstat, "IpExt:"u8);
        var tcp = new ProtocolTable(netstat, "TcpExt:"u8);
        foreach (Counter<IpCounters> row in CounterTable.Ip)
        {
            if (row.Section.Length > 0) row.Set(ref ip, extension[row.Word] ?? tcp[row.Word]);
        }

        ip.InSegments = extension["InNoECTPkts"u8] + extension["InECT1Pkts"u8]
            + extension["InECT0Pkts"u8] + extension["InCEPkts"u8];
        return ip;
    }

    public static UdpProtocolCounters ParseUdp6(ReadOnlySpan<byte> snmp6)
    {
        UdpProtocolCounters udp = default;
        foreach (Counter<UdpProtocolCounters> row in CounterTable.Udp)
        {
            row.Set(ref udp, Find6(snmp6, "Udp6"u8, row.Word));
        }

        return udp;
    }

    public static IpCounters ParseIp6(ReadOnlySpan<byte> snmp6)
    {
        IpCounters ip = default;
        foreach (Counter<IpCounters> row in CounterTable.Ip) row.Set(ref ip, Find6(snmp6, "Ip6"u8, row.Word));
        ip.InSegments = Find6(snmp6, "Ip6"u8, "InNoECTPkts"u8) + Find6(snmp6, "Ip6"u8, "InECT1Pkts"u8)
            + Find6(snmp6, "Ip6"u8, "InECT0Pkts"u8) + Find6(snmp6, "Ip6"u8, "InCEPkts"u8);
        return ip;
    }

    // The blank after each name keeps it from being the beginning of another one: the kernel pads names to 32.
    private static long? Find6(ReadOnlySpan<byte> snmp6, ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> name)
    {
        Span<byte> key = stackalloc byte[prefix.Length + name.Length + 1];
        prefix.CopyTo(key);
        name.CopyTo(key[prefix.Length..]);
        key[^1] = (byte)' ';
        return FileText.NumberAfter(snmp6, key);
    }
}

/// <summary>In <c>/proc/net/snmp</c> or <c>netstat</c>: a line of names, which differ by kernel, and values.</summary>
internal readonly ref struct ProtocolTable
{
    private readonly ReadOnlySpan<byte> _names;
    private readonly ReadOnlySpan<byte> _values;

    public ProtocolTable(ReadOnlySpan<byte> text, ReadOnlySpan<byte> protocol)
    {
        foreach (Range range in text.Split((byte)'\n'))
        {
            ReadOnlySpan<byte> line = text[range];
            if (!line.StartsWith(protocol)) continue;

            if (_names.IsEmpty)
            {
                _names = line;
            }
            else
            {
                _values = line;
                break;
            }
        }
    }

    public long? this[ReadOnlySpan<byte> name] =>
        FileText.Number(FileText.WordAt(_values, FileText.IndexOfWord(_names, name)));
}
