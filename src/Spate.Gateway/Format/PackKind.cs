namespace Spate.Gateway.Format;

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
