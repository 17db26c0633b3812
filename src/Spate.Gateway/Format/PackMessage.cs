using System.Buffers.Binary;
using System.Text.Unicode;

namespace Spate.Gateway.Format;

/// <summary>
/// A message as it was received, with a checked prefix: every field lies within its bounds. It points into the bytes
/// and is valid as long as they are.
/// </summary>
internal readonly ref struct PackMessage
{
    private readonly ReadOnlySpan<byte> _message;

    private PackMessage(ReadOnlySpan<byte> message) => _message = message;

    public PackKind Kind => (PackKind)_message[PrefixLayout.KindAt];

    public PackFlags Flags => (PackFlags)UInt16At(PrefixLayout.FlagsAt);

    public int PrefixBytes => UInt16At(PrefixLayout.PrefixBytesAt);

    public int Shard => UInt16At(PrefixLayout.ShardAt);

    public int Partition => UInt16At(PrefixLayout.PartitionAt);

    /// <summary>The gateway's id, valid UTF-8. It is a stranger's text: escape it before it is shown.</summary>
    public ReadOnlySpan<byte> Id => _message.Slice(PackPrefix.FixedBytes, _message[PrefixLayout.IdBytesAt]);

    public int LocalEndPointCount => _message[PrefixLayout.LocalEndPointCountAt];

    /// <summary>When the gateway was started, in nanoseconds since 1970 UTC.</summary>
    public long Epoch => Int64At(PrefixLayout.EpochAt);

    /// <summary>
    /// The sequence number of the first record; of an accounting message, the next one that will be given.
    /// </summary>
    public ulong FirstSequence => BinaryPrimitives.ReadUInt64LittleEndian(_message[PrefixLayout.FirstSequenceAt..]);

    /// <summary>The number of records; of an accounting message, of ranges.</summary>
    public uint Count => BinaryPrimitives.ReadUInt32LittleEndian(_message[PrefixLayout.CountAt..]);

    /// <summary>
    /// When the first datagram arrived, or when an accounting message was written, in ns since 1970 UTC.
    /// </summary>
    public long FirstTime => Int64At(PrefixLayout.FirstTimeAt);

    public long LastTime => Int64At(PrefixLayout.LastTimeAt);

    /// <summary>What follows the prefix.</summary>
    public ReadOnlySpan<byte> Body => _message[PrefixBytes..];

    /// <summary>Checks a prefix. The body is only measured.</summary>
    /// <param name="message">The bytes of the whole message.</param>
    /// <param name="checkedMessage">The message; the default value, which must not be used, on failure.</param>
    public static FormatFault Read(ReadOnlySpan<byte> message, out PackMessage checkedMessage)
    {
        checkedMessage = default;
        if (message.Length < PackPrefix.FixedBytes) return FormatFault.TooShort;
        if (!message.StartsWith(PrefixLayout.Magic)) return FormatFault.Magic;
        if (message[PrefixLayout.VersionAt] != FormatLimits.Version) return FormatFault.Version;
        var read = new PackMessage(message);
        if (read.Kind is not (PackKind.Records or PackKind.Accounting)) return FormatFault.Kind;

        FormatFault fault = read.FindFault();
        if (fault == FormatFault.None) checkedMessage = read;
        return fault;
    }

    /// <summary>A local end point of the gateway.</summary>
    /// <param name="index">From 0 to <see cref="LocalEndPointCount"/> - 1.</param>
    /// <param name="port">Its port.</param>
    /// <returns>Its address, 4 or 16 bytes.</returns>
    public ReadOnlySpan<byte> LocalEndPoint(int index, out int port)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)index, (uint)LocalEndPointCount, nameof(index));
        ReadOnlySpan<byte> rest = _message[(PackPrefix.FixedBytes + _message[PrefixLayout.IdBytesAt])..];
        for (; index > 0; index--) rest = rest[(PrefixLayout.LocalEndPointHeaderBytes + AddressBytes(rest[0]))..];
        port = BinaryPrimitives.ReadUInt16LittleEndian(rest[2..]);
        return rest.Slice(PrefixLayout.LocalEndPointHeaderBytes, AddressBytes(rest[0]));
    }

    private static int AddressBytes(byte family) =>
        family == PrefixLayout.IPv4Family ? FormatLimits.IPv4Bytes : FormatLimits.IPv6Bytes;

    private FormatFault FindFault()
    {
        int prefixBytes = PrefixBytes;
        int idBytes = _message[PrefixLayout.IdBytesAt];
        if (prefixBytes > _message.Length) return FormatFault.PrefixLength;
        if (prefixBytes < PackPrefix.FixedBytes + idBytes) return FormatFault.PrefixLength;
        if (idBytes is 0 or > FormatLimits.MaxIdBytes || !Utf8.IsValid(Id)) return FormatFault.Id;
        if (!HasLocalEndPoints()) return FormatFault.LocalEndPoints;

        uint bodyBytes = BinaryPrimitives.ReadUInt32LittleEndian(_message[PrefixLayout.BodyBytesAt..]);
        if (bodyBytes != (uint)(_message.Length - prefixBytes)) return FormatFault.BodyLength;

        // The bounds come first: then the sum cannot overflow.
        if (FirstSequence > FormatLimits.MaxSequence) return FormatFault.Sequence;
        if (FirstSequence + Count > FormatLimits.MaxSequence) return FormatFault.Sequence;
        bool areTimes = Epoch >= 0 && FirstTime >= 0 && LastTime >= FirstTime
            && FirstTime <= long.MaxValue - uint.MaxValue;
        return areTimes ? FormatFault.None : FormatFault.Time;
    }

    private bool HasLocalEndPoints()
    {
        if (LocalEndPointCount is 0 or > FormatLimits.MaxLocalEndPoints) return false;
        ReadOnlySpan<byte> rest = _message[..PrefixBytes][(PackPrefix.FixedBytes + Id.Length)..];
        for (int i = 0; i < LocalEndPointCount; i++)
        {
            if (rest.Length < PrefixLayout.LocalEndPointHeaderBytes) return false;
            if (rest[0] is not (PrefixLayout.IPv4Family or PrefixLayout.IPv6Family)) return false;
            int bytes = PrefixLayout.LocalEndPointHeaderBytes + AddressBytes(rest[0]);
            if (rest.Length < bytes) return false;
            rest = rest[bytes..];
        }

        return true;
    }

    private ushort UInt16At(int offset) => BinaryPrimitives.ReadUInt16LittleEndian(_message[offset..]);

    private long Int64At(int offset) => BinaryPrimitives.ReadInt64LittleEndian(_message[offset..]);
}
