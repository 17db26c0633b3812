using System.Buffers.Binary;

namespace Spate.Gateway.Format;

/// <summary>The fields of a prefix that is to be written. <see cref="PackMessage"/> reads prefixes.</summary>
internal readonly record struct PackPrefix
{
    /// <summary>
    /// The bytes before the gateway's id. Kind, shard, partition, epoch and first sequence lie within, so they tell the
    /// messages of a gateway apart, as long as no two accounting messages in flight have the same time.
    /// </summary>
    public const int FixedBytes = 56;

    public PackKind Kind { get; init; }

    public PackFlags Flags { get; init; }

    public ushort Shard { get; init; }

    public ushort Partition { get; init; }

    /// <summary>When the gateway was started, in nanoseconds since 1970 UTC.</summary>
    public long Epoch { get; init; }

    /// <summary>
    /// The sequence number of the first record; of an accounting message, the next one that will be given.
    /// </summary>
    public ulong FirstSequence { get; init; }

    /// <summary>The number of records; of an accounting message, of ranges.</summary>
    public uint Count { get; init; }

    /// <summary>The bytes after the prefix.</summary>
    public uint BodyBytes { get; init; }

    /// <summary>When the first datagram arrived, or when the accounting message was written.</summary>
    public long FirstTime { get; init; }

    /// <summary>When the last datagram arrived; of an accounting message, the first time again.</summary>
    public long LastTime { get; init; }

    /// <summary>The bytes of a prefix.</summary>
    /// <param name="id">The gateway's id: 1 to 64 bytes of UTF-8.</param>
    /// <param name="localEndPoints">The addresses that the gateway listens on: 1 to 64.</param>
    public static int BytesFor(ReadOnlySpan<byte> id, ReadOnlySpan<UdpEndPoint> localEndPoints)
    {
        int bytes = FixedBytes + id.Length;
        foreach (ref readonly UdpEndPoint local in localEndPoints)
        {
            bytes += PrefixLayout.LocalEndPointHeaderBytes
                + (local.IsIPv4 ? FormatLimits.IPv4Bytes : FormatLimits.IPv6Bytes);
        }

        return bytes;
    }

    /// <summary>Writes the prefix. Returns its bytes, <see cref="BytesFor"/>.</summary>
    /// <param name="message">Where the message begins.</param>
    /// <param name="id">The gateway's id: 1 to 64 bytes of UTF-8.</param>
    /// <param name="localEndPoints">The addresses that the gateway listens on: 1 to 64, none the default value.</param>
    /// <exception cref="ArgumentException">The id or the local end points are out of their bounds.</exception>
    public int Write(Span<byte> message, ReadOnlySpan<byte> id, ReadOnlySpan<UdpEndPoint> localEndPoints)
    {
        ThrowIfOutside(id.Length, FormatLimits.MaxIdBytes, nameof(id));
        ThrowIfOutside(localEndPoints.Length, FormatLimits.MaxLocalEndPoints, nameof(localEndPoints));
        message = message[..BytesFor(id, localEndPoints)];
        PrefixLayout.Magic.CopyTo(message);
        message[PrefixLayout.VersionAt] = FormatLimits.Version;
        message[PrefixLayout.KindAt] = (byte)Kind;
        message[PrefixLayout.IdBytesAt] = (byte)id.Length;
        message[PrefixLayout.LocalEndPointCountAt] = (byte)localEndPoints.Length;
        BinaryPrimitives.WriteUInt16LittleEndian(message[PrefixLayout.FlagsAt..], (ushort)Flags);
        BinaryPrimitives.WriteUInt16LittleEndian(message[PrefixLayout.PrefixBytesAt..], (ushort)message.Length);
        BinaryPrimitives.WriteUInt16LittleEndian(message[PrefixLayout.ShardAt..], Shard);
        BinaryPrimitives.WriteUInt16LittleEndian(message[PrefixLayout.PartitionAt..], Partition);
        BinaryPrimitives.WriteInt64LittleEndian(message[PrefixLayout.EpochAt..], Epoch);
        BinaryPrimitives.WriteUInt64LittleEndian(message[PrefixLayout.FirstSequenceAt..], FirstSequence);
        BinaryPrimitives.WriteUInt32LittleEndian(message[PrefixLayout.CountAt..], Count);
        BinaryPrimitives.WriteUInt32LittleEndian(message[PrefixLayout.BodyBytesAt..], BodyBytes);
        BinaryPrimitives.WriteInt64LittleEndian(message[PrefixLayout.FirstTimeAt..], FirstTime);
        BinaryPrimitives.WriteInt64LittleEndian(message[PrefixLayout.LastTimeAt..], LastTime);
        id.CopyTo(message[FixedBytes..]);
        Span<byte> rest = message[(FixedBytes + id.Length)..];
        foreach (ref readonly UdpEndPoint local in localEndPoints) rest = rest[Write(rest, in local)..];
        return message.Length;
    }

    private static int Write(Span<byte> destination, in UdpEndPoint local)
    {
        if (local.IsDefault) throw new ArgumentException("The default value is not a local end point.", nameof(local));
        destination[0] = local.IsIPv4 ? PrefixLayout.IPv4Family : PrefixLayout.IPv6Family;
        destination[1] = 0;
        BinaryPrimitives.WriteUInt16LittleEndian(destination[2..], (ushort)local.Port);
        _ = local.Address.TryWriteBytes(destination[PrefixLayout.LocalEndPointHeaderBytes..], out int addressBytes);
        return PrefixLayout.LocalEndPointHeaderBytes + addressBytes;
    }

    private static void ThrowIfOutside(int length, int max, string parameterName)
    {
        if (length < 1 || length > max) throw new ArgumentException($"{length}: expected 1 to {max}.", parameterName);
    }
}

/// <summary>The flags of a message; the numbers are those of the format. A reader ignores unknown flags.</summary>
[Flags]
internal enum PackFlags : ushort
{
    /// <summary>A message like most others.</summary>
    None = 0,

    /// <summary>The accounting message with which a key begins: the first message of the key.</summary>
    Begin = 1,

    /// <summary>The accounting message with which a key ends.</summary>
    End = 2,

    /// <summary>
    /// An accounting message whose totals count dropped datagrams that only a later accounting message names.
    /// </summary>
    More = 4,
}

/// <summary>What a message holds; the numbers are those of the format.</summary>
internal enum PackKind : byte
{
    /// <summary>No message has it.</summary>
    None = 0,

    /// <summary>Datagrams, one record each.</summary>
    Records = 1,

    /// <summary>The totals of a key, and ranges of dropped datagrams.</summary>
    Accounting = 2,
}

/// <summary>Where the fields of a prefix lie, and what some of them hold.</summary>
internal static class PrefixLayout
{
    public const int VersionAt = 4;
    public const int KindAt = 5;
    public const int FlagsAt = 6;
    public const int PrefixBytesAt = 8;
    public const int ShardAt = 10;
    public const int PartitionAt = 12;
    public const int IdBytesAt = 14;
    public const int LocalEndPointCountAt = 15;
    public const int EpochAt = 16;
    public const int FirstSequenceAt = 24;
    public const int CountAt = 32;
    public const int BodyBytesAt = 36;
    public const int FirstTimeAt = 40;
    public const int LastTimeAt = 48;

    public const byte IPv4Family = 4;
    public const byte IPv6Family = 6;
    public const int LocalEndPointHeaderBytes = 4;

    /// <summary>SPGW, with which every message begins.</summary>
    public static ReadOnlySpan<byte> Magic => "SPGW"u8;
}

/// <summary>The names of the streams or queues of a gateway, for gateways and readers alike.</summary>
internal static class PartitionNames
{
    /// <summary>The longest name, in bytes of UTF-8: a short string of AMQP 0-9-1.</summary>
    public const int MaxBytes = 255;

    /// <summary>
    /// One partition has the name itself; of several, each has the name and its number: NAME-0, NAME-1...
    /// </summary>
    public static string[] Of(string name, int count) =>
        count == 1 ? [name] : [.. Enumerable.Range(0, count).Select(index => $"{name}-{index}")];
}
