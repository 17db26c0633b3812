namespace Spate.Gateway.Format;

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
