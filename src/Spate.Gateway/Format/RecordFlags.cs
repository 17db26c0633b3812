namespace Spate.Gateway.Format;

/// <summary>The flags of a record; the numbers are those of the format.</summary>
[Flags]
internal enum RecordFlags : byte
{
    /// <summary>A whole datagram of an IPv4 peer, with no address but the peer's.</summary>
    None = 0,

    /// <summary>The datagram was longer than the gateway's slot; the rest of it is gone.</summary>
    Truncated = 1,

    /// <summary>The peer's address has 16 bytes.</summary>
    IPv6 = 2,

    /// <summary>The address that the datagram was sent to follows; it is of the peer's family.</summary>
    LocalAddress = 4,

    /// <summary>The scope of the peer's IPv6 address follows it.</summary>
    Scope = 8,

    /// <summary>All of version 1. What another flag adds to a record cannot be skipped, so it is refused.</summary>
    Known = Truncated | IPv6 | LocalAddress | Scope,
}
