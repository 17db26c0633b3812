namespace Spate.Gateway.Format;

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
